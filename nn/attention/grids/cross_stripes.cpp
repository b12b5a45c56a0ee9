#include "nn/attention/grids/cross_stripes.h"

#include <fmt/format.h>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

int64_t half_of(const MixerOptions& o) {
  if (o.heads % 2 != 0)
    throw ValueError(
        fmt::format("{}: half of the heads read columns and half read rows, so their number must be even; "
                    "got {} heads",
                    o.name, o.heads));
  return head_width(o) * o.heads / 2;
}

Convolution2d::Options filter_of(int64_t channels) {
  return {.in = channels, .out = channels, .height = 3, .width = 3, .groups = channels};
}

}  // namespace

CrossStripes::CrossStripes(const MixerOptions& o, Generator& rng)
    : GridMixer(o, about.name()),
      stripe(options.settings.as<Settings>().stripe),
      heads(options, rng),
      vertical(filter_of(half_of(options)), rng),
      horizontal(filter_of(half_of(options)), rng) {}

Variable CrossStripes::inside_stripes(const Convolution2d& filter, const Variable& v, const AxisCut& rows,
                                      const AxisCut& columns) const {
  const int64_t B = v.size(0), K = v.size(3), E = v.size(1) * K, R = std::ssize(rows.part),
                C = std::ssize(columns.part);
  const int64_t high = rows.parts * rows.size, wide = columns.parts * columns.size;
  Variable y = rows_of(join_heads(v), R, C);
  y = pad(y, {{.axis = 1, .after = high - R}, {.axis = 2, .after = wide - C}});
  y = permute(reshape(y, {B, rows.parts, rows.size, columns.parts, columns.size, E}), {0, 1, 3, 2, 4, 5});
  y = filter(reshape(y, {B * rows.parts * columns.parts, rows.size, columns.size, E}));  // each stripe is a picture
  y = permute(reshape(y, {B, rows.parts, columns.parts, rows.size, columns.size, E}), {0, 1, 3, 2, 4, 5});
  y = slice(slice(reshape(y, {B, high, wide, E}), 1, 0, R), 2, 0, C);
  return split_heads(places_of(y), v.size(1));
}

Variable CrossStripes::picture(const Variable& x) const {
  const int64_t R = x.size(1), C = x.size(2), half = options.heads / 2;
  const GridHeads::Read read = heads(x);
  auto stripes = [&](int64_t first, const Convolution2d& filter, const AxisCut& rows, const AxisCut& columns) {
    auto of = [&](const Variable& y) { return slice(y, 1, first, first + half); };
    Variable v = of(read.v);
    Variable seen = read_regions(of(read.q) * GridHeads::scale(read), of(read.k), v, regions_of(rows, columns));
    return seen + inside_stripes(filter, v, rows, columns);
  };
  Variable context = concat({stripes(0, vertical, windows_of(R, R), windows_of(C, stripe)),
                             stripes(half, horizontal, windows_of(R, stripe), windows_of(C, C))},
                            1);
  return heads.output(context, x);
}

}  // namespace heed::nn
