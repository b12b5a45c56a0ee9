// Shifted windows as the published program of Swin computes them: the picture is rolled by M / 2 places, so that all
// windows are whole again, cut into windows, and rolled back. A window at the border then has places from opposite
// sides of the picture, which were never neighbours. The mask removes these pairs; without it, nothing crashes.
//
// clang-format off
//   picture      rolled by 1     windows of M = 2, and the part of each place
//   a b c d      f g h e         (0 0)(1 2)       places of a window with different parts do not
//   e f g h      j k l i         (0 0)(1 2)       attend to each other
//   i j k l      n o p m         (3 3)(4 5)
//   m n o p      b c d a         (6 6)(7 8)
// clang-format on
#pragma once

#include "nn/attention/grids/shifted_window.h"
#include "tensor/compare.h"

namespace pictures {

struct RolledWindow final : nn::RegionMixer {
  RolledWindow(const nn::MixerOptions& o, bool use_mask, Generator& rng)
      : RegionMixer(o, "rolled_window", o.settings.as<nn::ShiftedWindow::Settings>().window, rng), masked(use_mask) {}
  nn::PictureWindows cut(int64_t rows, int64_t columns) const override {
    return nn::windows_in(rows, columns, size, 0);
  }

  // The part of each place of a rolled axis: 0 in whole windows, in the last window 1 before the seam and 2 after it.
  std::vector<int64_t> parts(int64_t length) const {
    std::vector<int64_t> part;
    for (int64_t i = 0; i < length; ++i) part.push_back(i < length - size ? 0 : i < length - size / 2 ? 1 : 2);
    return part;
  }
  Variable picture(const Variable& x) const override {  // R and C are multiples of M
    const int64_t R = x.size(1), C = x.size(2), shift = size / 2;
    std::vector<int64_t> from, back(static_cast<size_t>(R * C));
    for (int64_t t = 0; t < R * C; ++t) {
      from.push_back((t / C + shift) % R * C + (t % C + shift) % C);  // place t of the rolled picture
      back[static_cast<size_t>(from.back())] = t;
    }
    const nn::PictureWindows of = cut(R, C);
    const nn::Regions windows = regions_of(of.rows, of.columns);
    const nn::GridHeads::Read read = heads(x);
    auto rolled = [&](const Variable& y) {  // [B, H, T, K] -> [B, H, N, M M, K]
      return index_select(index_select(y, 2, Tensor::from(from, {R * C})), 2, windows.places);
    };
    Variable q = rolled(read.q * nn::GridHeads::scale(read)), k = rolled(read.k), v = rolled(read.v);
    Variable e = matmul(q, transpose(k, -2, -1)) +
                 heed::unsqueeze(nn::table_bias(table, differences_in(of.rows, of.columns, size)), 1);
    if (masked) e = masked_fill(e, apart(windows, R, C), -HUGE_VAL);
    Variable context = reshape(matmul(softmax(e), v), {q.size(0), q.size(1), R * C, q.size(4)});
    context = index_select(index_select(context, 2, windows.slots), 2, Tensor::from(back, {R * C}));
    return heads.output(context, x);
  }
  // bool [N, M M, M M]: pairs of places of a window that belong to different parts.
  Tensor apart(const nn::Regions& windows, int64_t R, int64_t C) const {
    const std::vector<int64_t> down = parts(R), right = parts(C);
    std::vector<double> part;
    for (double place : windows.places.to(DType::f64).to_vector()) {
      const auto t = static_cast<int64_t>(place);
      part.push_back(static_cast<double>(3 * down[static_cast<size_t>(t / C)] + right[static_cast<size_t>(t % C)]));
    }
    const Tensor of = Tensor::from(part, windows.places.shape());
    return logical_not(equal(of.unsqueeze(2), of.unsqueeze(1)));
  }
  bool masked;
};

}  // namespace pictures
