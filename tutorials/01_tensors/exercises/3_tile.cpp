// Exercise 01.3: what a tile saves, and which tile is best.
//
//   C [M, N] = A [M, K] B [K, N]            a touch: one float of A, B or C read or written
//
// Derive how many touches each rung of ladder.h makes. Look at its loops: what is read how often? The check counts.
//
//   touches_formula      rung 1: the sum of an element stays in a register until it is written
//   touches_loop_order   rung 2: each element of C is set to 0 first, then read and written once for each k
//   touches_tile         rung 3: `rows` x `columns` sums stay in registers; M and N are multiples of them
//
// Then choose. A tile of R rows and V registers a row holds R V sums in registers, and needs V more for a row of B and
// one for an element of A. For each k it makes R + V loads (an element of A is one load, a register full of B too) and
// R V multiply-adds. best_tile gives the R and V that need the fewest loads for a multiply-add and fit.
#include "tensor/tensor.h"
#include "tutorials/01_tensors/ladder.h"
#include "tutorials/common/exercise.h"

using namespace heed;

struct Tile {
  int64_t R, V;
};

// --- the gap ---
double touches_formula([[maybe_unused]] double M, [[maybe_unused]] double N, [[maybe_unused]] double K) { return 0; }
double touches_loop_order([[maybe_unused]] double M, [[maybe_unused]] double N, [[maybe_unused]] double K) { return 0; }
double touches_tile([[maybe_unused]] double M, [[maybe_unused]] double N, [[maybe_unused]] double K,
                    [[maybe_unused]] double rows, [[maybe_unused]] double columns) {
  return 0;
}
Tile best_tile([[maybe_unused]] int64_t registers) { return {1, 1}; }
// --- end of the gap ---

int main(int argc, char** argv) {
  app::Exercise e("01", 3, "What a tile saves");
  e.hint("Rung 1 reads two floats for each of its M N K multiply-adds, and writes M N.");
  e.hint("A tile reads `rows` floats of A and `columns` of B for each k, for rows * columns multiply-adds.");
  e.hint("best_tile: try all R and V with R V + V + 1 <= registers; the smallest (R + V) / (R V) wins.");
  return e.run(argc, argv, [&] {
    auto count = [&](const Sizes& s, auto rung) {
      Tensor a = Tensor::ones({s.M, s.K}), b = Tensor::ones({s.K, s.N}), c = Tensor::zeros({s.M, s.N});
      Tally of[3];
      rung(CountedTouches<const float>{a.data<float>(), &of[0]}, CountedTouches<const float>{b.data<float>(), &of[1]},
           CountedTouches<float>{c.data<float>(), &of[2]});
      return static_cast<double>(of[0].touches + of[1].touches + of[2].touches);
    };
    for (const Sizes& s : {Sizes{5, 7, 3}, Sizes{12, 9, 20}, Sizes{1, 30, 8}}) {
      auto M = static_cast<double>(s.M), N = static_cast<double>(s.N), K = static_cast<double>(s.K);
      std::string at = " at " + to_string(Dims{s.M, s.N, s.K});
      e.check("touches of rung 1" + at, touches_formula(M, N, K),
              count(s, [&](auto a, auto b, auto c) { formula(s, a, b, c); }), 1e-12);
      e.check("touches of rung 2" + at, touches_loop_order(M, N, K),
              count(s, [&](auto a, auto b, auto c) { loop_order(s, a, b, c); }), 1e-12);
    }
    for (int64_t rows : {1, 3, 6})
      for (int64_t depth : {1, 40}) {
        Sizes s{2 * rows, 3 * kTileColumns, depth, rows};
        e.check("touches of a tile of " + std::to_string(rows) + " rows",
                touches_tile(static_cast<double>(s.M), static_cast<double>(s.N), static_cast<double>(depth),
                             static_cast<double>(rows), static_cast<double>(kTileColumns)),
                count(s, [&](auto a, auto b, auto c) { register_tile(s, a, b, c); }), 1e-12);
      }
    for (const auto& [registers, loads] : {std::pair<int64_t, double>{8, 4.0 / 4}, {16, 7.0 / 12}, {32, 10.0 / 25}}) {
      Tile t = best_tile(registers);
      std::string with = " with " + std::to_string(registers) + " registers";
      e.check("registers left over, or 0," + with,
              static_cast<double>(std::min<int64_t>(0, registers - t.R * t.V - t.V - 1)), 0, 0);
      e.check("loads for a multiply-add" + with, static_cast<double>(t.R + t.V) / static_cast<double>(t.R * t.V), loads,
              1e-12);
    }
  });
}
