// Hard attention (Xu et al., "Show, Attend and Tell", ICML 2015, section 4.1): instead of a weighted mean, the model
// reads a single value, drawn at random with the attention weights as probabilities.
//
//   z_t ~ Cat(w_t),        context_t = v_{z_t}
//
// The draw has no derivative, so the gradient of E[log p(y | z)] is estimated with the score-function estimator
// (REINFORCE: Williams, 1992; section 4.1 of the paper):
//
//   d E[log p] ~ d log p(y | z) + lambda (log p(y | z) - b) d sum_t log w_{z_t} + eta d sum_t H[w_t]
//
// lambda is the weight of the reward. The baseline b may be any number that does not depend on z. Since
// E[d log w_z] = 0, b changes only the variance of the estimate. Here b is a moving average of the rewards of earlier
// calls, b <- 0.9 b + 0.1 log p. The entropy H[w] = -sum_s w_s log w_s rewards weights that stay spread out.
//
// With probability `soft` a sentence reads the expectation sum_s w_s v_s in place of a draw, at all its steps; then it
// has no log w_z. In evaluation mode nothing is drawn: the reader takes the value of the maximum weight.
// B batch, T queries, S keys, D width of the values.
//
//   HardRead seen = reader(attention(query, memory).weights, memory.values);
//   Variable loss = reinforce(log_likelihood, seen.log_probability, seen.entropy);       // both summed over a sentence
#pragma once

#include "nn/attention/readers/reader.h"

namespace heed::nn {

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
};

}  // namespace heed::nn
