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

// Sets a thread-local value; the destructor restores the old one. NameScope and the modes of autograd/modes.h use it.
template <class T>
class ScopedValue {
 public:
  ScopedValue(T& slot, T value) : slot_(slot), saved_(slot) { slot = value; }
  ~ScopedValue() { slot_ = saved_; }
  ScopedValue(const ScopedValue&) = delete;
  ScopedValue& operator=(const ScopedValue&) = delete;

 private:
  T& slot_;
  T saved_;
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
