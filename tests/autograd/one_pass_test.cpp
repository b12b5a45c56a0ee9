// backward and grad walk a graph in the same order and call the same kernels, so their gradients have the same bits:
// whether all leaves are asked for or one alone (then less of the graph is walked), with a graph that is kept or freed.
//
//   a gradient of y = f(x) by backward(y)   =   by grad({y}, {all x})   =   by grad({y}, {one x})
//
// A gradient that is recorded (create_graph) is computed by composed operations, and is equal up to rounding only.
#include <doctest/doctest.h>

#include "autograd/backward.h"
#include "nn/cases/cases.h"
#include "tests/autograd/random_program/operations.h"

using namespace heed;
using random_program::Step;

namespace {

struct Graph {
  std::vector<Variable> wanted;  // leaves, and values in between
  Variable y;
};

// The leaves and operations of a random program.
Graph recorded(const random_program::Program& p) {
  std::vector<Variable> v(static_cast<size_t>(p.values));
  Graph g;
  for (const Step& s : p.steps) {
    if (s.kind == Step::leaf) {
      v[static_cast<size_t>(s.first)] =
          Variable(Tensor::from(s.values, s.shape), s.requires_grad ? Variable::kRequiresGrad : Variable::kConstant);
    } else if (s.kind == Step::operation) {
      std::vector<Variable> in;
      for (int i : s.action.inputs) in.push_back(v[static_cast<size_t>(i)]);
      std::vector<Variable> out = s.action.engine(in);
      std::copy(out.begin(), out.end(), v.begin() + s.first);
    }
  }
  for (Variable& x : v)
    if (x.defined() && x.requires_grad()) {
      x.retain_grad();
      g.wanted.push_back(x);
    }
  g.y = Variable(Tensor::scalar(0, DType::f64));
  for (const random_program::Output& out : p.outputs) {
    const Variable& of = v[static_cast<size_t>(out.value)];
    g.y = g.y + sum(of * Variable(Tensor::from(out.seeds, of.shape())));
  }
  return g;
}

Graph recorded(const Case& c) {
  Graph g;
  for (const Tensor& x : c.leaves()) g.wanted.emplace_back(x, Variable::kRequiresGrad);
  Variable out = c.f(g.wanted);
  Generator rng(1);
  g.y = sum(out * Variable(Tensor::uniform(out.shape(), rng, 0.5, 1.5, DType::f64)));
  return g;
}

// `record` makes the graph, the same one each time. Returns how many gradients differ in a bit, and sets the largest
// difference of a recorded gradient.
template <class Record>
int differing(const Record& record, double& recorded_by) {
  Graph g = record(), freed = record(), alone = record();
  if (!g.y.requires_grad()) return 0;
  backward(g.y, {.retain_graph = true});
  backward(freed.y);
  auto all = grad({g.y}, g.wanted, {.retain_graph = true, .allow_unused = true});
  auto again = grad({alone.y}, alone.wanted, {.allow_unused = true});
  auto second = grad({g.y}, g.wanted, {.create_graph = true, .allow_unused = true});
  int count = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    Tensor want = g.wanted[i].grad();
    auto same = [&](const Tensor& dx) { return want.defined() ? dx.defined() && bit_equal(dx, want) : !dx.defined(); };
    auto value = [](const Variable& dx) { return dx.defined() ? dx.value() : Tensor(); };
    auto one = grad({g.y}, {g.wanted[i]}, {.retain_graph = true, .allow_unused = true})[0];
    count += !same(freed.wanted[i].grad()) || !same(value(all[i])) || !same(value(again[i])) || !same(value(one));
    if (want.defined() && want.count() > 0) {
      double size = max_abs_difference(want, Tensor::zeros(want.shape(), want.dtype()));
      recorded_by = std::max(recorded_by, max_abs_difference(value(second[i]), want) / std::max(1.0, size));
    }
  }
  return count;
}

}  // namespace

TEST_SUITE("gradcheck") {
  TEST_CASE("backward and grad give the same bits: random programs") {
    double unused = 0;
    for (uint64_t seed = 1; seed <= 1000; ++seed) {
      auto record = [p = random_program::generate(seed)] { return recorded(p); };
      CHECK_MESSAGE(differing(record, unused) == 0, "seed " << seed);
    }
  }

  TEST_CASE("backward and grad give the same bits: every row of the case table") {
    double recorded_by = 0;
    for (const CaseRow& row : all_cases())
      for (const Case& c : row.cases)
        CHECK_MESSAGE(differing([&] { return recorded(c); }, recorded_by) == 0, row.name << " " << c.label);
    CHECK(recorded_by < 1e-13);
  }
}
