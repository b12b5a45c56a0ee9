// Retrieval: among M sentences, find those whose vectors have the smallest angle to the vector of a query.
//
//   cos(q, r) = q . r / (|q| |r|)                     0 if a vector is 0
//   accuracy@1 = share of the queries whose nearest row is the right one
//   MRR = mean of 1 / rank of the right row           mean reciprocal rank
//
// If several rows are equally near, wrong rows rank before the right one, so equal vectors find nothing.
//
// Legend: N queries, M rows, D width.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed::nn {

Tensor cosines(const Tensor& queries, const Tensor& rows);  // [N, D], [M, D] -> [N, M]

struct Neighbour {
  int64_t row;
  double cosine;
};
// The `how_many` nearest rows of each query (all M if there are fewer), nearest first; ties in row order.
std::vector<std::vector<Neighbour>> nearest(const Tensor& queries, const Tensor& rows, int64_t how_many);

struct Retrieval {
  double accuracy = 0, mrr = 0;
};
// `right` has the row of each query. ValueError if its length is not N; IndexError for a row outside [0, M).
Retrieval retrieval(const Tensor& queries, const Tensor& rows, const std::vector<int64_t>& right);
Retrieval retrieval(const Tensor& queries, const Tensor& rows);  // the right row of query i is i

}  // namespace heed::nn
