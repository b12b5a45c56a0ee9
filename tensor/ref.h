// Ref<T>: a pointer that counts its owners inside the object it points to.
//
// T derives from Counted<T> and has `static void destroy(T*)`, called when the last owner lets go. The count is atomic,
// so handles may be copied, handed over and dropped by any thread; what they point to is protected by its own rules.
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
  static Ref made(T* fresh) {  // of an object that nobody else knows yet: no atomic increment is needed
    fresh->owners_.store(1, std::memory_order_relaxed);
    return adopt(fresh);
  }
  static Ref adopt(T* counted) {  // takes over one owner's share, as release() gave it away
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
    // A sole owner need not subtract: nobody is left who could copy the handle meanwhile.
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
