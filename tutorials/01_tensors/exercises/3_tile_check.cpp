// Hints and checks of exercise 01.3.
#include "tutorials/01_tensors/exercises/3_tile.h"

#include "tensor/tensor.h"
#include "tutorials/01_tensors/ladder.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Tile;

// The functions are checked one after the other: what follows the first wrong one is not looked at.
void examine(app::Exercise& e) {
  auto count = [&](const Sizes& s, auto rung) {
    Tensor a = Tensor::ones({s.M, s.K}), b = Tensor::ones({s.K, s.N}), c = Tensor::zeros({s.M, s.N});
    Tally of[3];
    rung(CountedTouches<const float>{a.data<float>(), &of[0]}, CountedTouches<const float>{b.data<float>(), &of[1]},
         CountedTouches<float>{c.data<float>(), &of[2]});
    return static_cast<double>(of[0].touches + of[1].touches + of[2].touches);
  };
  auto number = [](int64_t n) { return static_cast<double>(n); };
  const Sizes sizes[] = {{5, 7, 3}, {12, 9, 20}, {1, 30, 8}};
  auto at = [](const Sizes& s) { return " at M, N, K = " + to_string(Dims{s.M, s.N, s.K}); };
  bool right = true;
  for (const Sizes& s : sizes)
    right = e.check("touches of rung 1" + at(s), mine::touches_formula(number(s.M), number(s.N), number(s.K)),
                    count(s, [&](auto a, auto b, auto c) { formula(s, a, b, c); }), 1e-12) &&
            right;
  if (!right) return;
  for (const Sizes& s : sizes)
    right = e.check("touches of rung 2" + at(s), mine::touches_loop_order(number(s.M), number(s.N), number(s.K)),
                    count(s, [&](auto a, auto b, auto c) { loop_order(s, a, b, c); }), 1e-12) &&
            right;
  if (!right) return;
  for (int64_t rows : {1, 3, 6})
    for (int64_t depth : {1, 40}) {
      const Sizes s{2 * rows, 3 * kTileColumns, depth, rows};
      right = e.check("touches of a tile of " + std::to_string(rows) + " rows" + at(s),
                      mine::touches_tile(number(s.M), number(s.N), number(depth), number(rows), number(kTileColumns)),
                      count(s, [&](auto a, auto b, auto c) { register_tile(s, a, b, c); }), 1e-12) &&
              right;
    }
  if (!right) return;
  for (const auto& [registers, loads] : {std::pair<int64_t, double>{8, 4.0 / 4}, {16, 7.0 / 12}, {32, 10.0 / 25}}) {
    const Tile t = mine::best_tile(registers);
    const int64_t needed = t.R * t.V + t.V + 1;
    e.check("whether best_tile(" + std::to_string(registers) + ") fits",
            needed <= registers ? "yes" : "no, it needs " + std::to_string(needed) + " registers", "yes");
    e.check("loads per multiply-add with " + std::to_string(registers) + " registers",
            number(t.R + t.V) / number(t.R * t.V), loads, 1e-12);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("01", 3, "What a tile saves");
  e.hint("Rung 1 reads two floats for each of its M N K multiply-adds, and writes each of the M N elements of C once.");
  e.hint(
      "Rung 2: in its inner loop one element of B is read, and one of C is read and written. A is read outside of it.");
  e.hint(
      "A tile reads `rows` floats of A and `columns` of B for each k, and makes rows * columns multiply-adds of them.");
  e.hint("best_tile: try all R and V with R V + V + 1 <= registers. The smallest (R + V) / (R V) wins.");
  e.insight(
      "All rungs make the same M N K multiply-adds. A tile divides the reads by its height and its width:\n"
      "this is why registers, and in the next step caches, decide how fast a matrix product is.",
      "./heed run 02");
  return e.run(argc, argv, examine);
}
