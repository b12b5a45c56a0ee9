// KERPLE: a learned function of the distance of two words as a bias. r1 and r2 are exp of what is learned; r2 of the
// power is 2 sigmoid of it, below 2. The kernels are shift-invariant and conditionally positive definite; ALiBi is the
// power with r2 = 1. t place of the query, s of the key.
#pragma once

#include "nn/attention/positions/head_position.h"
#include "nn/attention/positions/reads_places.h"

namespace heed::nn {

struct KerpleBias final : HeadPosition {
  static constexpr About about{
      .names = {"F11", "kerple", "KERPLE", "kerple_power: a power in place of the logarithm"},
      .formula = "e_hts = q_t . k_s / sqrt(K) - r1_h ln(1 + r2_h |s - t|);  power: - r1_h |s - t|^(r2_h)",
      .paper = {"Chi et al., NeurIPS 2022", 2022, 4},
      .idea =
          "A penalty for the distance is subtracted from the score, and each head learns its strength and its shape. "
          "The penalty is a logarithm, or a power of the distance. A power of one is ALiBi with learned slopes.",
      .wrong = "Both numbers of a head have to stay positive, so it is their logarithm that is learned.",
      .shapes = "r1, r2 [H] -> [1, H, T, S]",
      .cost = "H T S logarithms; 2 H parameters",
      .own = {"kernel_values", "cache_is_the_parallel_pass"},
      .variants = {"kerple_power"},
  };

  using Options = HeadPositionOptions;
  KerpleBias(const Options& options, Generator& rng);
  bool has_bias() const override { return true; }
  Variable bias(const Variable& q, const Places& places, double) const override;
  void visit(Visitor& v) override {
    v.parameter("r1", r1);
    v.parameter("r2", r2);
  }
  Options options;
  Variable r1, r2;  // [H]
};

// |s - t| as [1, 1, T, S], or [B, 1, T, S] where the places are given one by one.
Tensor steps_between(const Places& places, DType dtype);

}  // namespace heed::nn
