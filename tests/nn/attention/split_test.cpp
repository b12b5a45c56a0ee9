// Attention in parts of the keys, and the merge of partial results.
#include <cmath>

#include "nn/attention/evaluators/partial.h"
#include "nn/attention/structures/multi_head.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

struct Cut {  // scores of 2 rows of 3 queries and 7 keys, some of them masked; a query of each row sees nothing at all
  Variable scores = leaf({2, 3, 7}, 1, kF64), values = leaf({2, 7, 4}, 2, kF64);
  Tensor allowed = Tensor::from_bools({1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                       0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
                                      {2, 3, 7});
  nn::Partial part(int64_t begin, int64_t end) const {
    return nn::partial_attention(slice(scores, -1, begin, end), slice(values, 1, begin, end),
                                 allowed.slice(-1, begin, end));
  }
};

double apart(const nn::Partial& a, const nn::Partial& b) {
  double worst = max_abs_difference(a.context.value(), b.context.value());
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t t = 0; t < 3; ++t) {
      double x = a.log_sum.value().at({i, t, 0}), y = b.log_sum.value().at({i, t, 0});
      if (std::isfinite(x) || std::isfinite(y)) worst = std::max(worst, std::abs(x - y));
    }
  return worst;
}

// Output, gradient of the input, gradients of all parameters.
std::vector<Tensor> run(const nn::MultiHeadOptions& o, const std::string& evaluator, const Tensor& x, const Tensor& y,
                        const nn::HeadMasks& masks) {
  nn::MultiHeadOptions with = o;
  with.evaluator = nn::stage_from(nn::Kind::evaluator, evaluator);
  auto m = shaken<nn::MultiHeadAttention>(with, x.dtype(), 3);
  Variable in = leaf(x), source = leaf(y);
  Variable out = y.size(1) == x.size(1) ? m(in, masks).output : m(in, source, source, masks).output;
  backward(weighted_sum(out));
  std::vector<Tensor> all = gradients(m);
  all.push_back(in.grad()), all.push_back(out.value());
  return all;
}

}  // namespace

// Wherever the keys are cut, the merged parts are the whole, with its log-sum-exp.
TEST_CASE("parts: merged they are the whole, and its log-sum-exp, wherever they are cut" *
          holds("merged_parts_are_the_whole")) {
  Cut cut;
  nn::Partial whole = cut.part(0, 7);
  nn::Attended wanted = nn::attend(cut.scores, cut.values, cut.allowed);
  CHECK(max_abs_difference(whole.context.value(), wanted.context.value()) < 1e-14);
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t t = 0; t < 3; ++t) {
      double total = 0;
      for (int64_t s = 0; s < 7; ++s)
        if (cut.allowed.at({i, t, s}) != 0) total += std::exp(cut.scores.value().at({i, t, s}));
      double seen = whole.log_sum.value().at({i, t, 0});
      CHECK((total == 0 ? seen == -INFINITY : seen == doctest::Approx(std::log(total)).epsilon(1e-12)));
    }
  for (int64_t at = 1; at < 7; ++at)  // some parts see no key at all
    CHECK(apart(nn::merged(cut.part(0, at), cut.part(at, 7)), whole) < 1e-14);
  // Gradients too, and those of the log-sum-exp.
  auto gradients_of = [&](const nn::Partial& p) {
    Tensor finite = Tensor::from_bools({1, 1, 0, 0, 1, 1}, {2, 3, 1});
    Variable sums = masked_fill(p.log_sum, logical_not(finite), 0);
    return grad({weighted_sum(p.context) + weighted_sum(sums)}, {cut.scores, cut.values});
  };
  auto a = gradients_of(cut.part(0, 7)), b = gradients_of(nn::merged(cut.part(0, 3), cut.part(3, 7)));
  for (size_t i = 0; i < 2; ++i) {
    CHECK(all_finite(b[i].value()));
    CHECK(max_abs_difference(a[i].value(), b[i].value()) < 1e-13);
  }
}

// Parts may be merged in any order, and huge scores merge as exactly as small ones.
TEST_CASE("parts: the merge is associative and commutative, and scores of 1e4 are merged as exactly as those of 1" *
          holds("merge_is_associative")) {
  for (double scale : {1.0, 1e4}) {
    Cut cut;
    cut.scores = leaf(mul(cut.scores.value(), scale));
    nn::Partial a = cut.part(0, 2), b = cut.part(2, 5), c = cut.part(5, 7);
    nn::Partial left = nn::merged(nn::merged(a, b), c), right = nn::merged(a, nn::merged(b, c));
    CHECK(apart(left, right) < 1e-11);
    CHECK(apart(nn::merged(c, nn::merged(b, a)), left) < 1e-11);
    CHECK(max_abs_difference(left.context.value(), nn::attend(cut.scores, cut.values, cut.allowed).context.value()) <
          1e-11);
  }
}

// Any number of parts gives the output and the gradients of dense attention, causal or not.
TEST_CASE("split: any number of parts gives the output and the gradients of dense, causal and across" *
          holds("split_is_dense")) {
  for (DType dtype : {kF64, DType::f32})
    for (const char* position : {"none", "rope", "alibi"})
      for (const char* scope : {"global", "causal", "window:1"}) {
        nn::MultiHeadOptions o{.model = 8, .heads = 4, .scope = nn::stage_from(nn::Kind::scope, scope)};
        o.kv_heads = 2, o.position.name = position;
        for (int64_t keys : {5, 7}) {
          Tensor words = Tensor::from_bools(std::vector<int>(size_t(2 * keys), 1), {2, keys});
          words.set({0, 4}, 0), words.set({1, 0}, 0), words.set({1, 1}, 0);
          Tensor x = random({2, 5, 8}, 7, dtype), y = random({2, keys, 8}, 8, dtype);
          std::vector<Tensor> wanted = run(o, "dense", x, y, {.words = words});
          for (const char* parts : {"split:1", "split:2", "split", "split:9"}) {
            std::vector<Tensor> seen = run(o, parts, x, y, {.words = words});
            double worst = 0;
            for (size_t i = 0; i < seen.size(); ++i) worst = std::max(worst, relative_error(seen[i], wanted[i]));
            CHECK(worst < (dtype == kF64 ? 1e-12 : 1e-5));
          }
        }
      }
}
