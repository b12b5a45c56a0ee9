// Attention inside the regions of a picture: windows, stripes, or grids of places that are far apart. Each axis is cut
// by itself, and a region is a part of the rows times a part of the columns.
//
// clang-format off
//   windows_of(7, 3)      0 0 0 1 1 1 2   part of each place of the axis
//   windows_of(7, 3, 1)   0 1 1 1 2 2 2   the first window is cut to 1 place
//   grid_of(7, 3)         0 1 2 0 1 2 0   places 3 = 7 / 3, rounded up, apart: at most 3 in a part
// clang-format on
//
// Windows with a shift are those of a picture that is rolled back by it, without the pairs of places from opposite
// borders.
#pragma once

#include <vector>

#include "nn/attention/grids/grid.h"

namespace heed::nn {

struct AxisCut {
  std::vector<int64_t> part, offset;  // place i is number offset[i] of the places of part[i]
  int64_t parts = 0, size = 0;        // number of parts; places of the longest part, counted from its beginning
};
// Windows of `size` places, the first of which has `shift` places if shift > 0. A window that is larger than the axis
// is the whole axis, and is not shifted.
AxisCut windows_of(int64_t length, int64_t size, int64_t shift = 0);
// The windows of a picture in Swin: where it has at most `size` rows or columns, they are as small as the smaller of
// both numbers, and are not shifted. A picture of one row or column, such as a sentence, is cut along its only axis;
// windows of one place would read nothing else.
struct PictureWindows {
  int64_t size;
  AxisCut rows, columns;
};
PictureWindows windows_in(int64_t rows, int64_t columns, int64_t size, int64_t shift);
// `size` places (or fewer), ceil(length / size) apart: the places i with equal i mod ceil(length / size).
AxisCut grid_of(int64_t length, int64_t size);

struct Regions {
  Tensor places;  // i64 [N, n]: the places of each region; 0 where a region has fewer than n
  Tensor there;   // bool [N, n]: is there such a place? Undefined: everywhere
  Tensor slots;   // i64 [T]: where among the N n entries a place is
};
Regions regions_of(const AxisCut& rows, const AxisCut& columns);
// softmax(q k^T + bias over the places of the region) v. q, k, v [B, H, T, K]; bias [H, n, n] or undefined. The caller
// has scaled q.
Variable read_regions(const Variable& q, const Variable& k, const Variable& v, const Regions& regions,
                      const Variable& bias = {});
// The row of a table [(2 M - 1)^2, ..] for each pair of places of a region, i64 [n, n]: that of the difference of their
// rows and columns, query less key, each from -(M - 1) to M - 1.
Tensor differences_in(const AxisCut& rows, const AxisCut& columns, int64_t M);
Variable table_bias(const Variable& table, const Tensor& differences);  // [.., H], [n, n] -> [H, n, n]

// A mixer whose places read those of their region, with a learned number for each head and each difference of places:
// softmax(q k^T / sqrt(K) + table) v.
struct RegionMixer : GridMixer {
  Variable picture(const Variable& x) const override;
  void visit(Visitor& v) override { v.child("", heads), v.parameter("table", table); }
  virtual PictureWindows cut(int64_t rows, int64_t columns) const = 0;
  int64_t size;  // M, places along an axis of a region
  GridHeads heads;
  Variable table;  // [(2 M - 1)^2, H], N(0, .02^2) at the start

 protected:
  RegionMixer(const MixerOptions& o, const char* name, int64_t size, Generator& rng);
};

}  // namespace heed::nn
