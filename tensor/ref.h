// Ref<T>: a reference-counted pointer; the count of owners is inside the object that it points to.
//
// T derives from Counted<T> and has `static void destroy(T*)`, called when the last owner is gone. The count is atomic,
// so handles may be copied, passed on and dropped by any thread; the objects themselves have rules of their own.
// An atomic increment costs 2 to 5 ns, so code that can move a handle does not copy it.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace heed {

template <class T>
class Ref;

template <class T>
class Counted {
 public:
  uint32_t owners() const { return owners_.load(std::memory_order_relaxed); }

 private:
  friend class Ref<T>;
  friend class Ref<const T>;
  mutable std::atomic<uint32_t> owners_{0};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  static Ref made(T* fresh) {  // of a new object that has no owner yet: no atomic increment is needed
    fresh->owners_.store(1, std::memory_order_relaxed);
    return adopt(fresh);
  }
  static Ref adopt(T* counted) {  // takes over one count of ownership, as returned by release()
    Ref ref;
    ref.p_ = counted;
    return ref;
  }
  explicit Ref(T* p) : p_(p) { retain(); }
  Ref(const Ref& other) : p_(other.p_) { retain(); }
  Ref(Ref&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(p_, other.p_);
    return *this;
  }
  ~Ref() {
    if (!p_) return;
    // The only owner need not decrement: nobody else has a handle to copy in the meantime.
    if (p_->owners_.load(std::memory_order_acquire) == 1 || p_->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      T::destroy(p_);
  }

  T* release() { return std::exchange(p_, nullptr); }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool operator==(const Ref& other) const { return p_ == other.p_; }

 private:
  void retain() {
    if (p_) p_->owners_.fetch_add(1, std::memory_order_relaxed);
  }
  T* p_ = nullptr;
};

}  // namespace heed
