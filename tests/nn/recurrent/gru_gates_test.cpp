// gru_gates, the fused kernel, against its composed twin: values, gradients, gradients of gradients.
#include <cmath>

#include "nn/recurrent/gru.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::bad_input::refuses;

namespace {

struct Run {
  Tensor y, di, dg, dh;
};

template <class F>
Run run(const F& gates, const Tensor& i, const Tensor& g, const Tensor& h, const Tensor& keep) {
  Variable vi = leaf(i), vg = leaf(g), vh = leaf(h);
  Variable y = gates(vi, vg, vh, keep);
  backward(weighted_sum(y));
  return {y.value(), vi.grad(), vg.grad(), vh.grad()};
}

void close(const Run& a, const Run& b, double tol) {
  CHECK(relative_error(a.y, b.y) <= tol);
  CHECK(relative_error(a.di, b.di) <= tol);
  CHECK(relative_error(a.dg, b.dg) <= tol);
  CHECK(relative_error(a.dh, b.dh) <= tol);
}

}  // namespace

TEST_CASE("gru_gates: fused as composed, for every width of the last vector and with rows kept") {
  for (DType dtype : {DType::f32, DType::f64})
    for (int64_t N : {1, 3, 4, 7, 8, 15, 16, 17, 33})
      for (int64_t B : {1, 5}) {
        CAPTURE(N);
        Tensor i = random({B, 3 * N}, 1, dtype), g = random({B, 3 * N}, 2, dtype), h = random({B, N}, 3, dtype);
        Tensor keep = Tensor::from_bools(B == 1 ? std::vector<int>{0} : std::vector<int>{1, 0, 1, 1, 0}, {B});
        double tol = dtype == DType::f32 ? 1e-5 : 1e-12;
        close(run(nn::gru_gates, i, g, h, {}), run(nn::gru_gates_composed, i, g, h, {}), tol);
        close(run(nn::gru_gates, i, g, h, keep), run(nn::gru_gates_composed, i, g, h, keep), tol);
      }
}

TEST_CASE("gru_gates: a row that is not kept passes its state and its gradient, to the bit") {
  Tensor h = random({2, 5}, 3);
  Run r = run(nn::gru_gates, random({2, 15}, 1), random({2, 15}, 2), h, Tensor::from_bools({1, 0}, {2}));
  CHECK(bit_equal(r.y.select(0, 1).contiguous(), h.select(0, 1).contiguous()));
  CHECK_FALSE(bit_equal(r.y.select(0, 0).contiguous(), h.select(0, 0).contiguous()));
  CHECK(all_zero(r.di.select(0, 1)));
  CHECK(all_zero(r.dg.select(0, 1)));
  CHECK(bit_equal(r.dh.select(0, 1).contiguous(), random({2, 5}, 77).select(0, 1).contiguous()));
}

TEST_CASE("gru_gates: a gradient of exactly 0 stays 0, whatever the gates and the state") {
  for (double x : {-HUGE_VAL, HUGE_VAL, std::nan(""), 1e300})
    for (int at : {0, 1, 2, 3, 4})  // r, z or n of i, n of g, h
      for (auto gates : {nn::gru_gates, nn::gru_gates_composed})
        for (bool recorded : {false, true}) {
          std::vector<Tensor> in = {random({1, 3}, 1, DType::f64), random({1, 3}, 2, DType::f64),
                                    random({1, 1}, 3, DType::f64)};
          in[at < 3 ? 0 : static_cast<size_t>(at) - 2].set({0, at < 3 ? at : at == 3 ? 2 : 0}, x);
          std::vector<Variable> v;
          for (const Tensor& t : in) v.push_back(leaf(t));
          Variable dy(Tensor::zeros({1, 1}, DType::f64));
          for (const Variable& d :
               grad({gates(v[0], v[1], v[2], Tensor())}, v, {.seeds = {dy}, .create_graph = recorded}))
            CHECK(all_zero(d.value()));
        }
}

TEST_CASE("gru_gates: any strides give the bits of contiguous inputs") {
  int64_t B = 4, T = 3, N = 6;
  Tensor all = random({B, T, 3 * N}, 1), turned = random({3 * N, B}, 2), repeated = random({1, N}, 3);
  Tensor i = all.select(1, 1);         // one step of all: rows stand T 3N apart
  Tensor g = turned.transpose(0, 1);   // columns stand B apart
  Tensor h = repeated.expand({B, N});  // rows stand nowhere apart
  Tensor keep = Tensor::from_bools({1, 1, 1, 0, 0, 1, 1, 1}, {4, 2}).select(1, 0);
  REQUIRE_FALSE(i.is_contiguous());
  Variable strided = nn::gru_gates(i, g, h, keep);
  Variable dense = nn::gru_gates(i.contiguous(), g.contiguous(), h.contiguous(), keep.contiguous());
  CHECK(bit_equal(strided.value(), dense.value()));

  // The same through unstack, with gradients, and with an upstream gradient that is a view.
  auto steps = [&](const auto& gates) {
    Variable x = leaf(all), w = leaf(turned), s = leaf(repeated);
    Variable y = gates(unstack(x, 1)[1], transpose(w, 0, 1), expand(s, {B, N}), keep);
    backward(sum(transpose(y, 0, 1) * Variable(random({N, B}, 9))));
    return std::vector<Tensor>{y.value(), x.grad(), w.grad(), s.grad()};
  };
  auto a = steps(nn::gru_gates), b = steps(nn::gru_gates_composed);
  for (size_t k = 0; k < a.size(); ++k) CHECK(relative_error(a[k], b[k]) <= 1e-5);
  Variable y = nn::gru_gates(leaf(i), leaf(g), leaf(h.contiguous()), {});
  backward(sum(y));  // the upstream gradient is one number, expanded
}

TEST_CASE("gru_gates: gradients of gradients replay the composed form") {
  auto second = [](const auto& gates) {
    Variable i = leaf({2, 9}, 1, DType::f64), g = leaf({2, 9}, 2, DType::f64), h = leaf({2, 3}, 3, DType::f64);
    Variable y = gates(i, g, h, Tensor::from_bools({1, 0}, {2}));
    auto d = grad({weighted_sum(y)}, {i, g, h}, {.create_graph = true});
    Variable total = sum(square(d[0])) + sum(square(d[1])) + sum(square(d[2]));
    std::vector<Tensor> out;
    for (const Variable& x : grad({total}, {i, g, h})) out.push_back(x.value());
    return out;
  };
  auto a = second(nn::gru_gates), b = second(nn::gru_gates_composed);
  for (size_t k = 0; k < 3; ++k) {
    CHECK_FALSE(all_zero(a[k]));
    CHECK(relative_error(a[k], b[k]) <= 1e-12);
  }
}
