// Functions that a change of units changes by a power alone:
//
//   f(c x) = c^k f(x),   so   df(c x) = c^(k-1) df(x)   and   d2f(c x) = c^(k-2) d2f(x)
//
// c is a power of two, so that c x is exact. What f computes on the way, squares above all, may leave the range of the
// type; its result may not, wherever c^k f(x) fits.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>

#include "autograd/backward.h"
#include "autograd/ops.h"

namespace homogeneous {

using heed::DType;
using heed::Shape;
using heed::Tensor;
using heed::Variable;
using In = const std::vector<Variable>&;

struct Row {
  std::string name;
  int degree;  // k
  std::vector<Shape> shapes;
  std::function<Variable(In, double c)> f;  // c, for an eps or a width that has units too
  double tolerance = 64;                    // in units of the last place
  double relative = 0;                      // and this share of the result beside it: what an eps changes
  double least = 0, most = INFINITY;        // the range of c; below it an eps of the formula counts
};

// f, its gradient and its gradient's gradient, in directions drawn once: the values at c times the inputs.
inline std::vector<std::vector<double>> derivatives(const Row& row, double c, DType dtype) {
  heed::Generator rng(7);
  std::vector<Variable> in, directions;
  for (const Shape& shape : row.shapes) {
    Tensor x = Tensor::uniform(shape, rng, 0.25, 2, DType::f64), v = Tensor::uniform(shape, rng, -1, 1, DType::f64);
    for (int64_t i = 0; i < x.count(); i += 3) x.data<double>()[i] *= -1;
    in.emplace_back(mul(x.to(dtype).to(DType::f64), c).to(dtype), Variable::kRequiresGrad);
    directions.emplace_back(v.to(dtype));
  }
  Variable y = row.f(in, c);
  Variable seed(Tensor::uniform(y.shape(), rng, -1, 1, DType::f64).to(dtype));
  std::vector<std::vector<double>> out{y.value().to_vector(), {}, {}, {}};
  for (const Variable& d : grad({y}, in, {.seeds = {seed}, .retain_graph = true}))
    for (double g : d.value().to_vector()) out[1].push_back(g);
  std::vector<Variable> first = grad({y}, in, {.seeds = {seed}, .create_graph = true});
  for (const Variable& d : first)
    for (double g : d.value().to_vector()) out[2].push_back(g);
  bool constant = true;
  for (const Variable& d : first) constant = constant && !d.requires_grad();
  if (constant) return out;
  for (const Variable& d : grad(first, in, {.seeds = directions, .allow_unused = true}))
    if (d.defined())
      for (double g : d.value().to_vector()) out[3].push_back(g);
  return out;
}

inline void check(const Row& row) {
  CAPTURE(row.name);
  for (DType dtype : {DType::f32, DType::f64}) {
    const bool single = dtype == DType::f32;
    const long double largest = single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    const long double smallest = single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
    const long double eps = single ? 0x1p-23L : 0x1p-52L;
    const auto usual = derivatives(row, 1, dtype);
    for (int exponent : single ? std::vector<int>{-124, -100, -66, -40, 40, 62, 66, 100, 126}
                               : std::vector<int>{-1020, -1000, -530, -300, 300, 510, 530, 1000, 1022}) {
      double c = std::ldexp(1.0, exponent);
      if (c < row.least || c > row.most) continue;
      const auto got = derivatives(row, c, dtype);
      for (size_t order = 0; order < got.size(); ++order) {
        REQUIRE(got[order].size() == usual[order].size());
        const int power = row.degree - (order < 2 ? static_cast<int>(order) : static_cast<int>(order) - 1);
        long double scale = std::pow(static_cast<long double>(c), static_cast<long double>(power)), size = 0;
        for (double v : usual[order]) size = std::max(size, std::abs(v * scale));
        size_t wrong = 0;
        std::string first;
        for (size_t i = 0; i < got[order].size(); ++i) {
          long double want = usual[order][i] * scale;
          bool right = std::abs(got[order][i] - want) <= row.tolerance * (eps * size + smallest) + row.relative * size;
          if (std::abs(want) > largest / 4) right = !(std::abs(got[order][i]) < static_cast<double>(largest / 8));
          if (!right && wrong++ == 0) first = fmt::format("{} for {}", got[order][i], static_cast<double>(want));
        }
        const char* what[] = {"value", "gradient", "recorded gradient", "second derivative"};
        CHECK_MESSAGE(wrong == 0, fmt::format("{} at 2^{}, {}: {}", name_of(dtype), exponent, what[order], first));
      }
    }
  }
}

}  // namespace homogeneous
