#include "tutorials/23_positions/exercises/3_relative.h"

#include <algorithm>
#include <cmath>

namespace mine {

using namespace heed;

// The gap is attention without positions and without a mask.
Variable relative_attention(const Variable& q, const Variable& k, const Variable& v,
                            [[maybe_unused]] const Tables& tables, [[maybe_unused]] int64_t first,
                            [[maybe_unused]] bool causal) {
  // ---- the gap: about 20 lines ----
  // 1. For each pair (t, s): the row r(t, s) of the tables, and whether the key is later than the query.
  // 2. Scores: q k^T plus, for each pair, column r(t, s) of q a^T. gather selects columns; its index is [H, T, S].
  // 3. Divide by sqrt(K), hide later keys if causal, softmax.
  // 4. Context: w v plus, for each distance, the sum of its weights times its row of b. scatter_add adds them up.
  return matmul(softmax(matmul(q, transpose(k, 1, 2)) / std::sqrt(static_cast<double>(q.size(2))), -1), v);
  // ---- end of the gap ----
}

}  // namespace mine
