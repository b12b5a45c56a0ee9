// ALiBi. A bias on each score that depends on the distance between query and key: [1, H, T, S], or [B, H, T, S] if each
// sentence has its own positions. The slopes are 2^(-8/H), 2^(-16/H), .. if H is a power of two. Otherwise they are the
// slopes for the next smaller power of two, followed by every second slope for the next larger one. The bias is added
// after the scores were scaled. (Some programs add m_h s instead. Under a causal mask this is equivalent, because a
// softmax does not change when all scores of a row are shifted; without one it is not.)
#pragma once

#include <vector>

#include "nn/attention/positions/head_position.h"

namespace heed::nn {

std::vector<double> alibi_slopes(int64_t heads);  // ValueError for heads < 1

struct AlibiBias final : HeadPosition {
  static constexpr About about{
      .names = {"F7", "alibi", "linear biases"},
      .formula = "e_hts = q_t . k_s / sqrt(K) - m_h |s - t|,  m_h = 2^(-8 h / H)",
      .paper = {"Press, Smith and Lewis, ICLR 2022", 2022, 1},
      .idea =
          "A penalty that grows with the distance is subtracted from the score. Each head has another slope, so some "
          "heads look near and some look far. Nothing is learned, and every distance has a penalty, however long the "
          "sentence is.",
      .wrong = "The first slope is 2 to the power -8 / H. If H is not a power of two, the slopes follow another rule.",
      .shapes = "-> [1, H, T, S]",
      .cost = "H T S products; no parameters",
      .own = {"golden_slopes", "bias_is_the_distance", "cache_is_the_parallel_pass"},
      .exempt = {{"gradient", "the bias is a constant, so it has no gradient"}},
  };

  using Options = HeadPositionOptions;
  AlibiBias(const Options& options, Generator& unused);
  Variable operator()(const Places& places, DType dtype = DType::f32) const;
  Variable bias(const Variable& q, const Places& places, double) const override { return (*this)(places, q.dtype()); }
  bool has_bias() const override { return true; }
  bool shared() const override { return true; }
  Options options;
};

}  // namespace heed::nn
