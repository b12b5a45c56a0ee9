// The six versions of the product by name, the error of each, and its memory accesses.
//
//   error of an element = |C[i, j] - exact[i, j]| / sum_k |A[i, k] B[k, j]|
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tensor/elementwise.h"
#include "tensor/matmul.h"
#include "tensor/reduce.h"
#include "tutorials/01_tensors/ladder.h"

namespace heed {

struct Rung {
  std::string name;
  bool all_threads;
  std::function<void(const Sizes&, const Tensor& a, const Tensor& b, Tensor& c)> multiply;  // f32, contiguous
};

inline Tensor room_for_strips(const Sizes& s) { return Tensor::empty({s.strips(), s.K, kTileColumns}); }

inline std::vector<Rung> rungs() {
  const auto in = [](const Tensor& t) -> const float* { return t.data<float>(); };
  return {
      {"1 formula, i-j-k", false,
       [=](const Sizes& s, const Tensor& a, const Tensor& b, Tensor& c) { formula(s, in(a), in(b), c.data<float>()); }},
      {"2 loop order, i-k-j", false,
       [=](const Sizes& s, const Tensor& a, const Tensor& b, Tensor& c) {
         loop_order(s, in(a), in(b), c.data<float>());
       }},
      {"3 register tile", false,
       [=](const Sizes& s, const Tensor& a, const Tensor& b, Tensor& c) {
         register_tile(s, in(a), in(b), c.data<float>());
       }},
      {"4 packing", false,
       [=](const Sizes& s, const Tensor& a, const Tensor& b, Tensor& c) {
         packed(s, in(a), in(b), c.data<float>(), room_for_strips(s).data<float>());
       }},
      {"5 threads", true,
       [=](const Sizes& s, const Tensor& a, const Tensor& b, Tensor& c) {
         threads(s, in(a), in(b), c.data<float>(), room_for_strips(s).data<float>());
       }},
      {"6 the library", true, [](const Sizes&, const Tensor& a, const Tensor& b, Tensor& c) { c = matmul(a, b); }}};
}

// Two random matrices, their exact product (in f64), and the size of each sum: sum_k |A[i, k] B[k, j]|.
struct Task {
  Sizes s;
  Tensor a, b, exact, size;  // a, b f32; exact, size f64 [M, N]
};
inline Task make_task(const Sizes& s, Generator& rng) {
  Task t{s, Tensor::normal({s.M, s.K}, rng), Tensor::normal({s.K, s.N}, rng), {}, {}};
  t.exact = matmul_reference(t.a.to(DType::f64), t.b.to(DType::f64));
  t.size = matmul(abs(t.a).to(DType::f64), abs(t.b).to(DType::f64));
  return t;
}

inline Tensor product_by(const Rung& rung, const Task& t) {
  Tensor c = Tensor::full({t.s.M, t.s.N}, NAN);  // an element that is never written stays NaN
  rung.multiply(t.s, t.a, t.b, c);
  return c;
}

// The largest error of all elements, divided by the size of the element's sum; NaN if any element is NaN.
inline double worst_error(const Task& t, const Tensor& c) {
  double worst = 0;
  for (double error : div(abs(sub(c.to(DType::f64), t.exact)), t.size).to_vector())
    worst = std::isnan(error) || std::isnan(worst) ? NAN : std::max(worst, error);
  return worst;
}

// Memory accesses and jumps of versions 1 to 4, each run once on memory that counts.
inline std::vector<Tally> count_rungs(const Task& t) {
  Tensor out = Tensor::empty({t.s.M, t.s.N}), room = room_for_strips(t.s);
  auto count = [&](auto rung) {
    Tally of[4];
    CountedTouches<const float> a{t.a.data<float>(), &of[0]}, b{t.b.data<float>(), &of[1]};
    rung(a, b, CountedTouches<float>{out.data<float>(), &of[2]}, CountedTouches<float>{room.data<float>(), &of[3]});
    Tally all;
    for (const Tally& one : of) all.touches += one.touches, all.jumps += one.jumps;
    return all;
  };
  return {count([&](auto a, auto b, auto c, auto) { formula(t.s, a, b, c); }),
          count([&](auto a, auto b, auto c, auto) { loop_order(t.s, a, b, c); }),
          count([&](auto a, auto b, auto c, auto) { register_tile(t.s, a, b, c); }),
          count([&](auto a, auto b, auto c, auto strips) { packed(t.s, a, b, c, strips); })};
}

}  // namespace heed
