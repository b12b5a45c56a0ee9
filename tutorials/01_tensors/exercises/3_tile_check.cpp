// Hints, common mistakes and checks of exercise 01.3.
#include "tutorials/01_tensors/exercises/3_tile.h"

#include "tensor/tensor.h"
#include "tutorials/01_tensors/ladder.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Tile;

struct Answer {
  decltype(&mine::touches_formula) formula;
  decltype(&mine::touches_loop_order) loop_order;
  decltype(&mine::touches_tile) tile;
  decltype(&mine::best_tile) best_tile;
};

// The best tile of those that `fits` accepts, where `better` compares two.
template <class Fits, class Better>
Tile search(int64_t registers, const Fits& fits, const Better& better) {
  Tile best{1, 1};
  for (int64_t V = 1; V < registers; ++V)
    for (int64_t R = 1; R < registers; ++R)
      if (fits(R, V) && better(Tile{R, V}, best)) best = {R, V};
  return best;
}
bool fewer_loads(Tile a, Tile b) { return (a.R + a.V) * b.R * b.V < (b.R + b.V) * a.R * a.V; }

const Answer kRight{[](double M, double N, double K) { return 2 * M * N * K + M * N; },
                    [](double M, double N, double K) { return 3 * M * N * K + M * K + M * N; },
                    [](double M, double N, double K, double rows, double columns) {
                      return M * N * K * (1 / rows + 1 / columns) + M * N;
                    },
                    [](int64_t registers) {
                      return search(
                          registers, [&](int64_t R, int64_t V) { return R * V + V + 1 <= registers; }, fewer_loads);
                    }};

template <class Part>
Answer with(Part Answer::*part, std::type_identity_t<Part> wrong) {
  Answer answer = kRight;
  answer.*part = wrong;
  return answer;
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"touches_formula is still open: it returns 0", with(&Answer::formula, [](double, double, double) { return 0.0; })},
    {"Rung 1 also writes each element of C once: add M N",
     with(&Answer::formula, [](double M, double N, double K) { return 2 * M * N * K; })},
    {"Rung 1 keeps the sum in a register: C is not touched in the inner loop, but once per element at its end",
     with(&Answer::formula, [](double M, double N, double K) { return 4 * M * N * K; })},
    {"Rung 1 reads two floats for each multiply-add, one of A and one of B: that is 2 M N K, not M N K",
     with(&Answer::formula, [](double M, double N, double K) { return M * N * K + M * N; })},
    {"M K + K N + M N is the number of floats that exist: rung 1 reads each float of A N times and each of B M times",
     with(&Answer::formula, [](double M, double N, double K) { return M * K + K * N + M * N; })},
    {"touches_loop_order is still open: it returns 0",
     with(&Answer::loop_order, [](double, double, double) { return 0.0; })},
    {"Rung 2 also sets each element of C to 0 before it adds: that is M N writes more",
     with(&Answer::loop_order, [](double M, double N, double K) { return 3 * M * N * K + M * K; })},
    {"Rung 2 reads an element of A once for a whole row of B, outside the inner loop: M K reads, not M N K",
     with(&Answer::loop_order, [](double M, double N, double K) { return 4 * M * N * K + M * N; })},
    {"Rung 2 reads an element of C and writes it back for each k: these are two touches, not one",
     with(&Answer::loop_order, [](double M, double N, double K) { return 2 * M * N * K + M * K + M * N; })},
    {"Rung 2 also reads the elements of A, each one once for a whole row of B: add M K",
     with(&Answer::loop_order, [](double M, double N, double K) { return 3 * M * N * K + M * N; })},
    {"touches_tile is still open: it returns 0",
     with(&Answer::tile, [](double, double, double, double, double) { return 0.0; })},
    {"A tile also writes its sums at the end, each element of C once: add M N",
     with(&Answer::tile, [](double M, double N, double K, double rows,
                            double columns) { return M * N * K * (1 / rows + 1 / columns); })},
    {"You counted two reads per tile and k: for each k a tile reads `rows` floats of A and `columns` floats of B",
     with(&Answer::tile, [](double M, double N, double K, double rows,
                            double columns) { return 2 * M * N * K / (rows * columns) + M * N; })},
    {"You counted the reads of one tile: there are (M / rows) (N / columns) tiles",
     with(&Answer::tile,
          [](double M, double N, double K, double rows, double columns) { return K * (rows + columns) + M * N; })},
    {"best_tile is still open: it returns one row of one register", with(&Answer::best_tile,
                                                                         [](int64_t) {
                                                                           return Tile{1, 1};
                                                                         })},
    {"best_tile gives all registers to the sums: V are needed for a row of B and one for an element of A",
     with(&Answer::best_tile,
          [](int64_t registers) {
            return search(
                registers, [&](int64_t R, int64_t V) { return R * V <= registers; }, fewer_loads);
          })},
    {"best_tile forgets the register that holds the element of A: R V + V + 1 must fit",
     with(&Answer::best_tile,
          [](int64_t registers) {
            return search(
                registers, [&](int64_t R, int64_t V) { return R * V + V <= registers; }, fewer_loads);
          })},
    {"best_tile chooses the tile with the most sums: what counts is loads per multiply-add, (R + V) / (R V)",
     with(&Answer::best_tile,
          [](int64_t registers) {
            return search(
                registers, [&](int64_t R, int64_t V) { return R * V + V + 1 <= registers; },
                [](Tile a, Tile b) { return a.R * a.V > b.R * b.V; });
          })},
    {"best_tile tries square tiles only: R and V may differ, and the best tile is often not square",
     with(&Answer::best_tile,
          [](int64_t registers) {
            return search(
                registers, [&](int64_t R, int64_t V) { return R == V && R * V + V + 1 <= registers; }, fewer_loads);
          })},
};

// The functions are checked one after the other: what follows the first wrong one is not looked at.
void examine(app::Exercise& e, const Answer& answer) {
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
    right = e.check("touches of rung 1" + at(s), answer.formula(number(s.M), number(s.N), number(s.K)),
                    count(s, [&](auto a, auto b, auto c) { formula(s, a, b, c); }), 1e-12) &&
            right;
  if (!right) return;
  for (const Sizes& s : sizes)
    right = e.check("touches of rung 2" + at(s), answer.loop_order(number(s.M), number(s.N), number(s.K)),
                    count(s, [&](auto a, auto b, auto c) { loop_order(s, a, b, c); }), 1e-12) &&
            right;
  if (!right) return;
  for (int64_t rows : {1, 3, 6})
    for (int64_t depth : {1, 40}) {
      const Sizes s{2 * rows, 3 * kTileColumns, depth, rows};
      right = e.check("touches of a tile of " + std::to_string(rows) + " rows" + at(s),
                      answer.tile(number(s.M), number(s.N), number(depth), number(rows), number(kTileColumns)),
                      count(s, [&](auto a, auto b, auto c) { register_tile(s, a, b, c); }), 1e-12) &&
              right;
    }
  if (!right) return;
  for (const auto& [registers, loads] : {std::pair<int64_t, double>{8, 4.0 / 4}, {16, 7.0 / 12}, {32, 10.0 / 25}}) {
    const Tile t = answer.best_tile(registers);
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
  const Answer yours{mine::touches_formula, mine::touches_loop_order, mine::touches_tile, mine::best_tile};
  return e.run(argc, argv, yours, examine, mistakes);
}
