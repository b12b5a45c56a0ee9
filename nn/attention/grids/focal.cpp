#include "nn/attention/grids/focal.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/compare.h"

namespace heed::nn {
namespace {

// An axis in windows of exactly `size` places, of which the last ends outside if need be.
AxisCut whole_windows(int64_t length, int64_t size) {
  AxisCut cut;
  cut.parts = (length + size - 1) / size, cut.size = size;
  for (int64_t i = 0; i < length; ++i) cut.part.push_back(i / size), cut.offset.push_back(i % size);
  return cut;
}

// Keys of each window, [N, n], by the places of a grid of rows x columns; `there` says which lie inside.
struct WindowKeys {
  std::vector<int64_t> keys;
  std::vector<int> there;
  int64_t rows, columns;
  void add(int64_t row, int64_t column) {
    const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
    keys.push_back(inside ? row * columns + column : 0), there.push_back(inside);
  }
  Tensor index(int64_t windows) const { return Tensor::from(keys, {windows, std::ssize(keys) / windows}); }
  Tensor absent(int64_t windows) const {
    return logical_not(Tensor::from_bools(there, {windows, std::ssize(keys) / windows})).unsqueeze(1);
  }
};

}  // namespace

Focal::Focal(const MixerOptions& o, Generator& rng)
    : GridMixer(o, about.name()),
      settings(options.settings.as<Settings>()),
      heads(options, rng),
      pool({.in = settings.window * settings.window, .out = 1}, rng) {
  const int64_t M = settings.window, wide = M + 2 * settings.ring, F = 2 * settings.reach + 1, H = options.heads;
  pool.weight.set_value(Tensor::full(pool.weight.shape(), 1 / static_cast<double>(M * M), pool.weight.dtype()));
  pool.bias.set_value(Tensor::zeros({1}, pool.bias.dtype()));
  table = zeros_parameter({(2 * M - 1) * (2 * M - 1), H});
  if (settings.ring > 0) ring_table = normal_parameter({M * M, wide * wide - M * M, H}, 0.02, rng);
  if (settings.pooled) pooled_table = normal_parameter({(M + F - 1) * (M + F - 1), H}, 0.02, rng);
}

void Focal::visit(Visitor& v) {
  v.child("", heads);
  if (settings.pooled) v.child("pool", pool);
  v.parameter("table", table), v.parameter("ring_table", ring_table), v.parameter("pooled_table", pooled_table);
}

Variable Focal::pooled_windows(const Variable& x, const Regions& windows) const {
  Variable of_windows = index_select(places_of(x), 1, windows.places);  // [B, N, M^2, D]
  if (windows.there.defined()) of_windows = masked_fill(of_windows, logical_not(windows.there).unsqueeze(-1), 0);
  return squeeze(pool(transpose(of_windows, 2, 3)), 3);
}

Variable Focal::picture(const Variable& x) const {
  const int64_t B = x.size(0), R = x.size(1), C = x.size(2), M = settings.window, e = settings.ring, f = settings.reach;
  const AxisCut down = whole_windows(R, M), right = whole_windows(C, M);
  const Regions windows = regions_of(down, right);
  const int64_t N = down.parts * right.parts, F = 2 * f + 1;
  WindowKeys fine{{}, {}, R, C}, coarse{{}, {}, down.parts, right.parts};
  for (int64_t w = 0; w < N; ++w) {
    const int64_t row = w / right.parts, column = w % right.parts;
    for (int64_t s = 0; s < M * M; ++s) fine.add(row * M + s / M, column * M + s % M);
    for (int64_t i = -e; i < M + e; ++i)
      for (int64_t j = -e; j < M + e; ++j)
        if (i < 0 || i >= M || j < 0 || j >= M) fine.add(row * M + i, column * M + j);
    for (int64_t s = 0; s < F * F; ++s) coarse.add(row + s / F - f, column + s % F - f);
  }

  const GridHeads::Read read = heads(x);
  Variable q = index_select(read.q * GridHeads::scale(read), 2, windows.places);  // [B, H, N, M^2, K]
  auto scores = [&](const Variable& k, const WindowKeys& keys, const Variable& bias) {
    Variable products = matmul(q, transpose(index_select(k, 2, keys.index(N)), -2, -1));
    return masked_fill(products + unsqueeze(bias, 1), keys.absent(N), -HUGE_VAL);
  };
  Variable near = table_bias(table, differences_in(down, right, M));
  if (e > 0) near = concat({near, permute(ring_table, {2, 0, 1})}, 2);
  Variable all = scores(read.k, fine, near), v = index_select(read.v, 2, fine.index(N));
  if (settings.pooled) {
    const GridHeads::Read far = heads(unsqueeze(pooled_windows(x, windows), 1));  // a picture of one row of windows
    std::vector<int64_t> differences;
    for (int64_t t = 0; t < M * M; ++t)
      for (int64_t s = 0; s < F * F; ++s)
        differences.push_back((t / M - s / F + F - 1) * (M + F - 1) + t % M - s % F + F - 1);
    Variable bias = table_bias(pooled_table, Tensor::from(differences, {M * M, F * F}));
    all = concat({all, scores(far.k, coarse, bias)}, -1);
    v = concat({v, index_select(far.v, 2, coarse.index(N))}, 3);
  }
  Variable context = reshape(matmul(softmax(all), v), {B, options.heads, N * M * M, read.v.size(3)});
  return heads.output(index_select(context, 2, windows.slots), x);
}

}  // namespace heed::nn
