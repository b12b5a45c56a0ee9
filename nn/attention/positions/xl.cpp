#include "nn/attention/positions/xl.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/positions/skew.h"
#include "nn/attention/registry.h"
#include "nn/init.h"

namespace heed::nn {

Tensor distance_sinusoids(int64_t largest, int64_t count, int64_t width, DType dtype) {
  Tensor table = Tensor::empty({count, width}, DType::f64);
  int64_t sines = (width + 1) / 2;
  for (int64_t n = 0; n < count; ++n)
    for (int64_t c = 0; c < width; ++c) {
      int64_t pair = c < sines ? c : c - sines;
      double angle = static_cast<double>(largest - n) /
                     std::pow(10000.0, 2.0 * static_cast<double>(pair) / static_cast<double>(width));
      table.data<double>()[n * width + c] = c < sines ? std::sin(angle) : std::cos(angle);
    }
  return table.to(dtype);
}

XLPositions::XLPositions(const Options& o, Generator& rng) : options(completed_stage(Kind::position, o, "xl")) {
  if (o.heads < 1 || o.key < 1)
    throw ValueError(
        fmt::format("XLPositions: needs at least one head and its width; got {} heads of width {}", o.heads, o.key));
  content = normal_parameter({o.heads, o.key}, 0.02, rng);
  position = normal_parameter({o.heads, o.key}, 0.02, rng);
  weight = xavier_parameter({o.heads * o.key, o.heads * o.key}, rng);
}

Variable XLPositions::turn_query(const Variable& q, const Places&) const {
  Call call(*this);
  return call.result("turned", q + content);
}

Variable XLPositions::bias(const Variable& turned, const Places& places, double scale) const {
  Call call(*this);
  int64_t H = options.heads, K = options.key, T = places.queries, S = places.keys;
  Tensor apart;  // [B, T, S], place of the key minus place of the query
  int64_t largest = places.first_query + T - 1 - places.first_key, count = T + S - 1;
  if (!places.regular()) {
    apart = distances(places);
    const auto* a = apart.data<int64_t>();
    auto [least, most] = std::minmax_element(a, a + apart.count());
    largest = apart.count() ? -*least : 0, count = apart.count() ? *most - *least + 1 : 0;
  }
  if (T == 0 || S == 0) return Variable(Tensor::zeros({turned.size(0), H, T, S}, turned.dtype()));
  Tensor r = distance_sinusoids(largest, count, H * K, turned.dtype());                         // [N, H K]
  Variable rows = permute(reshape(linear(Variable(r), weight, {}), {count, H, K}), {1, 2, 0});  // [H, K, N]
  Variable queries = turned + unsqueeze(position - content, 1);                                 // [B, H, T, K]
  Variable products =
      matmul(queries, expand(unsqueeze(rows, 0), {turned.size(0), H, K, count})) * scale;  // [B, H, T, N]
  return call.result("scores", places.regular() ? skewed(products, S) : picked(products, apart, largest));
}

}  // namespace heed::nn
