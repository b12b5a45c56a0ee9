// Exercise 01.3: what a tile saves, and which tile is best.
//
//   C [M, N] = A [M, K] B [K, N]            a touch: one float of A, B or C is read or written in memory
//
// Derive how many touches each rung of ladder.h makes. Look at its loops: what is read how often? The check counts.
//
//   touches_formula      rung 1: the sum of an element stays in a register until it is written
//   touches_loop_order   rung 2: each element of C is set to 0 first, then read and written once for each k
//   touches_tile         rung 3: `rows` x `columns` sums stay in registers; M and N are multiples of them
//
// Then choose a tile. A tile of R rows, each of V vector registers, needs R V registers for its sums, V for a row of B
// and one for an element of A. For each k it makes R + V loads (an element of A is one load, and so is a register full
// of B) and R V multiply-adds. best_tile returns the R and V that fit into the registers and need the fewest loads per
// multiply-add.
//
// The functions are checked in this order, up to the first wrong one.
// Tiles of registers: K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008.
#pragma once

#include <cstdint>

namespace mine {

struct Tile {
  int64_t R, V;
};

double touches_formula(double M, double N, double K);
double touches_loop_order(double M, double N, double K);
double touches_tile(double M, double N, double K, double rows, double columns);
Tile best_tile(int64_t registers);

}  // namespace mine
