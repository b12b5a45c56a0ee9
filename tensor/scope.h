// The module that is running: a thread-local path of module names, such as "encoder.layers.1.self_attn".
//
// NameScope appends one name while it lives. Errors, in-place writes, graph nodes, graph pictures and profiles read
// current_path(). A path is an interned number: entering a scope costs a look-up, storing a path costs four bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed {

using PathId = uint32_t;  // 0 is the empty path

const std::string& path_name(PathId path);                 // "" for 0
PathId extend_path(PathId parent, std::string_view name);  // interned "parent.name"

// Sets a thread-local value while it lives, and then restores the old one. Scopes may end in any order: while several
// live, the value is that of the newest. If a scope ends before a newer one, the newer one will restore the value that
// this scope had saved. All thread-local guards of heed use it (NameScope, the modes of autograd/modes.h, Profile, ..).
// A scope must end before its thread does.
template <class T>
class ScopedValue {
 public:
  ScopedValue(T& slot, T value) : slot_(slot), saved_(slot), newest_(newest), outer_(newest) {
    slot = value;
    newest = this;
  }
  ~ScopedValue() {
    T* heir = &slot_;
    ScopedValue** link = &newest_;
    for (; *link != this; link = &(*link)->outer_)
      if (&(*link)->slot_ == &slot_) heir = &(*link)->saved_;
    *heir = saved_;
    *link = outer_;
  }
  ScopedValue(const ScopedValue&) = delete;
  ScopedValue& operator=(const ScopedValue&) = delete;
  const T& outer() const { return saved_; }  // the value of the scope around this one

 private:
  static inline constinit thread_local ScopedValue* newest = nullptr;  // of this thread, for any slot of this type
  T& slot_;
  T saved_;
  ScopedValue*& newest_;
  ScopedValue* outer_;
};

namespace detail {
inline constinit thread_local PathId path = 0;
}
inline PathId& path_slot() { return detail::path; }  // the thread's current path
inline PathId current_path() { return path_slot(); }

class NameScope {
 public:
  explicit NameScope(std::string_view name) : scope_(path_slot(), extend_path(current_path(), name)) {}
  explicit NameScope(PathId absolute) : scope_(path_slot(), absolute) {}

 private:
  ScopedValue<PathId> scope_;
};

// "tanh in decoder.cell", or "tanh" outside any module.
std::string describe(std::string_view operation, PathId path);

}  // namespace heed
