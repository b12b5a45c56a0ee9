// A check of the score-function estimator: its mean over all choices by enumeration, its variance by drawing.
// (REINFORCE: Williams 1992. z: the drawn patches, w_t: attention weights, b: baseline.)
//
//   L = E_z[log p(y | z)] = sum_z p(z) log p(y | z),      p(z) = prod_t w_t(z_t)
//   g(z) = d log p(y | z) + (log p(y | z) - b) d log p(z),       E_z[g(z)] = dL for any b
#pragma once

#include <cmath>

#include "tutorials/16_hard_and_soft/training.h"

namespace hard_soft {

using Gradient = std::vector<double>;  // with respect to all given parameters, concatenated

inline Gradient gradient_of(const Variable& y, const std::vector<Variable>& by) {
  Gradient out;
  std::vector<Variable> g = heed::grad({sum(y)}, by, {.retain_graph = true, .allow_unused = true});
  for (size_t i = 0; i < by.size(); ++i) {
    std::vector<double> values =
        g[i].defined() ? g[i].value().to_vector() : Gradient(static_cast<size_t>(by[i].count()));
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}
inline double length(const Gradient& g) {
  double squares = 0;
  for (double x : g) squares += x * x;
  return std::sqrt(squares);
}
inline Gradient plus(Gradient a, const Gradient& b, double factor) {
  a.resize(b.size());
  for (size_t i = 0; i < b.size(); ++i) a[i] += factor * b[i];
  return a;
}
inline double largest_difference(const Gradient& a, const Gradient& b) {
  double most = 0;
  for (size_t i = 0; i < b.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// ---- the mean -------------------------------------------------------------------------------------------------------
// The caption "red square" and its end mark, with the four patches of the upper left corner only: 4^3 = 64 sequences of
// draws. In f64.
struct SmallCase {
  explicit SmallCase(const data::PictureTask& task) {
    data::PictureBatch b = picture_batch(task, {data::make_picture({{}})}, {0});
    patches = b.patches.to(heed::DType::f64);
    target_in = b.target_in;
    target_out = b.target_out;
  }
  Told told(const Captioner& m, const Tensor& chosen, int64_t copies = 1) const {
    auto copied = [&](const Tensor& t) {
      heed::Shape shape = t.shape();
      shape[0] = copies;
      return t.expand(shape).contiguous();
    };
    Variable a = slice(m.annotations(patches), 1, 0, kPatches);  // [1, 4, D]
    return tell(m, expand(a, {copies, kPatches, a.size(2)}), copied(target_in), copied(target_out), chosen);
  }
  template <class F>
  void for_each_choice(const Captioner& m, const F& f) const {
    int64_t T = target_in.size(1);
    for (int64_t number = 0; number < std::lround(std::pow(kPatches, T)); ++number) {
      std::vector<int64_t> z;
      for (int64_t t = 0, rest = number; t < T; ++t, rest /= kPatches) z.push_back(rest % kPatches);
      f(told(m, Tensor::from(z, {1, T})));
    }
  }
  static constexpr int64_t kPatches = 4;
  Tensor patches, target_in, target_out;
};

inline Gradient exact_gradient(const Captioner& m, const SmallCase& c, const std::vector<Variable>& by) {
  Variable expected(Tensor::zeros({1}, heed::DType::f64));
  c.for_each_choice(
      m, [&](const Told& told) { expected = expected + exp(sum(told.log_probability, {1})) * told.log_likelihood; });
  return gradient_of(expected, by);
}

// The mean of the estimator: its value for every sequence of draws times the probability of that sequence. Without the
// score term it is the gradient that results if one forgets that the draws depend on the parameters, too.
struct EstimatorOptions {
  double baseline = 0;
  bool score_term = true;
};
inline Gradient expected_estimate(const Captioner& m, const SmallCase& c, const std::vector<Variable>& by,
                                  const EstimatorOptions& o) {
  Gradient total;
  heed::Generator unused(1);
  c.for_each_choice(m, [&](const Told& told) {
    nn::Reinforce reinforce({.reward = o.score_term ? 1.0 : 0.0}, unused);
    reinforce.baseline = Tensor::scalar(o.baseline, heed::DType::f64);
    Variable loss = reinforce(told.log_likelihood, told.log_probability, told.entropy);
    total = plus(total, gradient_of(loss, by), -std::exp(sum(told.log_probability).item()));
  });
  return total;
}

// The mean of `draws` estimates from random draws, as in training: with REINFORCE or with straight-through.
inline Gradient drawn_estimate(const Captioner& m, const SmallCase& c, const std::vector<Variable>& by, double baseline,
                               int64_t draws) {
  heed::Generator unused(1);
  nn::Reinforce reinforce({}, unused);
  reinforce.baseline = Tensor::scalar(baseline, heed::DType::f64);
  Told told = c.told(m, {}, draws);
  if (m.options.reading != "reinforce") return gradient_of(mean(told.log_likelihood), by);
  return plus({}, gradient_of(reinforce(told.log_likelihood, told.log_probability, told.entropy), by), -1);
}

// ---- the variance ---------------------------------------------------------------------------------------------------
// The variance of single estimates of the gradient of the attention, summed over its parameters: E|g|^2 - |E g|^2 over
// the draws for one picture, averaged over pictures.
struct Variances {
  double none = 0, moving = 0, own = 0;  // b = 0; b = mean reward of many pictures; b = mean reward of this picture
  double reward = 0;                     // the mean of log p(y | z)
};

inline Variances measure_variance(Captioner& m, const data::PictureTask& task, int64_t pictures, int64_t draws) {
  std::vector<Variable> by = nn::parameters(m.attention);
  std::vector<int64_t> many;
  for (int64_t i = 0; i < 128; ++i) many.push_back(i);
  Variances v;
  auto told_of = [&](const std::vector<int64_t>& members) {
    data::PictureBatch b = picture_batch(task, task.train, members);
    return tell(m, m.annotations(b.patches), b.target_in, b.target_out);
  };
  {
    heed::NoGrad guard;
    v.reward = mean(told_of(many).log_likelihood).item();
  }
  for (int64_t p = 0; p < pictures; ++p) {
    std::vector<Gradient> of_likelihood, of_choice;
    std::vector<double> rewards;
    for (int64_t d = 0; d < draws; ++d) {
      Told told = told_of({p});
      of_likelihood.push_back(gradient_of(told.log_likelihood, by));
      of_choice.push_back(gradient_of(told.log_probability, by));
      rewards.push_back(told.log_likelihood.item());
    }
    double own = std::accumulate(rewards.begin(), rewards.end(), 0.0) / static_cast<double>(draws);
    auto variance = [&](double baseline) {
      Gradient total;
      double squares = 0;
      for (size_t d = 0; d < rewards.size(); ++d) {
        Gradient g = plus(of_likelihood[d], of_choice[d], rewards[d] - baseline);
        total = plus(total, g, 1);
        squares += std::pow(length(g), 2);
      }
      auto n = static_cast<double>(draws);
      return (squares - std::pow(length(total), 2) / n) / (n - 1) / static_cast<double>(pictures);
    };
    v.none += variance(0);
    v.moving += variance(v.reward);
    v.own += variance(own);
  }
  return v;
}

}  // namespace hard_soft
