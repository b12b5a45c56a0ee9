// What the properties of several mixers compare with.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "tests/nn/attention/mixer_subject.h"

namespace heed::nn_test {

// The mixer of a text, as what it is.
template <class M>
struct Small {
  explicit Small(const std::string& text, bool causal = false, int64_t heads = 2)
      : held(small_mixer(text, causal, heads)), mixer(dynamic_cast<M&>(*held)) {}
  Tensor operator()(const Variable& x, const Tensor& words = {}) const {
    return mixer(x, {.words = words}).output.value();
  }
  std::unique_ptr<nn::Mixer> held;
  M& mixer;
};

// softmax(q k^T / sqrt(K), where allowed) v, from its formula; q, k, v [B, H, T, K].
Variable full_attention(const Variable& q, const Variable& k, const Variable& v, const Tensor& allowed = {});
Tensor full_attention(const nn::FourProjections& p, const Variable& x, bool causal = false);  // [B, T, D]
Tensor lower_triangle(int64_t T);                                                             // bool [T, T]
void set(Variable& parameter, const Tensor& value);                                           // in its dtype

}  // namespace heed::nn_test
