// A chain of n cheap layers, for which the textbook's count is true: each layer keeps one value, its output.
//
//   h_i = tanh(h_{i-1} W_i)        i = 1 .. n           kept for the gradient: h_i, a bytes
//
// clang-format off
//   no checkpoints      n a               one forward pass
//   k segments          k a + (n/k) a     two; least at k = sqrt n: 2 sqrt(n) a
//   halves of halves    about log2(n) a   one more for every two halvings
// clang-format on
//
// Chen, Xu, Zhang and Guestrin, "Training deep nets with sublinear memory cost", 2016, sections 4.3 and 4.4.
// B rows, D numbers each.
#pragma once

#include <cmath>
#include <vector>

#include "autograd/backward.h"
#include "autograd/checkpoint.h"
#include "autograd/ops.h"
#include "tensor/allocator.h"
#include "tensor/random.h"

namespace scale {

struct Chain {
  Chain(int64_t n, int64_t rows, int64_t width, heed::Generator& rng) : x(heed::Tensor::normal({rows, width}, rng)) {
    for (int64_t i = 0; i < n; ++i)
      w.emplace_back(heed::Tensor::normal({width, width}, rng, 0, 1 / std::sqrt(static_cast<double>(width))),
                     heed::Variable::kRequiresGrad);
  }

  // Layers [first, last) one after the other.
  heed::Variable run(heed::Variable h, size_t first, size_t last) const {
    for (size_t i = first; i < last; ++i) {
      h = tanh(matmul(h, w[i]));
      if (watched) watch(h);
    }
    return h;
  }
  // In k segments, each a checkpoint; k = 0: none.
  heed::Variable in_segments(size_t k) const {
    heed::Variable h = x;
    if (k == 0) return run(h, 0, w.size());
    for (size_t s = 0; s < k; ++s)
      h = checkpoint([=, this](const heed::Variable& v) { return run(v, s * w.size() / k, (s + 1) * w.size() / k); },
                     h);
    return h;
  }
  // The first half in a checkpoint, and the same within each half.
  heed::Variable in_halves(const heed::Variable& h, size_t first, size_t last) const {
    if (last - first == 1) return run(h, first, last);
    size_t middle = (first + last) / 2;
    heed::Variable half = checkpoint([=, this](const heed::Variable& v) { return in_halves(v, first, middle); }, h);
    return in_halves(half, middle, last);
  }

  heed::Variable x;                           // [B, D]
  std::vector<heed::Variable> w;              // [D, D] each
  mutable std::vector<double>* watched = {};  // receives the bytes alive after each layer, forward and backward

 private:
  void watch(heed::Variable& h) const {
    auto note = [to = watched] { to->push_back(static_cast<double>(heed::allocator_stats().live_bytes)); };
    note();
    if (h.requires_grad()) h.on_grad([note](const heed::Variable& dh) { return note(), dh; });
  }
};

}  // namespace scale
