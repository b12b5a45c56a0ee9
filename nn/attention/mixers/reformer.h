// LSH attention of the Reformer ("Reformer: the efficient transformer", section 2): each word reads the words that are
// similar to it.
//
//   k_t = q_t / |q_t|                                    queries and keys share a projection
//   h(t) = argmax [q_t R; -q_t R]                        the bucket: R [K, b/2] is random; similar vectors share it
//   sort the words by (h(t), t), cut the sorted row into chunks of m; a word sees the words of its bucket in its own
//   chunk and in the one before
//   o_t = sum_r exp(z_t^r - z_t) o_t^r                   n rounds with different R, merged
//   z_t^r = log sum_s exp(q_t . k_s / sqrt(K) - log N_ts)     N_ts: the number of rounds in which t sees s
//
// Without log N a word that is found twice would count twice. A word does not see itself, whose key is always the most
// similar, unless it sees no other word in any round. Sorting and buckets have no gradient: the gradient is that of the
// formula with the buckets as they are. R is drawn when the mixer is built and saved with it. Where the chunks begin
// depends on all words, so an output would change when a later word arrives: it cannot be causal word by word.
#pragma once

#include "nn/attention/mixers/four_projections.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct ReformerMixer final : Mixer {
  struct Settings {
    int64_t chunk = 16;
    int64_t directions = 4;
    int64_t rounds = 2;
    void fields(OptionFields& f) {
      f("chunk", chunk, "m, words of a chunk", {1, 4096});
      f("directions", directions, "half the number of buckets; 0: one bucket", {0, 1024});
      f("rounds", rounds, "n, hashes that are merged", {1, 16});
    }
  };
  static constexpr About about{
      .names = {"G14", "reformer", "LSH attention", "locality-sensitive hashing"},
      .formula =
          "h(t) = argmax [q R; -q R];  sort by h, cut into chunks;  softmax over the bucket in the chunk and the one "
          "before;  rounds merged by log-sum-exp",
      .paper = {"Kitaev, Kaiser and Levskaya, ICLR 2020", 2020, 3},
      .idea =
          "Random projections put similar vectors into the same bucket, and a word attends to the words of its bucket. "
          "Keys that are not similar to a query have hardly any weight. Several rounds with other projections find the "
          "pairs that the first missed.",
      .wrong =
          "With one bucket it is not ordinary attention, since queries and keys are the same and a word does not "
          "attend to itself. A word that is found in several rounds must count once.",
      .cost = "4 n T m D products beside the projections; 3 D^2 parameters; R is drawn and not learned",
      .own = {"one_bucket_is_shared_attention", "sorting_and_back_is_the_identity", "rounds_are_their_union",
              "hashes_are_seeded", kLinearCost},
      .exempt = {{kLaterWordsAreNotRead, "a later word moves the chunks in which earlier ones are"}},
  };

  ReformerMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  void visit(Visitor& v) override {
    v.child("qk_proj", qk_proj);
    v.child("v_proj", v_proj);
    v.child("out_proj", out_proj);
    if (directions.defined()) v.buffer("directions", directions);
  }
  MixerOptions options;
  Settings settings;
  Linear qk_proj, v_proj, out_proj;
  Tensor directions;  // R [n, H, K, b/2]; undefined where there is one bucket
};

// One round: the words in the order of their buckets, and where each of them went.
struct LshRound {
  Tensor bucket;  // i64 [B, H, N]: of each word; padding has one of its own. N: T filled up to whole chunks
  Tensor order;   // i64 [B, H, N]: the word at each place of the sorted row
  Tensor place;   // i64 [B, H, N]: the place of each word: the inverse
};
LshRound lsh_round(const Tensor& bucket);

}  // namespace heed::nn
