// Hard attention (Xu et al., "Show, Attend and Tell", ICML 2015, section 4.1): one value is read, and which one is
// drawn.
//
//   z_t ~ Cat(w_t),        context_t = v_{z_t}
//
// The draw has no derivative, so the gradient of E[log p(y | z)] is estimated by the score function (REINFORCE:
// Williams, 1992; the estimator of section 4.1):
//
//   d E[log p] ~ d log p(y | z) + lambda (log p(y | z) - b) d sum_t log w_{z_t} + eta d sum_t H[w_t]
//
// lambda weighs the reward. b may be any number that does not depend on z: E[d log w_z] = 0, so b changes the variance
// and nothing else. Here b is a moving average of the rewards of earlier steps, b <- 0.9 b + 0.1 log p. The entropy
// H[w] = -sum_s w_s log w_s keeps the choice open.
//
// With probability `soft` a sentence reads the expectation sum_s w_s v_s in place of a draw, at all its steps; then it
// has no log w_z. An evaluated reader draws nothing: it reads the value of the largest weight.
// B batch, T queries, S keys, D width of the values.
//
//   HardRead seen = reader(attention(query, memory).weights, memory.values);
//   Variable loss = reinforce(log_likelihood, seen.log_probability, seen.entropy);       // both summed over a sentence
#pragma once

#include "nn/module.h"

namespace heed::nn {

struct HardRead {
  Variable context;          // [B, T, D]
  Variable weights;          // [B, T, S], what was read of each key: one-hot, or the weights where it read softly
  Variable log_probability;  // [B, T], log w_z; 0 where nothing was drawn
  Variable entropy;          // [B, T], of the weights
  Tensor chosen = {};        // [B, T] i64, z; 0 where there is nothing to choose from
};

// The reading of given choices: context = v_z. A row of weights that is all 0 reads 0, whatever was chosen.
// weights [B, T, S] with rows that sum to 1 or to 0, values [B, S, D], chosen [B, T] i64 in [0, S).
HardRead read_chosen(const Variable& weights, const Variable& values, const Tensor& chosen);

struct HardReaderOptions {
  double soft = 0.5;  // the probability that a sentence reads the expectation; in [0, 1]
};

struct HardReader : Module {
  using Options = HardReaderOptions;
  HardReader(const Options& options, Generator& rng);
  HardRead operator()(const Variable& weights, const Variable& values) const;
  void visit(Visitor& v) { v.generator("generator", rng); }
  Options options;
  mutable Generator rng;  // the only thing a call changes
};

struct ReinforceOptions {
  double reward = 1;   // lambda
  double entropy = 0;  // eta
  double decay = 0.9;  // of the baseline; in [0, 1)
};

// The surrogate loss whose gradient is minus the estimator above, as a mean over the sentences.
struct Reinforce : Module {
  using Options = ReinforceOptions;
  Reinforce(const Options& options, Generator& rng);
  // log_likelihood [B], log p(y | z) of each sentence; log_probability and entropy [B, T], of its T choices. The
  // baseline that it uses is that of the calls before; trained, it then moves.
  Variable operator()(const Variable& log_likelihood, const Variable& log_probability, const Variable& entropy);
  void visit(Visitor& v) { v.buffer("baseline", baseline); }
  Options options;
  Tensor baseline = Tensor::zeros({}, DType::f64);  // b
};

}  // namespace heed::nn
