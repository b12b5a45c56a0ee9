// The inputs of the comparison: three kinds of text, as attention sees them.
//
//   flat    scores with standard deviation 1/2: every query reads a little of everything
//   sharp   scores with standard deviation 3: a query reads a few words, anywhere
//   local   neighbouring words are similar, and queries look for similar words: a query reads its neighbourhood
//
// x_t has length sqrt(D), so a score q_t . k_s / sqrt(D) with q = beta x Wq, k = x Wk and orthogonal Wq, Wk has
// standard deviation beta. One head; T words, D width of the model and of the head.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/functions.h"

namespace efficient {

using heed::Tensor, heed::Variable;

struct Inputs {
  std::string name;
  double beta;
  bool local = false;
};
inline std::vector<Inputs> three_inputs(double sharp) {
  return {{"flat", 0.5}, {"sharp", sharp}, {"local", sharp, true}};
}

// x [1, T, D] and the projections, [D, D] each as PyTorch has them (outputs, inputs).
struct Words {
  Tensor x, query, key, value;
};

inline Words draw(const Inputs& kind, int64_t T, int64_t D, uint64_t seed) {
  heed::Generator rng(seed, 1ull << 30);
  Words w;
  w.key = heed::nn::init::orthogonal({D, D}, rng);
  Tensor other = heed::nn::init::orthogonal({D, D}, rng);
  w.query = mul(kind.local ? w.key : other, kind.beta);
  w.value = heed::nn::init::orthogonal({D, D}, rng);
  std::vector<double> noise = heed::nn::init::normal({T, D}, rng).to_vector();
  const double memory = kind.local ? std::exp(-1.0 / 32) : 0, fresh = std::sqrt(1 - memory * memory);
  w.x = Tensor::empty({1, T, D});
  std::vector<double> now(static_cast<size_t>(D));
  for (int64_t t = 0; t < T; ++t) {
    double length = 0;
    for (int64_t d = 0; d < D; ++d) {  // each number follows that of the word before, plus noise
      double& entry = now[static_cast<size_t>(d)];
      double draw = noise[static_cast<size_t>(t * D + d)];
      entry = t == 0 ? draw : memory * entry + fresh * draw;
      length += entry * entry;
    }
    for (int64_t d = 0; d < D; ++d)
      w.x.set({0, t, d}, now[static_cast<size_t>(d)] * std::sqrt(static_cast<double>(D) / length));
  }
  return w;
}

// |a - b| / |b| over all numbers.
inline double relative_error(const Tensor& a, const Tensor& b) {
  double apart = 0, whole = 0;
  std::vector<double> x = a.to_vector(), y = b.to_vector();
  for (size_t i = 0; i < x.size(); ++i) apart += (x[i] - y[i]) * (x[i] - y[i]), whole += y[i] * y[i];
  return std::sqrt(apart / whole);
}
inline double largest_difference(const Tensor& a, const Tensor& b) {
  double worst = 0;
  std::vector<double> x = a.to_vector(), y = b.to_vector();
  for (size_t i = 0; i < x.size(); ++i) {
    double apart = std::abs(x[i] - y[i]);
    if (!(apart <= worst)) worst = apart;  // NaN stays
  }
  return worst;
}
// The same number for every word: the mean of all values. A result that is no better has not attended.
inline Tensor mean_of_values(const Words& w) {
  Variable mean = heed::mean(matmul(Variable(w.x), transpose(Variable(w.value), 0, 1)), {1}, true);
  return mean.value().expand(w.x.shape()).contiguous();
}

}  // namespace efficient
