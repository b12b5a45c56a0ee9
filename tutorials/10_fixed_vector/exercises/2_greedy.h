// Exercise 10.2: greedy decoding.
//
// A trained decoder has no teacher: it reads what it has predicted, and stops when it predicts </s>.
//
//   y_0 = <s>          y_t = argmax of the logits after step(y_{t-1}, state)          until </s>, or `limit` symbols
//
// Sutskever, Vinyals and Le, NeurIPS 2014, section 3.2, with one hypothesis.
#pragma once

#include <functional>
#include <vector>

#include "nn/models/paper.h"

namespace mine {

// A trained model, whichever recurrent paper it is of; its functions are those of nn/models/fixed_vector.h.
struct Decoder {
  std::function<heed::nn::Encoded(const heed::Tensor& source, const heed::Tensor& lengths)> encode;
  std::function<heed::Variable(const heed::Tensor& words)> embed;
  std::function<heed::nn::Step(const heed::Variable& y, const heed::nn::DecoderState&, const heed::nn::Source&)> step;
  std::function<heed::Variable(const heed::Variable& features)> logits;
};
template <class M>
Decoder decoder_of(const M& m) {
  return {[&](const auto& source, const auto& lengths) { return m.encode(source, lengths); },
          [&](const auto& words) { return m.embed(words); },
          [&](const auto& y, const auto& before, const auto& source) { return m.step(y, before, source); },
          [&](const auto& features) { return m.logits(features); }};
}

// source [1, S] i64, lengths [1] i64 -> the ids of at most `limit` predicted symbols, without </s>
std::vector<double> write(const Decoder& model, const heed::Tensor& source, const heed::Tensor& lengths, int64_t limit);

}  // namespace mine
