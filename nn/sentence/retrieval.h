// Retrieval: of M sentences those whose vectors point most nearly the same way as a query's.
//
//   cos(q, r) = q . r / (|q| |r|)                     0 where a vector is 0
//   accuracy@1 = share of the queries whose nearest row is the right one
//   MRR = mean of 1 / rank of the right row           mean reciprocal rank
//
// Among equals a wrong row goes before the right one, so that vectors that are all the same find nothing. N queries,
// M rows, D width.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed::nn {

Tensor cosines(const Tensor& queries, const Tensor& rows);  // [N, D], [M, D] -> [N, M]

struct Neighbour {
  int64_t row;
  double cosine;
};
// The `how_many` nearest of each query (or all M, if fewer), nearest first, equals in their order.
std::vector<std::vector<Neighbour>> nearest(const Tensor& queries, const Tensor& rows, int64_t how_many);

struct Retrieval {
  double accuracy = 0, mrr = 0;
};
// right: for each query its row. ValueError for another number of them, IndexError for a row outside [0, M).
Retrieval retrieval(const Tensor& queries, const Tensor& rows, const std::vector<int64_t>& right);
Retrieval retrieval(const Tensor& queries, const Tensor& rows);  // query i's row is i

}  // namespace heed::nn
