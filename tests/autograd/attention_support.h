// What the tests of tiled attention share: inputs, masks, block lists, one run forward and backward, differences of
// runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tests/run_test_case.h"

namespace heed {

inline Tensor normal(const Shape& shape, uint64_t seed, DType dtype = DType::f32) {
  Generator rng(seed);
  return Tensor::normal(shape, rng, 0, 1, DType::f64).to(dtype);
}

struct Run {
  Tensor context, dq, dk, dv, dbias;  // dbias is undefined without a bias among the inputs
};
using Attention = Variable (*)(const Variable&, const Variable&, const Variable&, const Variable&,
                               const AttentionTiles&);
inline Run run(Attention f, const std::vector<Tensor>& in, const AttentionTiles& o) {
  std::vector<Variable> x;
  for (const Tensor& t : in) x.emplace_back(t, Variable::kRequiresGrad);
  Variable c = f(x[0], x[1], x[2], x.size() > 3 ? x[3] : Variable(), o);
  backward(sum(c * Variable(normal(c.shape(), 99, c.dtype()))));
  return {c.value(), x[0].grad(), x[1].grad(), x[2].grad(), x.size() > 3 ? x[3].grad() : Tensor()};
}
inline std::vector<Tensor> inputs(int64_t B, int64_t T, int64_t S, int64_t H, int64_t G, int64_t K, int64_t V,
                                  DType dtype) {
  return {normal({B, T, H, K}, 1, dtype), normal({B, S, G, K}, 2, dtype), normal({B, S, G, V}, 3, dtype)};
}
inline Tensor some_allowed(const Shape& shape, uint64_t seed) {
  Generator rng(seed);
  Tensor u = Tensor::uniform(shape, rng), mask = Tensor::empty(shape, DType::boolean);
  for (int64_t i = 0; i < mask.count(); ++i) mask.data<bool>()[i] = u.data<float>()[i] < 0.7f;
  return mask;
}
inline BlockList some_blocks(int64_t size, int64_t T, int64_t S, uint64_t seed) {
  return {size, some_allowed({(T + size - 1) / size, (S + size - 1) / size}, seed)};
}

// Against the largest number of each result, or 1.
inline double difference(const Tensor& a, const Tensor& b) {
  double largest = 1;
  for (double x : b.to_vector()) largest = std::max(largest, std::abs(x));
  return max_abs_difference(a, b) / largest;
}
inline double greatest(std::initializer_list<double> all) {  // std::max would pass over a NaN
  double most = 0;
  for (double x : all) most = std::isnan(x) ? x : std::max(most, x);
  return most;
}
inline double largest_difference(const Run& a, const Run& b) {
  return greatest({difference(a.context, b.context), difference(a.dq, b.dq), difference(a.dk, b.dk),
                   difference(a.dv, b.dv), b.dbias.defined() ? difference(a.dbias, b.dbias) : 0});
}

}  // namespace heed
