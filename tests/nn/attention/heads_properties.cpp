// What positions that read words hold (positions/reads_words.h).
#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/positions/alibi.h"
#include "nn/attention/positions/forgetting.h"
#include "nn/attention/structures/multi_head.h"
#include "tests/nn/attention/mixer_reference.h"

namespace heed::nn_test {
namespace {

nn::MultiHeadAttention small_heads(const std::string& position, bool causal, int64_t heads = 2, int64_t groups = 0) {
  nn::MultiHeadOptions o{.model = kWidth, .heads = heads, .kv_heads = groups};
  o.scope = {.name = causal ? "causal" : "global"}, o.position = {.name = position};
  return drawn<nn::MultiHeadAttention>(o);
}

// --- E25 ---
// The same gates at all words; attention with `other` must then give the same numbers.
void forgets_as(const std::vector<double>& logits, const std::string& other) {
  for (bool causal : {true, false}) {
    auto m = small_heads("forgetting", causal), plain = small_heads(other, causal);
    auto& position = dynamic_cast<nn::ForgettingPosition&>(*m.position);
    position.forget.weight.set_value(Tensor::zeros({2, kWidth}, kF64));
    position.forget.bias.set_value(Tensor::from(logits, {2}));
    plain.in_proj_weight = m.in_proj_weight, plain.in_proj_bias = m.in_proj_bias;
    plain.out_proj.weight = m.out_proj.weight, plain.out_proj.bias = m.out_proj.bias;
    const Variable x = small_sentences(6);
    for (bool weights : {false, true}) {  // tiled and dense
      const Tensor wanted = plain(x).output.value();
      CHECK(max_abs_difference(m(x, {.weights = weights}).output.value(), wanted) < 1e-12);
    }
  }
}

PROPERTY(no_forgetting_is_attention) { forgets_as({60, 60}, "none"); }

// f_h = exp(-m_h) for ALiBi's slopes m_h.
PROPERTY(constant_forgetting_is_alibi) {
  std::vector<double> logits;
  for (double slope : nn::alibi_slopes(2)) logits.push_back(-std::log(std::expm1(slope)));  // logit of exp(-m)
  forgets_as(logits, "alibi");
}

// Each key row ends in the logarithms of the gates of the heads that read it, 0 for padding; other layers get the keys
// without them.
PROPERTY(marks_are_kept_with_keys) {
  const Variable x(random({2, 5, kWidth}, 3, kF64));
  const Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 0, 1, 0, 1, 1}, {2, 5});
  for (int64_t groups : {4, 2, 1}) {
    auto m = small_heads("forgetting", true, 4, groups), plain = small_heads("none", true, 4, groups);
    plain.in_proj_weight = m.in_proj_weight, plain.in_proj_bias = m.in_proj_bias;
    const Tensor keys = m.remember(x, x, {}, words).keys.value(), own = plain.remember(x, x, {}, words).keys.value();
    const Tensor f = sigmoid(dynamic_cast<nn::ForgettingPosition&>(*m.position).forget(x)).value();  // [B, S, H]
    const int64_t R = 4 / groups;
    REQUIRE(keys.size(3) == 1 + R);
    CHECK(bit_equal(keys.slice(3, 0, 1).contiguous(), own.contiguous()));
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t s = 0; s < 5; ++s)
        for (int64_t h = 0; h < 4; ++h) {
          const double log_f = words.at({b, s}) != 0 ? std::log(f.at({b, s, h})) : 0;
          CHECK(keys.at({b, h / R, s, 1 + h % R}) == doctest::Approx(log_f).epsilon(1e-12));
        }
    // Padding forgets nothing, whatever is there, in all words at once and in a step over kept keys.
    Tensor other = x.value().clone();
    for (int64_t s : {0, 2})
      for (int64_t d = 0; d < kWidth; ++d) other.set({1, s, d}, 2);
    const Tensor whole = m(x, {.words = words}).output.value().slice(1, 3, 5);
    CHECK(max_abs_difference(m(Variable(other), {.words = words}).output.value().slice(1, 3, 5), whole) < 1e-14);
    NoGrad decoding;
    auto memory = m.memory();
    m.extend(Variable(other.slice(1, 0, 3).contiguous()), *memory, {.words = words.slice(1, 0, 3).contiguous()});
    CHECK(max_abs_difference(m.extend(slice(x, 1, 3, 5), *memory, {.words = words}).output.value(), whole) < 1e-12);
    nn::Passed passed;
    m(x, {.words = words, .passed = &passed});
    CHECK(passed.left["keys"].size(-1) == 1);
  }
}

}  // namespace
}  // namespace heed::nn_test
