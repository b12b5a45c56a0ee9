// Hints, common mistakes and checks of exercise 22.1.
#include "tutorials/22_self_attention/exercises/1_heads.h"

#include <fmt/format.h>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

// x as [B, T, a, b]: the last axis in two parts.
Tensor split(const Tensor& x, int64_t a, int64_t b) { return x.view({x.size(0), x.size(1), a, b}); }

const std::vector<app::Mistake<decltype(&mine::cut)>> mistakes{
    {"Your heads mix up words: view() to [B, H, T, D/H] reads the same numbers in the same order. View as [B, T, H, "
     "D/H] "
     "first, then transpose axes 1 and 2",
     [](const Tensor& x, int64_t H) {
       return x.view({x.size(0), H, x.size(1), x.size(2) / H});
     }},
    {"Your result is [B, T, H, D/H]: the last step, the transposition of axes 1 and 2, is missing",
     [](const Tensor& x, int64_t H) { return split(x, H, x.size(2) / H); }},
    {"Head h gets columns h, h + H, h + 2 H, ..: you viewed the width as [D/H, H]. The heads are the outer part, [H, "
     "D/H]",
     [](const Tensor& x, int64_t H) { return split(x, x.size(2) / H, H).transpose(1, 3).transpose(2, 3); }},
    {"You transposed axes 1 and 3, which gives [B, D/H, H, T]: the words are axis 1 and the heads axis 2",
     [](const Tensor& x, int64_t H) { return split(x, H, x.size(2) / H).transpose(1, 3); }},
    {"You transposed axes 2 and 3, which gives [B, T, D/H, H]: the words are axis 1 and the heads axis 2",
     [](const Tensor& x, int64_t H) { return split(x, H, x.size(2) / H).transpose(2, 3); }},
    {"Your result is [H, B, T, D/H]: the batch stays the first axis, only axes 1 and 2 change places",
     [](const Tensor& x, int64_t H) { return split(x, H, x.size(2) / H).transpose(1, 2).transpose(0, 1); }},
    {"Your heads mix up words: you transposed words and columns before the view. View as [B, T, H, D/H] first, then "
     "transpose axes 1 and 2",
     [](const Tensor& x, int64_t H) {
       return x.transpose(1, 2).contiguous().view({x.size(0), H, x.size(1), x.size(2) / H});
     }},
    {"Each of your heads has the whole width D: a head gets D/H columns",
     [](const Tensor& x, int64_t H) {
       return x.unsqueeze(1).expand({x.size(0), H, x.size(1), x.size(2)});
     }},
};

void examine(app::Exercise& e, const decltype(&mine::cut)& cut) {
  Generator rng(1);
  Tensor x = Tensor::normal({3, 5, 8}, rng);
  for (int64_t H : {2, 4}) {
    Tensor ours = cut(x, H);
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
  return e.run(argc, argv, mine::cut, examine, mistakes);
}
