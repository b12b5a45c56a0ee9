#include "tutorials/31_scale/exercises/2_checkpoint.h"

namespace mine {

// The gap keeps every input: the gradient is right, the memory is not.
Numbers gradient(const std::vector<Layer>& layers, int per_segment, const Numbers& x,
                 const std::function<Numbers(const Numbers&)>& loss, Store& store) {
  const int n = static_cast<int>(layers.size());
  auto layer = [&](int i) { return layers[static_cast<std::size_t>(i)]; };
  // ---- the gap: about 15 lines, forward and backward segment by segment ----
  (void)per_segment;
  Numbers h = x;
  for (int i = 0; i < n; ++i) {
    store.keep(i, h);
    h = layer(i).forward(h);
  }
  Numbers dh = loss(h);
  for (int i = n - 1; i >= 0; --i) dh = layer(i).backward(store.at(i), dh);
  return dh;
  // ---- end of the gap ----
}

}  // namespace mine
