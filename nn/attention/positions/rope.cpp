#include "nn/attention/positions/rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/attach.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"

namespace heed::nn {
namespace {

void check(const Variable& x, const RopeOptions& o) {
  require_float("rotate_pairs", x.dtype());
  if (x.rank() != 4 || x.size(3) % 2 != 0)
    throw ShapeError(
        fmt::format("rotate_pairs: needs x [B, T, H, K] of an even width K; got {}", to_string(x.shape())));
  if (!o.thetas.empty() && 2 * static_cast<int64_t>(o.thetas.size()) != x.size(3))
    throw ValueError(
        fmt::format("rotate_pairs: there must be one theta for each pair of entries; got {} for a width of {}",
                    o.thetas.size(), x.size(3)));
}

// The rows of the angle table that a call needs: positions first .. first + count - 1, and the row of each word.
struct Rows {
  Rows(const Variable& x, const RopeOptions& o) : T(x.size(1)), first(o.first), count(T) {
    if (!o.at.defined()) return;
    if (!(o.at.shape() == Shape{x.size(0), T}) || o.at.dtype() != DType::i64)
      throw ShapeError(fmt::format("rotate_pairs: places must be i64 {}; got {} {}", to_string(Shape{x.size(0), T}),
                                   name_of(o.at.dtype()), to_string(o.at.shape())));
    const Tensor places = o.at.contiguous();
    const int64_t* p = places.data<int64_t>();
    at.assign(p, p + places.count());
    first = at.empty() ? 0 : *std::min_element(at.begin(), at.end());
    count = at.empty() ? 0 : *std::max_element(at.begin(), at.end()) - first + 1;
  }
  int64_t of(int64_t word) const { return at.empty() ? word % T : at[static_cast<size_t>(word)] - first; }
  int64_t T, first, count;
  std::vector<int64_t> at = {};  // [B T]
};

// cos and sin of p theta_i for the T positions p = first, first + 1, ..: [T, K/2] each. With p = 64 a + b, both follow
// from the angles of 64 a and of b by the addition formulas, in double precision. This takes T / 64 + 64 sines per pair
// of entries in place of T. The values for a position are the same in every call.
std::pair<Tensor, Tensor> turns(int64_t first, int64_t T, int64_t pairs, const RopeOptions& o, DType dtype) {
  constexpr int64_t kStep = 64;
  auto table = [&](int64_t begin, int64_t end, int64_t step) {
    std::vector<std::pair<double, double>> all;
    for (int64_t n = begin; n < end; ++n)
      for (int64_t i = 0; i < pairs; ++i) {
        double theta = o.thetas.empty() ? std::pow(o.base, -static_cast<double>(i) / static_cast<double>(pairs))
                                        : o.thetas[static_cast<size_t>(i)];
        double angle = static_cast<double>(n * step) * theta;
        all.emplace_back(std::cos(angle), std::sin(angle));
      }
    return all;
  };
  auto steps = [](int64_t p) { return (p >= 0 ? p : p - kStep + 1) / kStep; };  // a, rounded down: p may be negative
  int64_t far = steps(first);
  auto coarse = table(far, steps(first + T) + 1, kStep), fine = table(0, kStep, 1);
  Tensor c = Tensor::empty({T, pairs}, DType::f64), s = Tensor::empty({T, pairs}, DType::f64);
  for (int64_t t = 0; t < T; ++t)
    for (int64_t i = 0; i < pairs; ++i) {
      int64_t p = first + t, a = steps(p);
      auto [ca, sa] = coarse[static_cast<size_t>((a - far) * pairs + i)];
      auto [cb, sb] = fine[static_cast<size_t>((p - a * kStep) * pairs + i)];
      c.data<double>()[t * pairs + i] = ca * cb - sa * sb;
      s.data<double>()[t * pairs + i] = (sa * cb + ca * sb) * (o.back ? -1 : 1);
    }
  return {c.to(dtype), s.to(dtype)};
}

Tensor rotated(const Tensor& given, const Rows& rows, const RopeOptions& o) {
  Tensor x = given.size(3) == 0 || given.strides()[3] == 1 ? given : given.contiguous();
  int64_t B = x.size(0), T = x.size(1), H = x.size(2), K = x.size(3), half = K / 2;
  Kernel kernel("rotate_pairs", x.count());
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  auto [cosines, sines] = turns(rows.first, rows.count, half, o, x.dtype());
  bool halves = o.layout == RopeLayout::halves;
  int64_t second = halves ? half : 1, step = halves ? 1 : 2;
  dispatch_float(x.dtype(), "rotate_pairs", [&, c = cosines, s = sines](auto zero) {
    using F = decltype(zero);
    parallel_for(0, B * T, std::max<int64_t>(1, 8192 / std::max<int64_t>(H * K, 1)), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        int64_t t = row % T, angles = rows.of(row) * half;
        const F *cos_t = c.data<F>() + angles, *sin_t = s.data<F>() + angles;
        for (int64_t h = 0; h < H; ++h) {
          const F* from = x.data<F>() + row / T * x.strides()[0] + t * x.strides()[1] + h * x.strides()[2];
          F* to = y.data<F>() + (row * H + h) * K;
          for (int64_t i = 0; i < half; ++i) {
            F a = from[i * step], b = from[i * step + second];
            to[i * step] = a * cos_t[i] - b * sin_t[i];
            to[i * step + second] = a * sin_t[i] + b * cos_t[i];
          }
        }
      }
    });
  });
  return y;
}

}  // namespace

Variable rotate_pairs(const Variable& x, const RopeOptions& o) {
  check(x, o);
  RopeOptions opposite = o;
  opposite.back = !o.back;
  return attach("rotate_pairs", {x}, rotated(x.value(), Rows(x, o), o),
                [opposite](Grads& g, const Variable& dy) { g.add(0, rotate_pairs(dy, opposite)); });
}

Variable rotate_pairs_composed(const Variable& x, const RopeOptions& o) {
  check(x, o);
  int64_t T = x.size(1), K = x.size(3);
  Rows rows(x, o);
  auto [c, s] = turns(rows.first, rows.count, K / 2, o, x.dtype());
  Shape table{T, 1, K / 2};  // with a position for each word of each sentence: [B, T, 1, K/2]
  if (!rows.at.empty()) {
    std::vector<int64_t> order;
    for (int64_t word = 0; word < x.size(0) * T; ++word) order.push_back(rows.of(word));
    Tensor which = Tensor::from(order, {static_cast<int64_t>(order.size())});
    c = index_select(c, which), s = index_select(s, which);
    table = {x.size(0), T, 1, K / 2};
  }
  Variable cosines(c.view(table)), sines(s.view(table));
  bool halves = o.layout == RopeLayout::halves;
  Variable a = halves ? slice(x, 3, 0, K / 2) : slice(x, 3, 0, K, 2);
  Variable b = halves ? slice(x, 3, K / 2, K) : slice(x, 3, 1, K, 2);
  Variable first = a * cosines - b * sines, second = a * sines + b * cosines;
  return halves ? concat({first, second}, 3) : reshape(stack({first, second}, 4), x.shape());
}

Tensor rope_permutation(int64_t width) {
  std::vector<int64_t> order;
  for (int64_t from : {0, 1})
    for (int64_t i = from; i < width; i += 2) order.push_back(i);
  return Tensor::from(order, {width});
}

Rope::Rope(const Options& o, Generator&) : RotaryPosition(o, "rope"), settings(options.settings.as<Settings>()) {
  if (settings.share == 1) {
    require_pairs();
    return;
  }
  for (int64_t width : {options.query, options.key})
    if (const int64_t n = turned_width(width); n < 2 || n % 2 != 0)
      throw ValueError(fmt::format("{}: the rotated part of a head must consist of pairs; got {} of {} entries",
                                   options.name, n, width));
}

int64_t Rope::turned_width(int64_t width) const {
  return static_cast<int64_t>(settings.share * static_cast<double>(width) + 1e-9);
}

Variable Rope::turned(const Variable& x, int64_t first, const Tensor& at, bool) const {
  RopeLayout layout = options.name == "rope" ? RopeLayout::halves : RopeLayout::interleaved;
  const RopeOptions turn{.layout = layout, .base = settings.base, .first = first, .at = at};
  const int64_t K = x.size(3), n = turned_width(K);
  if (n == K) return rotate_pairs(x, turn);
  return concat({rotate_pairs(slice(x, 3, 0, n), turn), slice(x, 3, n, K)}, 3);
}

}  // namespace heed::nn
