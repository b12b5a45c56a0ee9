#include "nn/attention/recurrences/diagonal_scan.h"

#include <algorithm>
#include <vector>

#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed::nn {
namespace {

bool has_numbers(const Variable& x) { return x.defined(); }
bool has_numbers(const Complex& x) { return x.re.defined(); }
const Variable& real_part(const Variable& x) { return x; }
const Variable& real_part(const Complex& x) { return x.re; }
int64_t length_of(const auto& x) { return real_part(x).size(1); }

Variable between(const Variable& x, int64_t from, int64_t to) { return slice(x, 1, from, to); }
Complex between(const Complex& x, int64_t from, int64_t to) {
  return {between(x.re, from, to), between(x.im, from, to)};
}
Variable in_a_row(const std::vector<Variable>& parts) { return concat(parts, 1); }
Complex in_a_row(const std::vector<Complex>& parts) {
  std::vector<Variable> re, im;
  for (const Complex& x : parts) re.push_back(x.re), im.push_back(x.im);
  return {concat(re, 1), concat(im, 1)};
}
// `count` more words of the number `value`.
Variable filled_up(const Variable& x, int64_t count, double value) {
  return count == 0 ? x : pad(x, {{.axis = 1, .after = count}}, value);
}
Complex filled_up(const Complex& x, int64_t count, double value) {
  return {filled_up(x.re, count, value), filled_up(x.im, count, 0)};
}

// The same numbers as `rows` rows of `words` words: [rows, words, ..].
Variable with_words(const Variable& x, int64_t rows, int64_t words) {
  Shape shape{rows, words};
  for (int i = 2; i < x.rank(); ++i) shape.push_back(x.size(i));
  return reshape(x, shape);
}
Complex with_words(const Complex& x, int64_t rows, int64_t words) {
  return {with_words(x.re, rows, words), with_words(x.im, rows, words)};
}

// In place of u the states after h_0 = 0, and with `products`, in place of each decay the product of all of its row up
// to it. A decay of all words, [1, 1, ..], becomes its powers [1, C, ..]. Real numbers in one pass over the words:
void scan_rows(Variable& a, Variable& u, bool products) {
  const int64_t C = length_of(u);
  if (length_of(a) == 1) {
    Shape all = a.shape();
    all[1] = C;
    a = expand(a, all);
  }
  u = linear_scan(expand(a, u.shape()), u, 1);
  if (products) a = linear_scan(a, pad(between(a, 0, 1), {{.axis = 1, .after = C - 1}}), 1);
}
// Complex ones in log2 C rounds, of products of pairs.
void scan_rows(Complex& a, Complex& u, bool) {
  const int64_t C = length_of(u);
  const bool one = length_of(a) == 1;
  for (int64_t reach = 1; reach < C; reach *= 2) {
    const int64_t rest = std::min(reach, C - reach);
    Complex later = one ? between(a, reach - 1, reach) : between(a, reach, C);
    u = in_a_row(std::vector<Complex>{between(u, 0, reach), later * between(u, 0, C - reach) + between(u, reach, C)});
    a = in_a_row(std::vector<Complex>{between(a, 0, reach), later * between(a, 0, one ? rest : C - reach)});
  }
}

template <class Number>
Number word_by_word(const Number& a, const Number& u, const Number& before) {
  Number h = before;
  std::vector<Number> states;
  for (int64_t t = 0; t < length_of(u); ++t) {
    Number word = between(u, t, t + 1);
    h = has_numbers(h) ? (length_of(a) == 1 ? a : between(a, t, t + 1)) * h + word : word;
    states.push_back(h);
  }
  return in_a_row(states);
}

// What each chunk finds: the state at the end of the chunk before it, and 0 for the first. x [B, n, ..]
Variable one_later(const Variable& x) { return pad(between(x, 0, x.size(1) - 1), {{.axis = 1, .before = 1}}); }
Complex one_later(const Complex& x) { return {one_later(x.re), one_later(x.im)}; }

template <class Number>
Number by_chunks(Number a, Number u, int64_t chunk, const Number& before) {
  const int64_t T = length_of(u), B = real_part(u).size(0);
  if (T == 1 || chunk == 1) return word_by_word(a, u, before);
  const bool one = length_of(a) == 1;
  if (has_numbers(before))  // the first word takes in the state before it
    u = in_a_row(std::vector<Number>{between(a, 0, 1) * before + between(u, 0, 1), between(u, 1, T)});
  if (T <= chunk) {
    scan_rows(a, u, false);
    return u;
  }
  const int64_t n = (T + chunk - 1) / chunk, more = n * chunk - T;
  u = with_words(filled_up(u, more, 0), B * n, chunk);
  if (!one) a = with_words(filled_up(a, more, 1), B * n, chunk);
  scan_rows(a, u, true);
  Number whole = between(a, chunk - 1, chunk), ends = between(u, chunk - 1, chunk);  // of each chunk
  ends = by_chunks(one ? whole : with_words(whole, B, n), with_words(ends, B, n), chunk, Number());
  u = u + a * with_words(one_later(ends), B * n, 1);
  return between(with_words(u, B, n * chunk), 0, T);
}

}  // namespace

Complex operator*(const Complex& x, const Complex& y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }
Complex operator+(const Complex& x, const Complex& y) { return {x.re + y.re, x.im + y.im}; }

Variable diagonal_scan(const Variable& a, const Variable& u, int64_t chunk, const Variable& before) {
  return by_chunks(a, u, chunk, before);
}
Complex diagonal_scan(const Complex& a, const Complex& u, int64_t chunk, const Complex& before) {
  return by_chunks(a, u, chunk, before);
}
Variable recurrent_scan(const Variable& a, const Variable& u, const Variable& before) {
  return word_by_word(a, u, before);
}
Complex recurrent_scan(const Complex& a, const Complex& u, const Complex& before) { return word_by_word(a, u, before); }

Tensor padding_of(const Tensor& words, int64_t rank) {
  if (!words.defined()) return {};
  Tensor padding = logical_not(words);
  while (padding.rank() < rank) padding = padding.unsqueeze(-1);
  return padding;
}

}  // namespace heed::nn
