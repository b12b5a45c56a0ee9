// HyperAttention ("HyperAttention: long-context attention in near-linear time"): the large weights are looked for by
// hashing, and the others are estimated from a sample of the keys.
//
//   hash       g(x) = b ^ (b >> 1), b the number with the bits x . w_i > 0, i < p; w_i ~ N(0, I), for q and k alike
//   blocks     queries and keys in the order of their hashes, each in equal parts of at most `block` keys; a query
//              reads the keys of the part with the number of its own
//   sample     m keys drawn with replacement, of all n; one of another part is read with the score e + log(n / m)
//   merge      both by the sums of their exponentials: one softmax, in which a key drawn twice counts twice
//   causal     of more than `exact` words: each half alone, and then the second half reads the first as above
//
// It is exact where there are fewer than `exact` queries, as in the authors' program, so small texts and steps of
// decoding are read as by `dense`. Beyond that, the sums of the exponentials are right on average over the draws. The
// keys that a query reads depend on the other queries, later ones too: what a causal query reads never comes from later
// words, but they have a part in which of the earlier ones it reads, and a step of decoding differs from the whole. So
// has the padding at the end of a row of a decoder, which does not tell its attention how long the row is. The
// draws depend on the settings, the layer and the head alone, so equal calls give equal bits. The authors' CUDA program
// does not leave out sampled keys of the own part, which then count twice. Their Gray code is g as above, and not its
// inverse, by which neighbours in the order would differ in one bit. Here all T S scores are computed.
#pragma once

#include "nn/attention/evaluators/dense.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct HyperAttention final : Evaluator {
  struct Settings {
    int64_t block = 256;
    int64_t samples = 256;
    int64_t exact = 4096;
    int64_t projections = 7;
    int64_t seed = 1;
    void fields(OptionFields& f) {
      f("block", block, "most keys of a part whose hashes are alike", {1, 1e6});
      f("samples", samples, "m, keys that are drawn from all", {0, 1e6});
      f("exact", exact, "fewer queries read all keys", {0, 1e9});
      f("projections", projections, "p, bits of a hash", {1, 30});
      f("seed", seed, "of the directions and draws", {0, 1e6});
    }
  };
  static constexpr About about{
      .names = {"K16", "hyper_attention", "HyperAttention"},
      .formula = "w = softmax(e + log c), c_ts = 1 if the hashes of q_t, k_s fall in one part, else (n / m) draws of s",
      .paper = {"Han et al., ICLR 2024", 2024, 4},
      .idea =
          "Queries and keys that point in similar directions get similar hashes, so sorting by the hash brings large "
          "weights together in blocks. All other weights together are estimated from a few keys drawn at random. Both "
          "parts are added before the division by the sum.",
      .wrong =
          "A drawn key of the query's own part must be left out, or it counts twice. The sort is over all queries, so "
          "later words have a part in what an earlier one reads.",
      .shapes = "q [B, H, T, K], k [B, G, S, K], v [B, G, S, V] -> [B, H, T, V]",
      .cost = "T (block + m) (K + V) multiply-adds a head beyond the exact queries in a kernel; here 2 T S (K + V)",
      .own = {"one_part_is_exact", "estimated_sums_are_unbiased", "draws_are_seeded", "halves_read_the_first_half"},
      .cases = "MultiHeadAttention",
      .architecture = "transformer",
      .option = "evaluator",
      .text = "hyper_attention",
  };

  HyperAttention(const EvaluatorOptions& o, Generator&)
      : HyperAttention(o.settings.as<Settings>(), layer_number(0, o)) {}
  explicit HyperAttention(const Settings& s, int64_t at = 0) : settings(s), layer(at) {}
  std::string refuses(const StageSet& stages) const override;
  Attended operator()(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  bool exact() const override { return false; }
  bool mixes_queries() const override { return true; }
  Variable implied_weights(const StageSet& stages, const AttentionCall& call, StageContext& context) const override;
  // c, f64 [B, H, T, S], for q [B, H, T, K], k [B, H, S, K] and which of both are words, bool [B, T], [B, S] or
  // undefined. 0: not read. Under `causal`, key s is read by queries t >= s, and T = S.
  Tensor counts(const Tensor& q, const Tensor& k, const Tensor& queries, const Tensor& keys, bool causal) const;
  Settings settings;
  int64_t layer;
  Tensor directions = {};  // w [p, K]; undefined: drawn for each call

 private:
  AttentionCall with_counts(const StageSet& stages, const AttentionCall& call, const StageContext& context) const;
};

}  // namespace heed::nn
