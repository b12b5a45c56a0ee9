// Ref<T>: a pointer that counts its owners inside the object (T has `uint64_t refs` and `static void destroy(T*)`).
//
// The count is a plain integer: a handle belongs to one thread at a time. Kernels hand raw pointers to the pool, never
// handles, so nothing in the engine needs an atomic, and copying a handle costs one increment.
#pragma once

#include <utility>

namespace heed {

template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* p) : p_(p) { retain(); }
  Ref(const Ref& other) : p_(other.p_) { retain(); }
  Ref(Ref&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  ~Ref() {
    if (p_ && --p_->refs == 0) T::destroy(p_);
  }

  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool operator==(const Ref& other) const { return p_ == other.p_; }

 private:
  void retain() {
    if (p_) ++p_->refs;
  }
  T* p_ = nullptr;
};

}  // namespace heed
