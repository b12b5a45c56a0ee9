#include "nn/attention/positions/rope_mixed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/error.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {

// f(p) of each place p, [T] or [B, T] -> [T, 1, 1] or [B, T, 1, 1].
template <class F>
Variable of_places(const Tensor& places, DType dtype, const F& f) {
  Tensor out = Tensor::empty(places.shape(), DType::f64);
  for (int64_t n = 0; n < places.count(); ++n)
    out.data<double>()[n] = static_cast<double>(f(places.data<int64_t>()[n]));
  return Variable(out.to(dtype).unsqueeze(-1).unsqueeze(-1));
}

}  // namespace

RopeMixed::RopeMixed(const Options& o, Generator& rng)
    : RotaryPosition(o, "rope_mixed"), settings(options.settings.as<Settings>()) {
  require_pairs(), require_one_width(options);
  const int64_t H = std::max<int64_t>(1, options.heads), pairs = options.key / 2,
                first = (pairs + 1) / 2;  // pairs in the direction phi
  Tensor start = Tensor::empty({2, H, pairs}, DType::f64), phi = Tensor::uniform({H}, rng, 0, 2 * std::numbers::pi);
  for (int64_t h = 0; h < H; ++h)
    for (int64_t i = 0; i < pairs; ++i) {
      const auto n = static_cast<double>(i % first);
      const double length = std::pow(settings.base, -4 * n / static_cast<double>(options.key)),
                   direction = phi.at({h}) + (i < first ? 0 : std::numbers::pi / 2);
      start.set({0, h, i}, length * std::cos(direction));
      start.set({1, h, i}, length * std::sin(direction));
    }
  frequencies = zeros_parameter(start.shape());
  frequencies.set_value(start.to(frequencies.dtype()));
}

void RopeMixed::share(int64_t kv_heads) {
  const int64_t H = frequencies.size(1);
  frequencies = Variable(frequencies.value().slice(1, 0, H, H / kv_heads).contiguous(), Variable::kRequiresGrad);
}

Variable RopeMixed::turned(const Variable& x, int64_t first, const Tensor& at, bool) const {
  const int64_t W = settings.grid, n = x.size(2), K = x.size(3), G = frequencies.size(1);
  if (n % G != 0)
    throw ShapeError(fmt::format(
        "rope_mixed: has frequencies for {} heads of keys; got {} heads; hint: share() before the first call", G, n));
  Variable f = reshape(expand(unsqueeze(frequencies, 2), {2, G, n / G, K / 2}), {2, n, K / 2});  // [2, H, K/2]
  const Tensor places = places_of(first, x.size(1), at);
  Variable column = of_places(places, x.dtype(), [W](int64_t p) { return p % W; }),
           row = of_places(places, x.dtype(), [W](int64_t p) { return p / W; });
  Variable angle = column * select(f, 0, 0) + row * select(f, 0, 1);  // [T, H, K/2] or [B, T, H, K/2]
  Variable c = cos(angle), s = sin(angle), a = slice(x, 3, 0, K, 2), b = slice(x, 3, 1, K, 2);
  return reshape(stack({a * c - b * s, a * s + b * c}, 4), x.shape());
}

}  // namespace heed::nn
