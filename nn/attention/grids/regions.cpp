#include "nn/attention/grids/regions.h"

#include <cmath>

#include "autograd/ops.h"
#include "nn/init.h"
#include "tensor/compare.h"

namespace heed::nn {

AxisCut windows_of(int64_t length, int64_t size, int64_t shift) {
  AxisCut cut;
  cut.size = std::min(size, length);
  const int64_t missing = size >= length || shift == 0 ? 0 : size - shift;  // places of the first window before place 0
  for (int64_t i = 0; i < length; ++i)
    cut.part.push_back((i + missing) / cut.size), cut.offset.push_back((i + missing) % cut.size);
  cut.parts = cut.part.back() + 1;
  return cut;
}

PictureWindows windows_in(int64_t rows, int64_t columns, int64_t size, int64_t shift) {
  const int64_t least = std::min(rows, columns);
  if (least > 1 && least <= size) size = least, shift = 0;
  return {size, windows_of(rows, size, shift), windows_of(columns, size, shift)};
}

AxisCut grid_of(int64_t length, int64_t size) {
  AxisCut cut;
  cut.parts = (length + size - 1) / size;
  cut.size = (length + cut.parts - 1) / cut.parts;
  for (int64_t i = 0; i < length; ++i) cut.part.push_back(i % cut.parts), cut.offset.push_back(i / cut.parts);
  return cut;
}

Regions regions_of(const AxisCut& rows, const AxisCut& columns) {
  const int64_t R = std::ssize(rows.part), C = std::ssize(columns.part), N = rows.parts * columns.parts,
                n = rows.size * columns.size;
  std::vector<int64_t> places(static_cast<size_t>(N * n)), slots;
  std::vector<int> there(static_cast<size_t>(N * n));
  for (int64_t t = 0; t < R * C; ++t) {
    const auto i = static_cast<size_t>(t / C), j = static_cast<size_t>(t % C);
    const int64_t slot =
        (rows.part[i] * columns.parts + columns.part[j]) * n + rows.offset[i] * columns.size + columns.offset[j];
    slots.push_back(slot);
    places[static_cast<size_t>(slot)] = t, there[static_cast<size_t>(slot)] = 1;
  }
  Regions regions{Tensor::from(places, {N, n}), {}, Tensor::from(slots, {R * C})};
  if (N * n > R * C) regions.there = Tensor::from_bools(there, {N, n});
  return regions;
}

Variable read_regions(const Variable& q, const Variable& k, const Variable& v, const Regions& regions,
                      const Variable& bias) {
  auto cut = [&](const Variable& y) { return index_select(y, 2, regions.places); };  // [B, H, N, n, K]
  Variable e = matmul(cut(q), transpose(cut(k), -2, -1));
  if (bias.defined()) e = e + unsqueeze(bias, 1);
  if (regions.there.defined()) e = masked_fill(e, logical_not(regions.there).unsqueeze(1), -HUGE_VAL);
  Variable context = matmul(softmax(e), cut(v));
  const int64_t B = q.size(0), H = q.size(1);
  return index_select(reshape(context, {B, H, regions.places.count(), v.size(3)}), 2, regions.slots);
}

Tensor differences_in(const AxisCut& rows, const AxisCut& columns, int64_t M) {
  const int64_t n = rows.size * columns.size;
  std::vector<int64_t> index;
  for (int64_t t = 0; t < n; ++t)
    for (int64_t s = 0; s < n; ++s) {
      const int64_t down = t / columns.size - s / columns.size, right = t % columns.size - s % columns.size;
      index.push_back((down + M - 1) * (2 * M - 1) + right + M - 1);
    }
  return Tensor::from(index, {n, n});
}

Variable table_bias(const Variable& table, const Tensor& differences) {
  return permute(index_select(table, differences), {2, 0, 1});
}

RegionMixer::RegionMixer(const MixerOptions& o, const char* name, int64_t M, Generator& rng)
    : GridMixer(o, name),
      size(M),
      heads(options, rng),
      table(normal_parameter({(2 * M - 1) * (2 * M - 1), options.heads}, 0.02, rng)) {}

Variable RegionMixer::picture(const Variable& x) const {
  const PictureWindows of = cut(x.size(1), x.size(2));
  const GridHeads::Read read = heads(x);
  Variable bias = table_bias(table, differences_in(of.rows, of.columns, size));
  Variable q = read.q * GridHeads::scale(read);
  return heads.output(read_regions(q, read.k, read.v, regions_of(of.rows, of.columns), bias), x);
}

}  // namespace heed::nn
