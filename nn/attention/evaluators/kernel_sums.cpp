#include "nn/attention/evaluators/kernel_sums.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/evaluators/dense.h"
#include "tensor/compare.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace heed::nn {
namespace {

constexpr double kNever = -1e30;     // below the logarithm of any feature, and its differences are finite
constexpr double kSpread = 40;       // e^-40 squared is still a normal number in f32
constexpr double kTooSmall = 1e-20;  // a denominator of at least 1 / e^kSpread is far above it

// [numerator denominator] -> their quotient; a query that reads nothing has 0 / 0, and gets 0.
Variable quotient(const Variable& numerator, const Variable& denominator) {
  return numerator / masked_fill(denominator, equal(denominator.value(), 0), 1);
}
Variable quotient(const Variable& sums) {
  int64_t V = sums.size(-1) - 1;
  return quotient(slice(sums, -1, 0, V), slice(sums, -1, V, V + 1));
}

int64_t rows_of(const Features& x) { return x.log.size(-2); }

Tensor larger(const Tensor& scale, const Features& k) {  // the maximum of each feature, [.., 1, F]
  return rows_of(k) == 0 ? scale : maximum(scale, amax(k.log.value(), {-2}, true));
}
Tensor no_scale(const Features& k) {
  Shape shape = k.log.shape();
  shape[shape.rank() - 2] = 1;
  return Tensor::full(shape, kNever, k.log.dtype());
}

Variable times_part(const Variable& size, const Features& x) { return x.part.defined() ? size * x.part : size; }
// phi(k) / e^m
Variable scaled_keys(const Features& k, const Tensor& m) { return times_part(exp(k.log - Variable(m)), k); }
// phi(q) e^m, divided in each row by its maximum.
Variable scaled_queries(const Features& q, const Tensor& m) {
  Variable both = q.log + Variable(m);
  return times_part(exp(both - Variable(amax(both.value(), {-1}, true))), q);
}

// What queries read of `sums` and of the keys that are not after them: query t sees the keys 0 to t. One scale serves
// all queries, unless a later key has so much larger features that what the first query reads would underflow. Then
// each half gets a scale of its own.
void read_in_order(const Features& q, const Features& k, const Variable& v, const ScaledSums& sums,
                   std::vector<Variable>& out) {
  int64_t T = rows_of(q), S = rows_of(k);
  Tensor m = larger(sums.scale, k);
  if (S > 1 && k.log.count() > 0 && amax(sub(m, larger(sums.scale, slice_rows(k, 0, 1)))).item() > kSpread) {
    int64_t half = S / 2;
    Features first_k = slice_rows(k, 0, half);
    Variable first_v = slice(v, -2, 0, half);
    read_in_order(slice_rows(q, 0, half), first_k, first_v, sums, out);
    read_in_order(slice_rows(q, half, T), slice_rows(k, half, S), slice(v, -2, half, S),
                  with_words(sums, first_k, first_v), out);
    return;
  }
  Variable queries = scaled_queries(q, m);
  Variable products = matmul(queries, transpose(scaled_keys(k, m), -2, -1));
  out.push_back(quotient(matmul(queries, at_scale(sums, m).rows) + matmul(tril(products), v)));
}

// The products of each query with the keys that it sees, at a scale of its own: one query at a time, T S
// F exponentials.
Variable products_by_query(const Features& q, const Features& k, const Tensor& masked) {
  std::vector<Variable> rows;
  for (int64_t t = 0; t < rows_of(q); ++t) {
    Tensor unseen = masked.size(-2) == 1 ? masked : masked.slice(-2, t, t + 1);  // [.., 1, S]
    Features seen = without(k, unseen.transpose(-2, -1));
    Tensor m = larger(no_scale(seen), seen);
    rows.push_back(matmul(scaled_queries(slice_rows(q, t, t + 1), m), transpose(scaled_keys(seen, m), -2, -1)));
  }
  return concat(rows, -2);
}

}  // namespace

Features slice_rows(const Features& x, int64_t begin, int64_t end) {
  return {slice(x.log, -2, begin, end), x.part.defined() ? slice(x.part, -2, begin, end) : Variable()};
}
Features without(const Features& x, const Tensor& hidden) {
  return {masked_fill(x.log, hidden, -INFINITY), x.part.defined() ? masked_fill(x.part, hidden, 0) : Variable()};
}
Features for_heads(const Features& x, int64_t H) {
  return {for_heads(x.log, H), x.part.defined() ? for_heads(x.part, H) : Variable()};
}
ScaledSums for_heads(const ScaledSums& sums, int64_t H) {
  return {for_heads(sums.rows, H), for_heads(Variable(sums.scale), H).value()};
}

Variable with_ones(const Variable& v) {
  Shape one = v.shape();
  one[one.rank() - 1] = 1;
  return concat({v, Variable(Tensor::ones(one, v.dtype()))}, -1);
}

ScaledSums at_scale(const ScaledSums& sums, const Tensor& m) {
  return {sums.rows * Variable(exp(sub(sums.scale, m)).transpose(-2, -1)), m};
}
ScaledSums no_sums(const Features& k, const Variable& v) {
  Shape shape = k.log.shape();
  shape[shape.rank() - 2] = (k.part.defined() ? k.part : k.log).size(-1), shape[shape.rank() - 1] = v.size(-1);
  return {Tensor::zeros(shape, k.log.dtype()), no_scale(k)};
}
ScaledSums with_words(const ScaledSums& sums, const Features& k, const Variable& v) {
  if (rows_of(k) == 0) return sums;
  ScaledSums out = at_scale(sums, larger(sums.scale, k));
  out.rows = out.rows + matmul(transpose(scaled_keys(k, out.scale), -2, -1), v);
  return out;
}

Variable read_sums(const Features& q, const ScaledSums& sums) {
  return quotient(matmul(scaled_queries(q, sums.scale), sums.rows));
}

Variable read_causal(const Features& q, const Features& k, const Variable& v, ScaledSums sums, int64_t first,
                     int64_t C) {
  int64_t T = rows_of(q), S = rows_of(k), summed = 0;
  if (T == 0) return read_sums(q, sums);
  std::vector<Variable> contexts;
  for (int64_t t = 0; t < T; t += C) {
    int64_t until = std::min(T, t + C), begin = std::min(S, first + t), end = std::min(S, first + until);
    sums = with_words(sums, slice_rows(k, summed, begin), slice(v, -2, summed, begin));
    summed = begin;
    read_in_order(slice_rows(q, t, until), slice_rows(k, begin, end), slice(v, -2, begin, end), sums, contexts);
  }
  return concat(contexts, -2);
}

Variable kernel_weights(const Features& q, const Features& keys, const Tensor& allowed) {
  Features k = keys;
  Tensor masked;
  bool empty = q.log.count() == 0 || k.log.count() == 0;
  if (allowed.defined()) masked = logical_not(allowed);
  if (masked.defined() && !empty) k = without(k, equal(amax(allowed.to(DType::f32), {-2}, true), 0).transpose(-2, -1));
  Tensor m = larger(no_scale(k), k);
  Variable products = matmul(scaled_queries(q, m), transpose(scaled_keys(k, m), -2, -1));  // [.., T, S]
  if (masked.defined()) products = masked_fill(products, masked, 0);
  if (masked.defined() && !empty) {
    // Do the maxima of some query belong to keys that it does not see? Then what it does see may have underflowed.
    Tensor sees = not_equal(amax(allowed.to(DType::f32), {-1}, true), 0);  // [.., T, 1]
    Tensor lost = logical_and(less(sum(products, {-1}, true).value(), kTooSmall), sees);
    if (amax(lost.to(DType::f32)).item() != 0) products = products_by_query(q, k, masked);
  }
  return quotient(products, sum(products, {-1}, true));
}

}  // namespace heed::nn
