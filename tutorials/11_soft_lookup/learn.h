// The same table with vectors that are learned: four questions and three keys, 4 numbers each, from random ones.
//
//   L = mean (soft(Q K^T) - wanted)^2         by gradient descent with Adam; the values are given
#pragma once

#include "autograd/backward.h"
#include "nn/optim/adam.h"
#include "tutorials/11_soft_lookup/table.h"

namespace lookup {

struct Training {
  int64_t steps = 1000;
  double rate = 0.03, temperature = 1, start = 0.7;  // start: standard deviation of the first vectors
  uint64_t seed = 1;
};
struct Learned {
  Tensor queries, keys;                   // [T, 4], [S, 4]
  Tensor before, after, weights;          // answers [T, D] of the first and the last step; weights [T, S]
  std::vector<double> losses, last_word;  // of each step; last_word: the first number of the last answer
};

inline Learned learn(const Tensor& values, const Tensor& wanted, const Training& t) {
  heed::Generator rng(t.seed);
  Variable queries(Tensor::normal({wanted.size(0), 4}, rng, 0, t.start, heed::DType::f64), Variable::kRequiresGrad);
  Variable keys(Tensor::normal({values.size(0), 4}, rng, 0, t.start, heed::DType::f64), Variable::kRequiresGrad);
  heed::nn::Adam adam({{"queries", queries}, {"keys", keys}}, {.learning_rate = t.rate});
  Learned out;
  for (int64_t s = 0; s <= t.steps; ++s) {
    Answer answer = soft(dot_scores(queries, keys), values, t.temperature);
    Variable loss = mse_loss(answer.values, wanted);
    out.losses.push_back(loss.item());
    out.last_word.push_back(answer.values.value().at({wanted.size(0) - 1, 0}));
    out.after = answer.values.value(), out.weights = answer.weights.value();
    if (s == 0) out.before = out.after;
    if (s == t.steps) break;
    adam.zero_grad();
    backward(loss);
    adam.step();
  }
  out.queries = queries.value().clone(), out.keys = keys.value().clone();
  return out;
}

}  // namespace lookup
