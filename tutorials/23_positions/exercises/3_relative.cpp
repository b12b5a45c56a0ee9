#include "tutorials/23_positions/exercises/3_relative.h"

#include <algorithm>
#include <cmath>

namespace mine {

using namespace heed;

// | // The gap is attention without positions and without a mask.
Variable relative_attention(const Variable& q, const Variable& k, const Variable& v, const Tables& tables,
                            int64_t first, bool causal) {
  // ---- the gap: about 20 lines ----
  // | // 1. For each pair (t, s): the row r(t, s) of the tables, and whether the key is later than the query.
  // | // 2. Scores: q k^T plus, for each pair, column r(t, s) of q a^T. gather selects columns; its index is [H, T, S].
  // | // 3. Divide by sqrt(K), hide later keys if causal, softmax.
  // | // 4. Context: w v plus, for each distance, the sum of its weights times its row of b. scatter_add adds them up.
  // | return matmul(softmax(matmul(q, transpose(k, 1, 2)) / std::sqrt(static_cast<double>(q.size(2))), -1), v);
  // ---- filled ----
  const int64_t H = q.size(0), T = q.size(1), S = k.size(1), K = q.size(2), R = (tables.keys.size(0) - 1) / 2;
  std::vector<int64_t> rows;
  std::vector<int> later;
  for (int64_t t = 0; t < T; ++t) {
    for (int64_t s = 0; s < S; ++s) {
      const int64_t distance = s - (first + t);
      rows.push_back(std::clamp(distance, -R, R) + R);
      later.push_back(distance > 0);
    }
  }
  Tensor index = Tensor::from(rows, {1, T, S}).expand({H, T, S}).contiguous();
  Variable by_distance = matmul(q, transpose(tables.keys, 0, 1));  // [H, T, 2 R + 1]
  Variable scores = matmul(q, transpose(k, 1, 2)) + gather(by_distance, index);
  scores = scores / std::sqrt(static_cast<double>(K));
  if (causal) scores = masked_fill(scores, Tensor::from_bools(later, {T, S}), -INFINITY);
  Variable w = softmax(scores, -1);                  // [H, T, S]
  Variable sums = scatter_add(w, index, 2 * R + 1);  // [H, T, 2 R + 1]
  return matmul(w, v) + matmul(sums, tables.values);
  // ---- end of the gap ----
}

}  // namespace mine
