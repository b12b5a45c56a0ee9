// Which places of a picture one place reads in one layer: windows, shifted windows, neighbourhood, stripes, criss-cross
// and grid. The library cuts the axes.
#include <algorithm>

#include "nn/attention/grids/neighbourhood.h"
#include "nn/attention/grids/regions.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr int kRegionRows = 8, kRegionColumns = 12, kOwnRow = 3, kOwnColumn = 8;

using Reads = std::function<bool(int row, int column)>;

void region_picture(Canvas& c, int number, const std::string& name, const Reads& reads) {
  constexpr double kSize = 17, kAcross = 240, kDown = 196, kWide = kRegionColumns * kSize, kHigh = kRegionRows * kSize;
  const Point corner{18 + kAcross * (number % 3), 48 + kDown * (number / 3)};
  auto cells = [&](int row, int first, int end, Ink ink, double strength) {
    c.box({corner.x + first * kSize, corner.y + row * kSize, (end - first) * kSize, kSize}, "",
          {.fill = ink, .stroke = Ink::none, .strength = strength, .radius = 0});
  };
  for (int i = 0; i < kRegionRows; ++i)
    for (int j = 0, end = 0; j < kRegionColumns; j = end + 1) {  // places of a row that are read, in one box
      for (end = j; end < kRegionColumns && reads(i, end);) ++end;
      if (end > j) cells(i, j, end, Ink::accent, 0.6);
    }
  cells(kOwnRow, kOwnColumn, kOwnColumn + 1, Ink::gold, 1);
  const LineStyle thin{.ink = Ink::faint, .thickness = 0.8, .head = false, .gap = 0};
  for (int i = 1; i < kRegionRows; ++i)
    c.arrow({corner.x, corner.y + i * kSize}, {corner.x + kWide, corner.y + i * kSize}, thin);
  for (int j = 1; j < kRegionColumns; ++j)
    c.arrow({corner.x + j * kSize, corner.y}, {corner.x + j * kSize, corner.y + kHigh}, thin);
  const Rect place = c.box({corner.x, corner.y, kWide, kHigh}, "", {.fill = Ink::none, .thickness = 1, .radius = 0});
  c.text({place.centre().x, corner.y - 20}, name, {.size = 22, .bold = true});
}

// Is place i of an axis in the same part as place `own`?
bool same_part(const nn::AxisCut& cut, int i, int own) {
  return cut.part[static_cast<size_t>(i)] == cut.part[static_cast<size_t>(own)];
}
Reads in_region(const nn::AxisCut& rows, const nn::AxisCut& columns) {
  return [=](int i, int j) { return same_part(rows, i, kOwnRow) && same_part(columns, j, kOwnColumn); };
}

}  // namespace

Canvas draw_regions() {
  using nn::windows_of, nn::grid_of;
  Canvas c(446);
  constexpr int R = kRegionRows, C = kRegionColumns;
  region_picture(c, 0, "windows", in_region(windows_of(R, 4), windows_of(C, 4)));
  region_picture(c, 1, "shifted windows", in_region(windows_of(R, 4, 2), windows_of(C, 4, 2)));
  const auto down = nn::axis_neighbours(R, {3})[kOwnRow], right = nn::axis_neighbours(C, {3})[kOwnColumn];
  region_picture(c, 2, "neighbourhood",
                 [&](int i, int j) { return std::ranges::count(down, i) > 0 && std::ranges::count(right, j) > 0; });
  region_picture(c, 3, "stripes", [](int i, int j) {
    return same_part(windows_of(R, 2), i, kOwnRow) || same_part(windows_of(C, 2), j, kOwnColumn);
  });
  region_picture(c, 4, "criss-cross", [](int i, int j) { return i == kOwnRow || j == kOwnColumn; });
  region_picture(c, 5, "grid", in_region(grid_of(R, 4), grid_of(C, 4)));
  c.box({120, 410, 22, 22}, "", {.fill = Ink::gold, .strength = 1, .thickness = 1, .radius = 0});
  c.text({152, 421}, "the place that reads", {.size = 22, .anchor = Anchor::start});
  c.box({420, 410, 22, 22}, "", {.fill = Ink::accent, .strength = 0.6, .thickness = 1, .radius = 0});
  c.text({452, 421}, "a place that it reads", {.size = 22, .anchor = Anchor::start});
  return c;
}

}  // namespace heed::course
