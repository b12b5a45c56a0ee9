// Lightweight and dynamic convolution (Wu et al., "Pay less attention with lightweight and dynamic convolutions", ICLR
// 2019, sections 3 and 4): each word reads its neighbours with weights that depend on the distance, and not on keys.
//
//   u   = a * sigmoid(b),  [a; b] = x W                          a gated linear unit
//   o_t = sum_(j < w) softmax(kernel_h)_j u_(t - j + c)          c = 0 if causal, else w / 2: the window's centre
//   y   = o W_o
//
//   lightweight_conv   kernel [H, w] is a parameter: D / H features share it
//   dynamic_conv       kernel_t = u_t W_k [H, w]: the word itself chooses its window's weights
//
// The softmax makes the weights of a window positive with the sum 1, as those of attention. What lies outside of the
// sentence, and padding, counts as 0. A layer sees w words, so the whole sentence is seen only after several layers;
// the paper lets w grow with depth. A step of decoding keeps the last w - 1 inputs. Cost: 4 T D^2 + T D w products. B
// batch, T words, D width, H heads, w taps.
#pragma once

#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct ConvolutionMixer final : Mixer {
  ConvolutionMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  std::unique_ptr<AttentionMemory> memory() const override;
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const override;
  Variable gated(const Variable& x, const Tensor& words) const;  // u [B, T, D], 0 at padding
  // o from u and what lies before and after it: wide [B, T + w - 1, D].
  Variable convolved(const Variable& wide, const Variable& u) const;
  void visit(Visitor& v) override {
    v.child("input", input), v.child("output", output);
    v.parameter("kernel", kernel);
    if (kernels) v.child("kernels", *kernels);
  }
  MixerOptions options;
  int64_t taps;
  Linear input, output;
  Variable kernel;                  // [H, w], of lightweight_conv
  std::unique_ptr<Linear> kernels;  // W_k, of dynamic_conv
};

}  // namespace heed::nn
