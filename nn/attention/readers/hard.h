// Hard attention ("Show, Attend and Tell", section 4.1): instead of a weighted mean, the model reads a single value.
// The gradient of E[log p(y | z)] is estimated with the score-function estimator (REINFORCE: Williams, 1992):
//
//   d E[log p] ~ d log p(y | z) + lambda (log p(y | z) - b) d sum_t log w_{z_t} + eta d sum_t H[w_t]
//
// lambda is the weight of the reward. The baseline b is a moving average of the rewards of earlier calls, b <- 0.9 b +
// 0.1 log p. The entropy H[w] = -sum_s w_s log w_s rewards weights that stay spread out.
//
// With probability `soft` a sentence reads the expectation sum_s w_s v_s in place of a draw, at all its steps; then it
// has no log w_z. In evaluation mode nothing is drawn: the reader takes the value of the maximum weight. B batch, T
// queries, S keys, D width of the values.
//
//   HardRead seen = reader(attention(query, memory).weights, memory.values);
//   Variable loss = reinforce(log_likelihood, seen.log_probability, seen.entropy);       // both summed over a sentence
#pragma once

#include "nn/attention/readers/reader.h"

namespace heed::nn {

inline constexpr About kAboutHardGumbel{
    .names = {"D2", "hard_gumbel", "hard attention by Gumbel straight-through", "B8"},
    .formula = "context = v_z, z = argmax(e + g); backward: the context of softmax((e + g) / tau)",
    .paper = {"Jang, Gu and Poole; Maddison, Mnih and Teh; both ICLR 2017", 2017, 1},
    .idea =
        "One value is read, chosen by scores with Gumbel noise. The backward pass uses the gradient of the soft "
        "mixture instead. So it trains like soft attention and reads like hard attention.",
    .wrong =
        "A low temperature gives a gradient with a small bias and much noise, a high temperature one with a large bias "
        "and little noise.",
    .shapes = "e [B, T, S], values [B, S, D] -> context [B, T, D]",
    .cost = "B T S draws and exponentials, B T S D products",
    .own = {"rows_are_one_hot", "choices_follow_the_weights"},
    .exempt =
        {{"gradient", "the straight-through gradient is biased by design; B8 checks it against its surrogate"},
         {"keys_may_be_permuted", "the random numbers are drawn by position, so a permutation changes the choices"},
         {"padded_after_is_alone",
          "each place draws a random number, padding too, so a row without padding draws others"},
         {"padded_before_is_alone",
          "each place draws a random number, padding too, so a row without padding draws others"},
         {"queries_may_be_permuted", "the random numbers are drawn by position, so a permutation changes the choices"},
         {"step_by_step_is_parallel", "decoding step by step and the parallel pass draw different random numbers"}},
    .tried = "gumbel:temperature=0.1",
    .option = "normaliser",
    .text = "gumbel:temperature=0.1",
};

// Reads with given choices: context = v_z. Where a row of weights is all 0, the context is 0 whatever the choice.
// weights [B, T, S] with rows that sum to 1 or to 0, values [B, S, D], chosen [B, T] i64 in [0, S).
HardRead read_chosen(const Variable& weights, const Variable& values, const Tensor& chosen);

struct HardReaderOptions {
  double soft = 0.5;  // probability that a sentence reads the expectation; in [0, 1]
};

struct HardReader : Module {
  using Options = HardReaderOptions;
  HardReader(const Options& options, Generator& rng);
  HardRead operator()(const Variable& weights, const Variable& values) const;
  void visit(Visitor& v) { v.generator("generator", rng); }
  Options options;
  mutable Generator rng;  // the only state that a call changes
};

struct ReinforceOptions {
  double reward = 1;   // lambda
  double entropy = 0;  // eta
  double decay = 0.9;  // of the baseline; in [0, 1)
};

// The surrogate loss: its gradient is minus the estimator above, averaged over the sentences.
struct Reinforce : Module {
  using Options = ReinforceOptions;
  Reinforce(const Options& options, Generator& rng);
  // log_likelihood [B] is log p(y | z) of each sentence; log_probability and entropy [B, T] are those of its T choices.
  // A call uses the baseline from the calls before it and then, in training mode, updates it.
  Variable operator()(const Variable& log_likelihood, const Variable& log_probability, const Variable& entropy);
  void visit(Visitor& v) { v.buffer("baseline", baseline); }
  Options options;
  Tensor baseline = Tensor::zeros({}, DType::f64);  // b
};

// Both together, as a decoder's reader: hard:soft=0.5,reward=1,entropy=0,decay=0.9.
struct HardAttention final : Reader {
  struct Settings {
    double soft = 0.5;
    double reward = 1;
    double entropy = 0;
    double decay = 0.9;
    void fields(OptionFields& f) {
      f("soft", soft, "probability that a sentence reads the weighted mean instead of a draw", {0, 1});
      f("reward", reward, "lambda, the weight of the score-function term", {0, 1e6});
      f("entropy", entropy, "eta, the weight of the entropy of the weights", {0, 1e6});
      f("decay", decay, "of the baseline, a moving average of the log-likelihood", {0, 0.9999999});
    }
  };
  static constexpr About about{
      .names = {"D1", "hard", "hard stochastic attention", "REINFORCE"},
      .formula = "z ~ Cat(w), context = v_z;  d = (log p(y|z) - b) d log w_z + d log p(y|z)",
      .paper = {"Xu et al. (Show, Attend and Tell), ICML 2015", 2015, 1},
      .idea =
          "One word is drawn with the attention weights as probabilities, and only its value is read. A draw has no "
          "derivative, so the weights learn from how good the results of the draws are. Subtracting a baseline, such "
          "as the average result, does not change the mean of the gradient but makes it far less noisy.",
      .wrong = "The baseline must not depend on the draw, or the gradient becomes biased.",
      .shapes = "w [B, T, S], values [B, S, D] -> context [B, T, D], log w_z [B, T]",
      .cost = "B T draws, B T S D products",
      .own = {"expectation_is_the_gradient", "constant_baseline_changes_nothing", "golden_variances",
              "baseline_does_not_see_its_own_choice", "choices_follow_the_weights", "entropy_bonus",
              "half_the_sentences_read_softly"},
      .exempt = {{"keys_may_be_permuted",
                  "the random numbers are drawn by position, so a permutation changes the choices"},
                 {"padded_after_is_alone",
                  "each place draws a random number, padding too, so a row without padding draws others"},
                 {"padded_before_is_alone",
                  "each place draws a random number, padding too, so a row without padding draws others"},
                 {"queries_may_be_permuted",
                  "the random numbers are drawn by position, so a permutation changes the choices"},
                 {"step_by_step_is_parallel",
                  "decoding step by step and the parallel pass draw different random numbers"}},
      .cases = "read_chosen",
  };

  HardAttention(const StageOptions& options, Generator& rng);
  HardRead operator()(const Variable& weights, const Variable& values) const override;
  Variable penalty(const Variable& log_likelihood, const Variable& log_probability,
                   const Variable& entropy) const override;
  void visit(Visitor& v) override {
    v.child("reader", reader);
    v.child("rule", rule);
  }
  HardReader reader;
  mutable Reinforce rule;  // a call in training mode moves its baseline

 private:
  HardAttention(const Settings& settings, Generator& rng);
};

}  // namespace heed::nn
