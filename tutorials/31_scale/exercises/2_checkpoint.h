// Exercise 31.2: checkpointing a chain of layers by hand.
//
//   x_0 -> layer 0 -> x_1 -> layer 1 -> .. -> layer n-1 -> x_n           dx_i = layer i backward, from x_i and dx_{i+1}
//
//   forward    run all layers; keep only x_i where a segment begins: i = 0, m, 2m, ..        (m layers per segment)
//   backward   for each segment, the last one first: compute the inputs of its other layers again from the one that
//              was kept, go backward through its layers, and drop its inputs
//
// n need not be a multiple of m: the last segment may be shorter. At most ceil(n / m) + m - 1 inputs may be kept at a
// time, and forward may be called at most 2 n times. Keep inputs in the store only: keep(i, x), at(i), drop(i). The
// store must be empty at the end.
//
// Chen, Xu, Zhang and Guestrin, arXiv:1604.06174, section 4.3.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

namespace mine {

using Numbers = std::vector<double>;

struct Layer {
  std::function<Numbers(const Numbers& x)> forward;                      // x_{i+1}
  std::function<Numbers(const Numbers& x, const Numbers& dy)> backward;  // dx_i; x is x_i, dy is dx_{i+1}
};

// The inputs of layers that are kept. It counts how many there are.
class Store {
 public:
  void keep(int i, const Numbers& x) { kept_[i] = x, most_ = std::max(most_, kept_.size()); }
  const Numbers& at(int i) const { return kept_.at(i); }
  void drop(int i) { kept_.erase(i); }
  std::size_t size() const { return kept_.size(); }
  std::size_t most() const { return most_; }

 private:
  std::map<int, Numbers> kept_;
  std::size_t most_ = 0;
};

// Returns dx_0. `loss` gives dx_n for x_n.
Numbers gradient(const std::vector<Layer>& layers, int per_segment, const Numbers& x,
                 const std::function<Numbers(const Numbers&)>& loss, Store& store);

}  // namespace mine
