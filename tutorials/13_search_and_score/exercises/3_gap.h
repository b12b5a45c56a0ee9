// Exercise 13.3: what exposure bias costs, by formula.
//
// A model predicts a word correctly with probability a as long as all its words before were right, and with probability
// b < a after a mistake. With teacher forcing it is right with probability a at each position. On its own output, at
// position t = 1, 2, ..:
//
//   on_track(a, t)    the probability that words 1 .. t - 1 are all right
//   right(a, b, t)    the probability that word t is right
//   gap(a, b, n)      a minus the mean of right(a, b, t) over t = 1 .. n
//
// Derive them on paper; a simulation checks them.
#pragma once

#include <cstdint>

namespace mine {

double on_track(double a, int64_t t);
double right(double a, double b, int64_t t);
double gap(double a, double b, int64_t n);

}  // namespace mine
