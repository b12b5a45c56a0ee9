#include "nn/attention/stage.h"

#include "tensor/indexing.h"

namespace heed::nn {

void AlignmentState::keep(const Tensor& rows) {
  auto pick = [&](Variable& v) {
    if (v.defined()) v = index_select(v.value(), rows);
  };
  pick(alignment);
  pick(weights);
  pick(total);
  pick(carried);
}

}  // namespace heed::nn
