// Workers spin for some microseconds after a job, since the next kernel usually follows at once, and then sleep on a
// condition variable. A job is published by raising its number; the caller waits until every worker has counted itself
// out.
#include "tensor/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tensor/error.h"
#include "tensor/scope.h"

namespace heed {
namespace {

constexpr int kSpins = 400;  // some tens of microseconds

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      job_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    for (auto& w : workers_) w.join();
  }

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  void run(int64_t begin, int64_t end, int64_t pieces, RangeFunction call, void* context) {
    begin_ = begin, end_ = end, pieces_ = pieces, call_ = call, context_ = context;
    error_ = nullptr;
    pending_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
    job_.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) {
      std::lock_guard lock(mutex_);  // a worker about to sleep has either seen the new job or holds the lock
      wake_.notify_all();
    }
    piece(0);
    for (int spin = 0; pending_.load(std::memory_order_acquire) > 0; ++spin)
      spin < kSpins ? relax() : std::this_thread::yield();  // on a crowded machine a worker may not be running at all
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void piece(int64_t i) {
    if (i >= pieces_) return;
    int64_t n = end_ - begin_;
    int64_t b = begin_ + n * i / pieces_, e = begin_ + n * (i + 1) / pieces_;
    try {
      if (b < e) call_(context_, b, e);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  void work(int i) {
    uint64_t done = 0;
    for (;;) {
      for (int spin = 0; spin < kSpins && job_.load(std::memory_order_acquire) == done; ++spin) relax();
      if (job_.load(std::memory_order_acquire) == done) {
        std::unique_lock lock(mutex_);
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        wake_.wait(lock, [&] { return job_.load(std::memory_order_seq_cst) != done; });
        sleepers_.fetch_sub(1, std::memory_order_seq_cst);
      }
      done = job_.load(std::memory_order_acquire);
      if (stop_) return;
      inside() = true;
      piece(i);
      pending_.fetch_sub(1, std::memory_order_release);
    }
  }

 public:
  static bool& inside() {  // true on a thread that is already working on a piece
    thread_local bool flag = false;
    return flag;
  }

 private:
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<uint64_t> job_{0};
  std::atomic<int> pending_{0}, sleepers_{0};
  bool stop_ = false;
  int64_t begin_ = 0, end_ = 0, pieces_ = 0;
  RangeFunction call_ = nullptr;
  void* context_ = nullptr;
  std::exception_ptr error_;
};

struct Shared {
  std::mutex mutex;  // one job at a time: a second user thread runs its range inline
  std::unique_ptr<Pool> pool;
  std::atomic<int> threads{static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 256u))};
};
Shared& shared() {
  static Shared state;
  return state;
}

}  // namespace

int thread_count() { return shared().threads.load(std::memory_order_relaxed); }

void set_thread_count(int n) {
  if (n < 1 || n > 256) throw ValueError(fmt::format("set_thread_count: needs 1 to 256; got {}", n));
  if (Pool::inside()) throw ValueError("set_thread_count: must not be called from inside a parallel loop");
  std::lock_guard lock(shared().mutex);
  shared().threads = n;
  if (shared().pool && shared().pool->threads() != n) shared().pool.reset();
}

void parallel_ranges(int64_t begin, int64_t end, int64_t grain, RangeFunction call, void* context) {
  std::unique_lock lock(shared().mutex, std::defer_lock);
  if (Pool::inside() || !lock.try_lock()) return call(context, begin, end);
  int threads = thread_count();
  if (!shared().pool) shared().pool = std::make_unique<Pool>(threads);
  grain = std::max<int64_t>(grain, 1);
  int64_t pieces = std::min<int64_t>(threads, (end - begin + grain - 1) / grain);
  ScopedValue<bool> working(Pool::inside(), true);
  shared().pool->run(begin, end, pieces, call, context);
}

}  // namespace heed
