#include "tutorials/25_cls_and_masked_words/exercises/2_push.h"

namespace mine {

using namespace heed;

// | // The gap pushes all sentences away, those of the same pair, too.
Tensor gradient(const Tensor& p) {
  int64_t B = p.size(0);
  Tensor ds = p.clone();
  // ---- the gap: pull the pairs together ----
  // | for (int64_t i = 0; i < ds.count(); ++i) ds.data<double>()[i] /= static_cast<double>(B);
  // ---- filled ----
  for (int64_t i = 0; i < B; ++i) ds.data<double>()[i * B + i] -= 1;
  for (int64_t i = 0; i < ds.count(); ++i) ds.data<double>()[i] /= static_cast<double>(B);
  // ---- end of the gap ----
  return ds;
}

}  // namespace mine
