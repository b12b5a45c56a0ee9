// One buffer, three views: offset + i stride_0 + j stride_1. Shapes, strides, offsets and values are those of tensors.
#include <fmt/format.h>

#include "tensor/tensor.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {
namespace {

constexpr double kSize = 46;
constexpr Ink kRows[] = {Ink::accent, Ink::gold, Ink::good};

// The colour says which row of the matrix a number belongs to, wherever it is shown.
Cell cell_of(double value) { return {kRows[static_cast<size_t>(value) / 4], 0.26, fmt::format("{:.0f}", value)}; }

void view(Canvas& c, double middle, const std::string& name, const Tensor& t) {
  const auto rows = static_cast<int>(t.size(0)), columns = static_cast<int>(t.size(1));
  const TextStyle code{.size = 20, .code = true}, soft{.size = 20, .ink = Ink::soft, .code = true};
  c.text({middle, 190}, name, code);
  c.grid({middle - columns * kSize / 2, 210}, rows, columns, kSize, [&](int i, int j) {
    return cell_of(t.at({i, j}));
  });
  c.text({middle, 422}, "shape " + to_string(t.shape()), soft);
  c.text({middle, 450}, fmt::format("strides [{}, {}]", t.strides()[0], t.strides()[1]), soft);
  c.text({middle, 478}, fmt::format("offset {}", t.offset()), soft);
}

}  // namespace

Canvas draw_strides() {
  const Tensor a = Tensor::arange(12).view({3, 4});
  Canvas c(550);
  c.text({28, 34}, "the buffer: 12 numbers, stored once", {.size = 20, .anchor = Anchor::start});
  const Tensor all = a.view({1, 12});
  c.grid(
      {28, 54}, 1, 12, 55.3,
      [&](int, int j) {
        return cell_of(all.at({0, j}));
      },
      22);
  for (double x : {130.0, 365.0, 595.0}) c.arrow({x, 112}, {x, 174}, {.ink = Ink::faint});
  view(c, 130, "a", a);
  view(c, 365, "a.transpose(0, 1)", a.transpose(0, 1));
  view(c, 595, "a.slice(1, 1, 3)", a.slice(1, 1, 3));
  c.text({360, 522}, "element (i, j):  offset + i · stride_0 + j · stride_1", {.size = 22, .ink = Ink::accent});
  c.legend({"i, j: row and column"});
  return c;
}

}  // namespace heed::course
