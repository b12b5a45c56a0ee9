// Hints and checks of exercise 22.1.
#include "tutorials/22_self_attention/exercises/1_heads.h"

#include <fmt/format.h>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  Generator rng(1);
  Tensor x = Tensor::normal({3, 5, 8}, rng);
  for (int64_t H : {2, 4}) {
    Tensor ours = mine::cut(x, H);
    if (!e.check(fmt::format("the shape with {} heads", H), to_string(ours.shape()), to_string(Shape{3, H, 5, 8 / H})))
      continue;
    for (int64_t h = 0; h < H; ++h)
      e.check(fmt::format("head {} of {}, element ", h + 1, H), ours.select(1, h).contiguous(),
              x.slice(2, h * 8 / H, (h + 1) * 8 / H).contiguous(), 1e-6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("22", 1, "Cut into heads");
  e.hint(
      "The D numbers of one word are adjacent in memory, so only the last axis can be cut by view(). In which shape?");
  e.hint("First [B, T, H, D/H]: the last axis in two parts, and no number has changed its place.");
  e.hint("Then transpose(1, 2): heads before words. transpose copies nothing, it exchanges two strides.");
  e.insight(
      "view() never changes the order of the numbers: it can cut an axis, but to exchange two axes takes transpose().\n"
      "A wrong reshape has the right shape, raises no error and only learns worse: this bug is found by a check.",
      "./heed exercise 22 2");
  return e.run(argc, argv, examine);
}
