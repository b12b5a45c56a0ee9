#include "tutorials/24_encoder/exercises/4_whole_encoder.h"

#include <cmath>

namespace mine {

using namespace heed;

// | // With all gaps open, nothing happens to x.
Variable norm(const Affine& p, const Variable& x) {
  // ---- the gap, first part: about 3 lines ----
  // | // Mean and variance of the last axis; keep the axis, so that they broadcast against x. The variance divides by
  // | // D.
  // | return x;
  // ---- filled ----
  Variable centred = x - mean(x, {-1}, true);
  Variable variance = mean(centred * centred, {-1}, true);  // [.., 1]
  return centred / sqrt(variance + 1e-5) * p.weight + p.bias;
  // ---- end of the first part ----
}

Variable attention(const Parameters& p, const Variable& x, const Tensor& lengths) {
  // ---- the gap, second part: about 12 lines ----
  // | // 1. A function for q, k and v: project, reshape to [B, T, H, K], permute to [B, H, T, K].
  // | // 2. Scores [B, H, T, T], divided by sqrt(K).
  // | // 3. A mask [B, 1, 1, T] that is true at padding; give these keys the score -infinity.
  // | // 4. Softmax, times v; permute back to [B, T, H, K], reshape to [B, T, D], project.
  // | return x;
  // ---- filled ----
  const int64_t B = x.size(0), T = x.size(1), D = x.size(2), H = p.heads, K = D / H;
  auto heads = [&](const Affine& a) {  // [B, T, D] -> [B, H, T, K]
    return permute(reshape(linear(x, a.weight, a.bias), {B, T, H, K}), {0, 2, 1, 3});
  };
  Variable q = heads(p.query), k = heads(p.key), v = heads(p.value);
  Variable scores = matmul(q, transpose(k, 2, 3)) / std::sqrt(static_cast<double>(K));  // [B, H, T, T]
  std::vector<int> padding;
  for (int64_t b = 0; b < B; ++b)
    for (int64_t s = 0; s < T; ++s) padding.push_back(static_cast<double>(s) >= lengths.at({b}));
  scores = masked_fill(scores, Tensor::from_bools(padding, {B, 1, 1, T}), -INFINITY);
  Variable context = permute(matmul(softmax(scores, -1), v), {0, 2, 1, 3});  // [B, T, H, K]
  return linear(reshape(context, {B, T, D}), p.output.weight, p.output.bias);
  // ---- end of the second part ----
}

Variable feed_forward(const Affine& first, const Affine& second, const Variable& x) {
  // ---- the gap, third part: about 2 lines ----
  // | // Two projections (linear), with a relu between them.
  // | return x;
  // ---- filled ----
  Variable inner = relu(linear(x, first.weight, first.bias));  // [.., F]
  return linear(inner, second.weight, second.bias);
  // ---- end of the third part ----
}

Variable layer(const Parameters& p, const Variable& x, const Tensor& lengths) {
  // ---- the gap, fourth part: about 2 lines ----
  // | // Each sub-layer receives the norm of its input, and its output is added to the input itself.
  // | return x;
  // ---- filled ----
  Variable y = x + attention(p, norm(p.norm1, x), lengths);
  return y + feed_forward(p.first, p.second, norm(p.norm2, y));
  // ---- end of the fourth part ----
}

Variable encoder(const std::vector<Parameters>& layers, const Affine& last, const Variable& x, const Tensor& lengths) {
  // ---- the gap, fifth part: about 3 lines ----
  // | // Each layer receives the output of the layer before; the last norm comes once, at the end.
  // | return x;
  // ---- filled ----
  Variable h = x;
  for (const Parameters& p : layers) h = layer(p, h, lengths);
  return norm(last, h);
  // ---- end of the gap ----
}

}  // namespace mine
