// Everything that a gradient reads is watched: each input, each mask, index or target and the output of every operation
// of the case table is overwritten between forward and backward. The gradient is then refused, or it is right; it is
// never a wrong number in silence. And results own their memory, unless the header calls them views.
#include <set>

#include "autograd/backward.h"
#include "autograd/cases/cases.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

// Other values of the same range for a mask or indices, other values altogether for numbers. Of a view, whose elements
// may overlap, the first element only.
Tensor written_part(const Tensor& t) {
  if (t.count() == 0) return Tensor::empty({0}, t.dtype());
  return t.is_contiguous() ? t : t.as_strided({1}, {1}, t.offset());
}
void overwrite(Tensor t) {
  if (t.dtype() == DType::boolean) return copy_into(t, logical_not(t));
  if (t.dtype() == DType::i64) return copy_into(t, flip(t.reshape({-1}), {0}).view(t.shape()));
  copy_into(t, sub(0.7, mul(t, 1.3)));
}

// The gradients of f's leaves; those that `wanted` does not name are constants. disturb(leaves, y) comes between
// forward and backward.
template <class F>
std::vector<Tensor> gradients(const Case& c, const std::vector<bool>& wanted, bool recorded, const F& disturb) {
  std::vector<Variable> leaves, asked;
  for (const Tensor& x : c.leaves()) {
    leaves.emplace_back(x, wanted[leaves.size()] ? Variable::kRequiresGrad : Variable::kConstant);
    if (wanted[leaves.size() - 1]) asked.push_back(leaves.back());
  }
  Variable y = c.f(leaves);
  Generator rng(9);
  Variable seed(Tensor::uniform(y.shape(), rng, 0.5, 2, y.dtype()));
  disturb(leaves, y);
  std::vector<Tensor> out;
  for (const Variable& d : grad({y}, asked, {.seeds = {seed}, .create_graph = recorded, .allow_unused = true}))
    out.push_back(d.defined() ? d.value().clone() : Tensor());
  return out;
}

bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  bool equal = a.size() == b.size();
  for (size_t i = 0; equal && i < a.size(); ++i)
    equal = a[i].defined() == b[i].defined() && (!a[i].defined() || bit_equal(a[i], b[i]));
  return equal;
}

// One gradient with `target` overwritten. Counts what was refused; a wrong number is a failure.
struct Tally {
  int refused = 0, right = 0;
};
template <class F>
void try_one(const std::string& what, const Case& c, const std::vector<bool>& wanted, const F& target, Tally& tally) {
  for (bool recorded : {false, true}) {
    auto nothing = [](const std::vector<Variable>&, const Variable&) {};
    std::vector<Tensor> expected = gradients(c, wanted, recorded, nothing), got;
    Tensor there, before;
    std::string error = error_of([&] {
      got = gradients(c, wanted, recorded, [&](const std::vector<Variable>& leaves, const Variable& y) {
        there = written_part(target(leaves, y)), before = there.clone();
        overwrite(there);
      });
    });
    copy_into(there, before);  // constants belong to the table
    CAPTURE(recorded);
    if (error.empty())
      CHECK_MESSAGE(same(got, expected), what << ": overwritten, and the gradient is wrong in silence");
    else  // a checkpoint that is run again sees other bits
      CHECK_MESSAGE((error.find("overwritten by copy_into") != std::string::npos ||
                     error.find("the second run of f must give the same bits") != std::string::npos),
                    what << ": " << error);
    ++(error.empty() ? tally.right : tally.refused);
  }
}

// Operations whose results the headers call views of their input, or the input itself.
const std::set<std::string> kViews = {"reshape", "transpose", "permute",    "movedim", "squeeze", "unsqueeze",
                                      "slice",   "narrow",    "contiguous", "select",  "expand",  "diagonal",
                                      "einsum",  "unfold",    "dropout",    "split",   "unstack"};

}  // namespace

TEST_CASE_FIXTURE(LeakFree, "overwritten: no input, constant or output of any operation gives a wrong gradient") {
  Tally inputs, constants, outputs;
  for (const CaseRow& row : operation_cases())
    for (const Case& c : row.cases) {
      size_t n = c.leaves().size();
      std::string name = row.name + " " + c.label;
      for (size_t only = 0; only <= n; ++only) {  // one leaf alone needs a gradient; then all of them do
        if (only == n && n == 1) break;
        std::vector<bool> wanted(n, only == n);
        if (only < n) wanted[only] = true;
        for (size_t k = 0; k < n; ++k)
          try_one(
              name + ", input " + std::to_string(k), c, wanted,
              [k](const std::vector<Variable>& leaves, const Variable&) { return leaves[k].value(); }, inputs);
        for (size_t k = 0; k < c.constants.size(); ++k)
          try_one(
              name + ", constant " + std::to_string(k), c, wanted,
              [&](const std::vector<Variable>&, const Variable&) { return c.constants[k]; }, constants);
        try_one(
            name + ", output", c, wanted, [](const std::vector<Variable>&, const Variable& y) { return y.value(); },
            outputs);
      }
    }
  for (const Tally& t : {inputs, constants, outputs}) {
    CHECK(t.refused > 50);
    CHECK(t.right > 50);
  }
  MESSAGE("refused and right: inputs " << inputs.refused << ", " << inputs.right << "; constants " << constants.refused
                                       << ", " << constants.right << "; outputs " << outputs.refused << ", "
                                       << outputs.right);
}

TEST_CASE_FIXTURE(LeakFree, "overwritten: every operation that is given a Tensor has a case that says which") {
  for (const CaseRow& row : operation_cases()) {
    static const std::set<std::string> given = {"index_select",
                                                "index_add",
                                                "gather",
                                                "scatter_add",
                                                "embedding",
                                                "cross_entropy",
                                                "nll_loss",
                                                "cross_entropy_composed",
                                                "bce_with_logits_loss",
                                                "tiled_attention",
                                                "tiled_attention_composed"};
    if (!given.count(row.name)) continue;
    bool some = false;
    for (const Case& c : row.cases) some = some || !c.constants.empty();
    CHECK_MESSAGE(some, row.name << " has no case with constants");
  }
}

TEST_CASE_FIXTURE(LeakFree, "overwritten: what only another gradient needs may be overwritten") {
  auto fine = [](const char* what, const std::vector<Variable>& in, size_t overwritten, auto f) {
    Variable y = f(in);
    overwrite(in[overwritten].value());
    CHECK_MESSAGE(error_of([&] { backward(sum(y)); }) == "", what);
  };
  auto fixed = [](const Shape& shape) { return Variable(Tensor::full(shape, 0.4, DType::f64)); };
  auto free = [](const Shape& shape) { return random_leaf(shape, 3); };
  using In = const std::vector<Variable>&;
  auto product = [](In in) { return matmul(in[0], in[1]); };
  fine("matmul, dx", {free({2, 2}), fixed({2, 2})}, 0, product);
  fine("matmul, dw", {fixed({2, 2}), free({2, 2})}, 1, product);
  auto affine = [](In in) { return linear(in[0], in[1], in[2]); };
  fine("linear, dx", {free({2, 2}), fixed({2, 2}), fixed({2})}, 0, affine);
  fine("linear, dw", {fixed({2, 2}), free({2, 2}), fixed({2})}, 1, affine);
  fine("linear, db and x", {fixed({2, 2}), fixed({2, 2}), free({2})}, 0, affine);
  fine("linear, db and w", {fixed({2, 2}), fixed({2, 2}), free({2})}, 1, affine);
  auto norm = [](In in) { return layer_norm(in[0], in[1], in[2]); };
  fine("layer_norm, db and x", {fixed({2, 3}), fixed({3}), free({3})}, 0, norm);
  fine("layer_norm, db and w", {fixed({2, 3}), fixed({3}), free({3})}, 1, norm);
  fine("layer_norm, dw and w", {fixed({2, 3}), free({3}), fixed({3})}, 1, norm);
  fine("kl_div, dx", {free({2}), fixed({2})}, 0, [](In in) { return kl_div(in[0], in[1]); });
  fine("bce_with_logits_loss, dt", {fixed({2}), free({2})}, 1,
       [](In in) { return bce_with_logits_loss(in[0], in[1]); });
  fine("scatter_add", {free({2}), fixed({2})}, 1,
       [](In in) { return scatter_add(in[0], 0, Tensor::arange(2), in[1]); });
}

TEST_CASE_FIXTURE(LeakFree, "results own their memory, but for those that are views by name") {
  std::set<std::string> seen;
  for (const CaseRow& row : operation_cases())
    for (const Case& c : row.cases) {
      std::vector<Variable> leaves;
      for (const Tensor& x : c.leaves()) leaves.emplace_back(x);
      Variable y = c.f(leaves);
      for (const Variable& x : leaves)
        if (&x.value().storage() == &y.value().storage()) {
          seen.insert(row.name);
          CHECK_MESSAGE(kViews.count(row.name), row.name << " " << c.label << " is its input's memory");
        }
    }
  for (const char* name : {"reshape", "einsum", "unfold"}) CHECK(seen.count(name));
  Tensor x = Tensor::ones({2, 3}), s = Tensor::scalar(3);
  for (const Tensor& y : {sum_to(x, {2, 3}), flip(x, {}), roll(x, {}, {}), prod(x.slice(1, 0, 1), {1}, true),
                          pad(x, {}), concat({x}, 0), cumsum(x, 0)})
    CHECK(&y.storage() != &x.storage());
  for (const Tensor& y : {sum(s), amax(s), prod(s), logsumexp(s), sum_to(s, {})}) CHECK(&y.storage() != &s.storage());
}
