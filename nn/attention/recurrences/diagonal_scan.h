// A linear recurrence of each number of a vector by itself: what state space models, linear recurrent units and
// exponential moving averages compute from word to word. Its matrix is diagonal, so no number reads another.
//
// clang-format off
//   h_t = a_t h_(t-1) + u_t         a_t a decay, |a_t| <= 1: of each word, or one for all words
//
//   recurrent   one word after another                           T steps
//   parallel    real: one pass over the words, all numbers of a word at once (linear_scan)
//               complex: log2 T rounds; in round r every word takes in what is 2^r words before
//               it, (a, u)_t <- (a_t a_s, a_t u_s + u_t), s = t - 2^r
//   chunkwise   parallel in chunks of C words, all chunks at once; then the ends of the chunks
//               are a scan of T / C words, by the same function
// clang-format on
//
// All of them multiply decays with each other and divide by none, so a decay of 0, or a product that underflows to 0,
// forgets what came before and is no error. (The other way to a parallel form, h_t = A_t sum_s u_s / A_s with A_t =
// a_1 .. a_t, divides by numbers that underflow.) Blelloch, "Prefix sums and their applications", 1990, section 1.4;
// the rounds are those of Hillis and Steele, 1986.
//
// The numbers are real, or complex as pairs of real ones: a complex mode of a state space model turns and decays. B
// batch, T words, C words per chunk.
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

struct Complex {
  Variable re, im;  // of one shape
};
Complex operator*(const Complex& x, const Complex& y);
Complex operator+(const Complex& x, const Complex& y);

// u [B, T, ..]; a of the same shape, or [1, 1, ..] for one decay of all words; `before` h_0 [B, 1, ..], undefined: 0.
// All states, h [B, T, ..]. One word, and chunks of one word: recurrent.
Variable diagonal_scan(const Variable& a, const Variable& u, int64_t chunk, const Variable& before = {});
Complex diagonal_scan(const Complex& a, const Complex& u, int64_t chunk, const Complex& before = {});
Variable recurrent_scan(const Variable& a, const Variable& u, const Variable& before = {});
Complex recurrent_scan(const Complex& a, const Complex& u, const Complex& before = {});

// bool [B, T, 1, ..] of a rank: true for padding. The mask of words may be undefined: so is what is returned.
Tensor padding_of(const Tensor& words, int64_t rank);

}  // namespace heed::nn
