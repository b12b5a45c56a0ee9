// What the tests of transformers share: small models, sentences, ids.
#pragma once

#include "nn/transformer/bert.h"
#include "nn/transformer/language_model.h"
#include "tests/nn/support.h"

namespace heed::nn_test {

inline Tensor row(const std::vector<int64_t>& values) {
  return Tensor::from(values, {1, static_cast<int64_t>(values.size())});
}

// 9 words, of which 4 to 8 may be written.
inline nn::TransformerOptions small_transformer() {
  return {.source_vocabulary = 9,
          .target_vocabulary = 9,
          .model = 12,
          .heads = 3,
          .inner = 20,
          .encoder_layers = 2,
          .decoder_layers = 2,
          .activation = "gelu",
          .norm_first = true,
          .dropout = 0,
          .max_positions = 24};
}

// Made, with biases and norms that are not 0 and 1, and in f64 where asked.
template <class M>
M shaken(const typename M::Options& options, DType dtype = DType::f64, uint64_t seed = 1) {
  M m = make<M>(options, seed);
  uint64_t k = 100 + seed;
  for (auto& p : nn::named_parameters(m)) {
    Tensor w = p.variable.value();
    add_into(w, random(w.shape(), ++k), 0.2);
  }
  nn::convert(m, dtype);
  return m;
}

// Every scheme of positions that there is.
inline std::vector<std::string> position_schemes() {
  return {"sinusoidal", "learned", "rope", "rope_interleaved", "shaw", "shaw_keys",
          "xl",         "alibi",   "t5",   "forgetting",       "none"};
}

}  // namespace heed::nn_test
