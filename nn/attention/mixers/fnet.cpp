#include "nn/attention/mixers/fnet.h"

#include <numbers>

#include "autograd/ops.h"
#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/registry.h"

namespace heed::nn {

FNetMixer::FNetMixer(const MixerOptions& o, Generator&) : options(completed_stage(Kind::mixer, o, "fnet")) {
  require_not_causal(options, "it mixes all words by a fixed matrix");
}

CosineSine fourier_matrices(const Tensor& places, const Tensor& length) {
  Tensor p = places.to(DType::f64), n = length.to(DType::f64).unsqueeze(-1);
  Tensor product = mul(p.unsqueeze(-1), p.unsqueeze(-2));  // i j: exact
  Tensor whole = floor(div(product, n));                   // full turns, taken out first: the angle of a
  Tensor angle = mul(div(sub(product, mul(whole, n)), n), 2 * std::numbers::pi);  // long sentence keeps its digits
  return {cos(angle), sin(angle)};
}

Mixed FNetMixer::mix(const Variable& x, const MixerInput& in) const {
  Call call(*this);
  const int64_t D = x.size(2);
  Tensor words = word_factors(x, in.words);  // [B, T]
  Tensor places = sub(cumsum(words, 1), 1);
  Tensor length = maximum(sum(words, {1}, true), Tensor::ones({1}, words.dtype()));  // [B, 1]
  auto [cosine, sine] = fourier_matrices(places, length);
  CosineSine entries = fourier_matrices(Tensor::arange(D), Tensor::full({1}, static_cast<double>(D), DType::f64));
  auto constant = [&](const Tensor& m) { return Variable(m.to(x.dtype())); };
  Variable counted = words_only(x, in.words);
  Variable y = matmul(constant(cosine), matmul(counted, constant(entries.cosine))) -
               matmul(constant(sine), matmul(counted, constant(entries.sine)));
  return {call.result("output", y)};
}

}  // namespace heed::nn
