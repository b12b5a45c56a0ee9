// A normaliser of the registry by its text, such as entmax:1.5, on scores: for the tests of normalisers.
#pragma once

#include <memory>
#include <string>

#include "nn/attention/normalisers/normaliser.h"
#include "nn/attention/registry.h"
#include "tests/nn/support.h"

namespace heed::nn_test {

// [.., T, S] with a head axis if heads > 1; parameters in f64.
inline std::unique_ptr<nn::Normaliser> normaliser_of(const std::string& text, int64_t heads = 1) {
  nn::NormaliserOptions options = nn::stage_from(nn::Kind::normaliser, text);
  options.heads = heads;
  Generator rng(1);
  auto made = nn::make_normaliser(options, rng);
  nn::convert(*made, DType::f64);
  return made;
}
inline Tensor normalised(const std::string& text, const Tensor& scores) {
  return (*normaliser_of(text))(Variable(scores)).value();
}
// One row of scores, f64.
inline Tensor row(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}
// d sum(dw w) / d scores
inline Tensor score_gradient(const nn::Normaliser& normaliser, const Tensor& scores, const Tensor& dw) {
  Variable e = leaf(scores);
  return grad({normaliser(e)}, {e}, {.seeds = {Variable(dw)}})[0].value();
}

}  // namespace heed::nn_test
