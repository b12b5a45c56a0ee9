// Exercise 22.1: cut into heads.
//
//   x [B, T, D] -> [B, H, T, D/H],      head h has the columns h D/H .. (h + 1) D/H of every word
//
// The checks compare with the columns themselves.
#include <fmt/format.h>

#include "tensor/elementwise.h"
#include "tutorials/common/exercise.h"

namespace {

using heed::Tensor;

Tensor cut(const Tensor& x, int64_t H) {
  int64_t B = x.size(0), T = x.size(1), D = x.size(2);
  // ---- the gap, filled ----
  return x.view({B, T, H, D / H}).transpose(1, 2);
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("22", 1, "Cut into heads");
  e.hint("The numbers of one word stand side by side. Which axis is next to D before anything is turned?");
  e.hint("First [B, T, H, D/H], then turn two axes round.");
  return e.run(argc, argv, [&] {
    heed::Generator rng(1);
    Tensor x = Tensor::normal({2, 3, 8}, rng);
    for (int64_t H : {2, 4}) {
      Tensor mine = cut(x, H).contiguous();
      for (int64_t h = 0; h < H; ++h)
        e.check(fmt::format("head {} of {}", h + 1, H), mine.select(1, h).contiguous(),
                x.slice(2, h * 8 / H, (h + 1) * 8 / H).contiguous(), 1e-6);
    }
  });
}
