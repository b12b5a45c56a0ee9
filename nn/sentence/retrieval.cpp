#include "nn/sentence/retrieval.h"

#include <fmt/format.h>

#include <numeric>

#include "autograd/modes.h"
#include "nn/sentence/contrastive.h"
#include "tensor/error.h"
#include "tensor/matmul.h"
#include "tensor/sort.h"

namespace heed::nn {

Tensor cosines(const Tensor& queries, const Tensor& rows) {
  if (queries.rank() != 2 || rows.rank() != 2 || queries.size(1) != rows.size(1))
    throw ShapeError(fmt::format("cosines: needs queries [N, D] and rows [M, D]; got {} and {}",
                                 to_string(queries.shape()), to_string(rows.shape())));
  NoGrad guard;
  return matmul(unit_rows(Variable(queries)).value(), unit_rows(Variable(rows)).value().transpose(0, 1));
}

std::vector<std::vector<Neighbour>> nearest(const Tensor& queries, const Tensor& rows, int64_t how_many) {
  if (how_many < 1) throw ValueError(fmt::format("nearest: how_many must be at least 1; got {}", how_many));
  Tensor c = cosines(queries, rows);
  Tensor order = argsort(c, -1, {.descending = true});
  std::vector<std::vector<Neighbour>> out(static_cast<size_t>(c.size(0)));
  for (int64_t n = 0; n < c.size(0); ++n)
    for (int64_t i = 0; i < std::min(how_many, c.size(1)); ++i) {
      auto row = static_cast<int64_t>(order.at({n, i}));
      out[static_cast<size_t>(n)].push_back({row, c.at({n, row})});
    }
  return out;
}

Retrieval retrieval(const Tensor& queries, const Tensor& rows, const std::vector<int64_t>& right) {
  Tensor c = cosines(queries, rows).to(DType::f64);  // [N, M]
  int64_t N = c.size(0), M = c.size(1);
  if (std::ssize(right) != N || N == 0)
    throw ValueError(
        fmt::format("retrieval: needs a right row for each of its queries, and one query at least; got {} for {}",
                    right.size(), N));
  Retrieval sum;
  for (int64_t n = 0; n < N; ++n) {
    int64_t own = right[static_cast<size_t>(n)];
    if (own < 0 || own >= M)
      throw IndexError(fmt::format("retrieval: a right row must lie in [0, {}); got {}", M, own));
    const double* row = c.data<double>() + n * M;
    int64_t rank = 0;
    for (int64_t m = 0; m < M; ++m) rank += !(row[m] < row[own]);  // counts the row itself, and every NaN
    sum.accuracy += rank == 1;
    sum.mrr += 1 / static_cast<double>(rank);
  }
  return {sum.accuracy / static_cast<double>(N), sum.mrr / static_cast<double>(N)};
}

Retrieval retrieval(const Tensor& queries, const Tensor& rows) {
  std::vector<int64_t> own(static_cast<size_t>(queries.size(0)));
  std::iota(own.begin(), own.end(), 0);
  return retrieval(queries, rows, own);
}

}  // namespace heed::nn
