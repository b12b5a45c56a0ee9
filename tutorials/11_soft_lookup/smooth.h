// Nadaraya-Watson regression: a curve from noisy points. It is attention: the question is a place x, the keys are the
// places of the points, the values their heights.
//
//   e_ij = -(x_i - x_j)^2 / (2 s^2)      w = softmax(e)      f(x_i) = sum_j w_ij y_j        s: the kernel's width
//
// s near 0: the nearest point alone. s large: the plain average of all.
#pragma once

#include "autograd/backward.h"
#include "nn/optim/adam.h"
#include "tensor/compare.h"
#include "tutorials/11_soft_lookup/table.h"

namespace lookup {

struct Points {
  Tensor x, y;  // [N] each
};

inline double truth(double x) { return std::sin(2 * x) + 0.5 * x; }

inline Points noisy_points(int64_t count, double noise, heed::Generator& rng) {
  std::vector<double> x, y;
  for (int64_t i = 0; i < count; ++i) x.push_back(5 * rng.uniform());
  std::sort(x.begin(), x.end());
  for (double at : x) y.push_back(truth(at) + noise * rng.normal());
  return {Tensor::from(x, {count}), Tensor::from(y, {count})};
}
inline Points grid(int64_t count) {  // the curve itself
  Tensor x = Tensor::linspace(0, 5, count, heed::DType::f64);
  std::vector<double> y;
  for (double at : x.to_vector()) y.push_back(truth(at));
  return {x, Tensor::from(y, {count})};
}

// Questions at x [T] -> values [T, 1], weights [T, N]. The width is given as its logarithm, so it stays above 0.
inline Answer smooth(const Tensor& x, const Points& points, const Variable& log_width, const Tensor& allowed = {}) {
  Variable distance = sub(Variable(x.unsqueeze(1)), Variable(points.x.unsqueeze(0)));  // [T, N]
  Variable scores = square(distance) * (exp(log_width * -2.0) * -0.5);
  return soft(scores, points.y.unsqueeze(1), 1, allowed);
}
inline Answer smooth(const Tensor& x, const Points& points, double width, const Tensor& allowed = {}) {
  return smooth(x, points, Variable(Tensor::scalar(std::log(width), heed::DType::f64)), allowed);
}

// bool [1, N, N], false on the diagonal: each point is predicted from the others. With itself among the keys it would
// predict itself.
inline Tensor not_itself(int64_t count) { return equal(Tensor::eye(count), 0).unsqueeze(0); }

inline double mean_square(const Tensor& a, const Tensor& b) {  // [T, 1], [T]
  return mse_loss(Variable(a.reshape({-1})), Variable(b)).item();
}

struct Width {
  std::vector<double> widths, losses;  // of each step
};
// Gradient descent on log s: the points are the training data.
inline Width learn_width(const Points& points, const Tensor& allowed, double start, int64_t steps) {
  Variable log_width(Tensor::scalar(std::log(start), heed::DType::f64), Variable::kRequiresGrad);
  heed::nn::Adam adam({{"log_width", log_width}}, {.learning_rate = 0.02});
  Width out;
  for (int64_t s = 0; s < steps; ++s) {
    Variable loss = mse_loss(smooth(points.x, points, log_width, allowed).values, points.y.unsqueeze(1));
    out.widths.push_back(std::exp(log_width.item())), out.losses.push_back(loss.item());
    adam.zero_grad();
    backward(loss);
    adam.step();
  }
  return out;
}

}  // namespace lookup
