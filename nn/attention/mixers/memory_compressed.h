// Memory-compressed attention ("Generating Wikipedia by summarizing long sequences", section 4.2): a strided
// convolution makes one key and one value of each block of s words; kernel and stride are s. The last block is filled
// up with zeros; one without any word is masked. Under `causal` a query attends to the blocks that end at or before it,
// so the first s - 1 words attend to nothing (context 0).
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct MemoryCompressedMixer final : Mixer {
  struct Settings {
    int64_t stride = 3;
    void fields(OptionFields& f) { f("stride", stride, "s, words of a block", {1, 64}); }
  };
  static constexpr About about{
      .names = {"C16", "memory_compressed", "strided convolution of keys and values"},
      .formula = "k~_j = W_k [k_(js); ..; k_(js+s-1)] + b_k, v~_j alike;  softmax(Q K~^T / sqrt(K)) V~",
      .paper = {"Liu et al., ICLR 2018", 2018, 4},
      .idea =
          "A convolution makes one key and one value of every few words. A query attends to these summaries, of which "
          "there are fewer than words. It was made to read many pages of text at once.",
      .wrong =
          "In a decoder a block may be read only when all its words are written. Until then each of its words reaches "
          "only its own output, by the residual connection.",
      .cost = "2 T^2 D / s + 2 T D^2 products beside the projections; 4 D^2 + 2 s D^2 parameters",
      .own = {"stride_one_is_attention", "a_block_is_a_convolution"},
  };

  MemoryCompressedMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("", projections);
    v.child("k_conv", k_conv);
    v.child("v_conv", v_conv);
  }
  MixerOptions options;
  Settings settings;
  FourProjections projections;
  Linear k_conv, v_conv;  // [D, s D]: the words of a block side by side
};

// x [B, T, D] in blocks of s words, filled up with zeros: [B, T/s, s D].
Variable blocks_of(const Variable& x, int64_t s);
// Which blocks of s words a query may attend to as a whole: those with a word; under `causal`, of them those that end
// at or before the query. Broadcasts to [B, H, T, T/s].
Tensor allowed_blocks(const MixerOptions& options, const Tensor& words, int64_t T, int64_t s);

}  // namespace heed::nn
