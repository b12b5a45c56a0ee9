// Dilated attention, of LongNet. Branch i = 0, 1, .. has segments of w_i = w a^i words and reads each r_i = a^i-th
// word:
//
//   branch i   in each segment, head h keeps the words at the offset h mod r_i, every r_i-th word; a word that is kept
//              reads those of its segment that are kept, o_i, with the denominator d_i = sum_s exp(q . k_s / sqrt(K))
//   output     sum_i d_i o_i / sum_i d_i, over the branches that keep the word
//
// Branch 0 keeps all words. Merged by their denominators, the branches are one softmax in which a pair of words counts
// once for each branch that has it, so its score gets the logarithm of that number c:
//
//   y_t = sum_s c_ts exp(q_t . k_s / sqrt(K)) v_s / sum_s c_ts exp(q_t . k_s / sqrt(K))
//
// This is how it is computed here, over all T^2 pairs. The authors' program differs in three ways: neighbouring heads
// share an offset, no gradient passes through the weights of the merge, and padding is read where it is not causal.
// T words, H heads, K width of a head.
#pragma once

#include "nn/attention/mixers/own_heads.h"
#include "nn/attention/stage.h"

namespace heed::nn {

struct LongNetMixer final : OwnHeadsMixer {
  struct Settings {
    int64_t segment = 2048;
    int64_t ratio = 2;
    int64_t branches = 5;
    void fields(OptionFields& f) {
      f("segment", segment, "w, words of a segment in the first branch, which reads each of them", {1, 1048576});
      f("ratio", ratio, "a, by which segments and distances grow from branch to branch", {1, 64});
      f("branches", branches, "number of branches", {1, 16});
    }
  };
  static constexpr About about{
      .names = {"K8", "longnet", "dilated attention"},
      .formula = "softmax(q k^T / sqrt(K) + log c) v, c_ts: branches (w a^i, a^i) in which head h reads s from t",
      .paper = {"Ding et al., 2023", 2023, 4},
      .idea =
          "A word reads near words one by one, and far words more and more rarely. Each branch has longer segments and "
          "reads a smaller share of their words, so that all branches cost the same. The heads begin at different "
          "words, so together they read more of them.",
      .wrong =
          "The branches must be merged by the denominators of their softmax. An average with fixed weights would give "
          "a branch with few words as much as one with many.",
      .cost = "2 T (w_0 + w_1 / a^2 + ..) D products in a kernel, 2 T^2 D under the mask here; 4 D^2 parameters",
      .own = {"one_branch_of_all_is_attention", "branches_merge_by_their_denominators"},
  };

  LongNetMixer(const MixerOptions& options, Generator& rng);
  Tensor counts(int64_t T) const;  // c, f64 [1, H, T, T]
  Settings settings;

 protected:
  Attended read(const OwnHeads& heads) const override;
};

}  // namespace heed::nn
