// Hints, common mistakes and checks of exercise 29.2.
#include "tutorials/29_explain/exercises/2_gradient.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Vector;
using Answer = std::function<Vector(const std::vector<Vector>&, const Vector&, const Vector&, bool)>;

struct Parts {  // of word i
  double s, w, z, y;
  bool constant;
};
Answer with(const std::function<double(const Parts&)>& g) {
  return [g](const std::vector<Vector>& x, const Vector& q, const Vector& u, bool constant) {
    auto dot = [](const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); };
    double total = 0, y = 0;
    for (const Vector& v : x) total += std::exp(dot(q, v));
    for (const Vector& v : x) y += std::exp(dot(q, v)) / total * dot(u, v);
    Vector out;
    for (const Vector& v : x) {
      double s = dot(q, v);
      out.push_back(g({s, std::exp(s) / total, dot(u, v), y, constant}));
    }
    return out;
  };
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"The gap is still open: all numbers are 0. Begin with the weights, softmax(q . x_i)",
     with([](const Parts&) { return 0.0; })},
    {"You always hold the weights constant: if constant_weights is false, x_i also acts through the weights",
     with([](const Parts& p) { return std::abs(p.w * p.z); })},
    {"You never hold the weights constant: if constant_weights is true, leave out what goes through the weights",
     with([](const Parts& p) { return std::abs(p.w * (p.z + (p.z - p.y) * p.s)); })},
    {"The term through z_i lacks the weight: dy/dz_i is w_i",
     with([](const Parts& p) { return std::abs(p.z + (p.constant ? 0 : p.w * (p.z - p.y) * p.s)); })},
    {"x_i changes all weights, because they sum to 1: the second term has z_i - y, where you have z_i",
     with([](const Parts& p) { return std::abs(p.w * (p.z + (p.constant ? 0 : p.z * p.s))); })},
    {"You use the softmax's derivative for j = i only, w_i (1 - w_i): add those of the other weights, -w_j w_i",
     with([](const Parts& p) { return std::abs(p.w * (p.z + (p.constant ? 0 : (1 - p.w) * p.z * p.s))); })},
    {"Without constant weights, the term through z_i is still there: add both terms",
     with([](const Parts& p) { return std::abs(p.w * (p.constant ? p.z : (p.z - p.y) * p.s)); })},
    {"Your numbers have a sign: take the absolute value at the end",
     with([](const Parts& p) { return p.w * (p.z + (p.constant ? 0 : (p.z - p.y) * p.s)); })},
    {"You take the absolute value of each term: add the two terms first",
     with([](const Parts& p) { return p.w * (std::abs(p.z) + (p.constant ? 0 : std::abs((p.z - p.y) * p.s))); })},
};

// The same by automatic differentiation.
Vector by_backward(const std::vector<Vector>& x, const Vector& q, const Vector& u, bool constant) {
  auto T = std::ssize(x), D = std::ssize(q);
  Vector flat;
  for (const Vector& v : x) flat.insert(flat.end(), v.begin(), v.end());
  Variable in(Tensor::from(flat, {T, D}), Variable::kRequiresGrad);
  Variable w = softmax(matmul(in, Variable(Tensor::from(q, {D}))));
  if (constant) w = w.detach();
  Variable y = sum(w * matmul(in, Variable(Tensor::from(u, {D}))));
  Tensor g = heed::grad({y}, {in})[0].value();
  return abs(sum(mul(g, in.value()), Dims{1}, false)).to_vector();
}

void examine(app::Exercise& e, const Answer& importance) {
  Generator rng(11);
  auto drawn = [&](int64_t n) { return Tensor::normal({n}, rng, 0, 1, DType::f64).to_vector(); };
  for (int64_t T : {3, 6}) {
    constexpr int64_t D = 4;
    std::vector<Vector> x;
    for (int64_t i = 0; i < T; ++i) x.push_back(drawn(D));
    Vector q = drawn(D), u = drawn(D);
    e.check("weights held constant", importance(x, q, u, true), by_backward(x, q, u, true), 1e-9);
    e.check("through the weights, too", importance(x, q, u, false), by_backward(x, q, u, false), 1e-9);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("29", 2, "The gradient of attention pooling");
  e.hint("With constant weights, y = sum_i w_i u . x_i, so dy/dx_i = w_i u.");
  e.hint("dy/ds_i = sum_j z_j w_j ([i = j] - w_i). One of the sums is y.");
  e.hint("dy/dx_i = w_i u + w_i (z_i - y) q. Multiply by x_i: u . x_i is z_i, and q . x_i is s_i.");
  e.insight(
      "Over embeddings, w_i is a factor of the gradient. The two agree because of the formula, and not because both\n"
      "found the reason. A BiLSTM passes each word on to all positions, and the factor is gone.",
      "./heed exercise 29 3");
  return e.run(argc, argv, Answer(mine::importance), examine, mistakes);
}
