// Modes of the engine: thread-local values that live as long as a scope.
//
//   NoGrad guard;                  nothing is recorded
//   Anomaly guard;                 the first NaN (or infinity from finite inputs) is an error that says where
//   NameScope guard("encoder");    names in errors, nodes and pictures            (tensor/scope.h)
//   Profile profile;               time and work of every kernel                  (tensor/profile.h)
//   LeakCheck check;  check.leaked()   live nodes and tensors against the start
#pragma once

#include "autograd/node.h"
#include "tensor/scope.h"

namespace heed {

namespace detail {  // in headers: asked for by every operation
inline constinit thread_local bool grad_enabled = true, anomaly = false;
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

inline bool& anomaly_slot() { return detail::anomaly; }
class Anomaly {
 public:
  Anomaly() : scope_(anomaly_slot(), true) {}

 private:
  ScopedValue<bool> scope_;
};

class LeakCheck {
 public:
  LeakCheck() : nodes_(live_nodes()), storages_(live_storages()) {}
  int64_t nodes() const { return live_nodes() - nodes_; }
  int64_t tensors() const { return live_storages() - storages_; }
  bool leaked() const { return nodes() != 0 || tensors() != 0; }

 private:
  int64_t nodes_, storages_;
};

}  // namespace heed
