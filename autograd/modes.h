// Modes of the engine: thread-local settings that last as long as an object lives.
//
//   NoGrad guard;                  nothing is recorded
//   Anomaly guard;                 the first NaN (or infinity from finite inputs) is an error that says where it arose
//   NameScope guard("encoder");    names in errors, nodes and pictures            (tensor/scope.h)
//   Profile profile;               time and work of every kernel                  (tensor/profile.h)
//   LeakCheck check;  check.leaked()   live nodes and tensors compared with the start
#pragma once

#include <span>

#include "autograd/node.h"
#include "tensor/scope.h"

namespace heed {

namespace detail {  // in the header, because every operation reads them
inline constinit thread_local bool grad_enabled = true, anomaly = false, recomputing = false;
}
inline bool& grad_enabled_slot() { return detail::grad_enabled; }
inline bool grad_enabled() { return grad_enabled_slot(); }

class GradMode {  // recording on or off
 public:
  explicit GradMode(bool enabled) : scope_(grad_enabled_slot(), enabled) {}

 private:
  ScopedValue<bool> scope_;
};
class NoGrad : public GradMode {
 public:
  NoGrad() : GradMode(false) {}
};

// Whether this is the second run of a function under a checkpoint: what the first run counted or kept must stay
// as it is.
inline bool& recomputing_slot() { return detail::recomputing; }
inline bool recomputing() { return recomputing_slot(); }

inline bool& anomaly_slot() { return detail::anomaly; }
class Anomaly {
 public:
  Anomaly() : scope_(anomaly_slot(), true) {}

 private:
  ScopedValue<bool> scope_;
};

// One input of an operation: an edge to the node that made it.
struct Input {
  Input(const Variable& v, bool may_broadcast = false) {  // NOLINT: implicit, so that {x, w} reads as the inputs
    if (grad_enabled() && v.requires_grad()) edge = {v.node(), v.index(), may_broadcast};
    if (anomaly_slot()) seen = v;
  }
  Edge edge;
  Variable seen;  // the value, kept only while an Anomaly exists, whose errors show the inputs
};
// An input that the operation may repeat along axes, by NumPy's rule; backward sums its gradient over them.
inline Input broadcast(const Variable& v) { return Input(v, true); }

// GraphError if the result y of `operation` holds NaN, or an infinity although every input was finite. Operations that
// write masks (where, masked_fill) may give infinities.
void check_anomaly(const char* operation, std::span<const Input> inputs, const Tensor& y);
// The same for dx, the gradient of input i that the node computed from dy.
void check_anomaly(const Node& node, std::span<const Variable> dy, size_t i, const Tensor& dx);

class LeakCheck {  // counts nodes and tensors that this thread created and destroyed
 public:
  LeakCheck() : nodes_(live_nodes()), storages_(live_storages()) {}
  int64_t nodes() const { return live_nodes() - nodes_; }
  int64_t tensors() const { return live_storages() - storages_; }
  bool leaked() const { return nodes() != 0 || tensors() != 0; }

 private:
  int64_t nodes_, storages_;
};

}  // namespace heed
