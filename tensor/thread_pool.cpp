// A job is a range cut into pieces, and a ticket that counts the pieces not yet taken. The caller and the workers take
// pieces until none is left; then the caller waits only for the pieces that others are still working on. So a worker
// that the operating system has not scheduled causes no delay: the caller does its share.
//
//   ticket   [ job number : 32 | pieces not yet taken : 32 ]   one compare-and-swap takes a piece of exactly this job
//
// A waiting thread first spins for some microseconds, because the next kernel usually follows at once; then it yields
// its processor; then it sleeps, so that two programs on one machine do not take processor time from each other.
#include "tensor/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "tensor/crowd.h"
#include "tensor/error.h"
#include "tensor/processors.h"
#include "tensor/scope.h"

namespace heed {
namespace {

constexpr int kSpins = 400;    // tens of microseconds
constexpr int kYields = 1000;  // half a millisecond on an idle machine; on a busy one, other threads run

// Of all pools, in nanoseconds, while a LoopClock exists.
std::atomic<int> loop_clocks{0};
std::atomic<int64_t> waited{0}, helped{0};

// Adds the time from its construction to its destruction to `sum`, if a LoopClock exists.
class Stretch {
 public:
  explicit Stretch(std::atomic<int64_t>* sum) : sum_(loop_clocks.load(std::memory_order_relaxed) > 0 ? sum : nullptr) {
    if (sum_) start_ = std::chrono::steady_clock::now();
  }
  ~Stretch() {
    if (sum_) *sum_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count();
  }
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;

 private:
  std::atomic<int64_t>* sum_;
  std::chrono::steady_clock::time_point start_;
};

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Spins until `value` is no longer `old`; false if it still is.
template <class T>
bool changes_at_once(const std::atomic<T>& value, T old) {
  for (int spin = 0; spin < kSpins; ++spin, relax())
    if (value.load(std::memory_order_acquire) != old) return true;
  return false;
}
// After that: yields, then sleeps. Waking a sleeping thread takes longer than most kernels of a small model.
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
  for (int yields = 0; yields < kYields; ++yields, std::this_thread::yield())
    if (value.load(std::memory_order_acquire) != old) return;
  value.wait(old, std::memory_order_acquire);
}

class Pool {
 public:
  explicit Pool(int threads) : watch_(static_cast<size_t>(threads)) {
    workers_.reserve(static_cast<size_t>(threads - 1));
    at_work_ = std::make_unique<std::atomic<bool>[]>(static_cast<size_t>(threads - 1));
    try {
      for (int i = 1; i < threads; ++i)
        workers_.emplace_back([this, i] { work(at_work_[static_cast<size_t>(i - 1)]); });
    } catch (const std::system_error&) {  // a limit of the system; threads() says how many there are
    }
  }
  ~Pool() {
    stop_.store(true, std::memory_order_relaxed);
    jobs_.fetch_add(1, std::memory_order_release);
    jobs_.notify_all();
    for (auto& w : workers_) w.join();
  }

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Has the caller waited for a worker that had no processor?
  bool run(int64_t begin, int64_t end, int pieces, RangeFunction call, void* context) {
    begin_ = begin, end_ = end, pieces_ = pieces, call_ = call, context_ = context;
    error_ = nullptr;
    unfinished_.store(pieces, std::memory_order_relaxed);
    uint32_t job = jobs_.load(std::memory_order_relaxed) + 1;
    ticket_.store(static_cast<uint64_t>(job) << 32 | static_cast<uint64_t>(pieces), std::memory_order_release);
    jobs_.store(job, std::memory_order_seq_cst);
    jobs_.notify_all();
    take_pieces(/*helping=*/nullptr);
    bool in_vain = wait_for_others();
    if (error_) std::rethrow_exception(error_);
    return in_vain;
  }

 private:
  // A thread reads the fields of a job only after it has taken a piece. The caller waits until that piece is finished,
  // so nobody writes the fields in the meantime.
  void take_pieces(std::atomic<int64_t>* helping) {
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while ((ticket & 0xffffffff) != 0) {
      if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      {
        Stretch working(helping);
        piece(static_cast<int64_t>(ticket & 0xffffffff) - 1);
      }
      if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
      ticket = ticket_.load(std::memory_order_acquire);
    }
  }

  void piece(int64_t i) {
    int64_t n = end_ - begin_;
    int64_t b = begin_ + n * i / pieces_, e = begin_ + n * (i + 1) / pieces_;
    try {
      if (b < e) call_(context_, b, e);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  bool wait_for_others() {
    Stretch waiting(&waited);
    bool in_vain = false;
    for (int left; (left = unfinished_.load(std::memory_order_acquire)) > 0;) {
      if (changes_at_once(unfinished_, left)) continue;
      watch_workers();
      wait_for_change(unfinished_, left);
      in_vain = watch_.in_vain() || in_vain;
    }
    return in_vain;
  }
  void watch_workers() {  // those that have a piece
    watch_.begin();
    for (size_t i = 0; i < workers_.size(); ++i)
      if (at_work_[i].load(std::memory_order_relaxed)) watch_.add(workers_[i]);
  }

  void work(std::atomic<bool>& at_work) {
    inside() = true;
    for (uint32_t seen = 0;;) {
      if (!changes_at_once(jobs_, seen)) wait_for_change(jobs_, seen);
      seen = jobs_.load(std::memory_order_acquire);
      if (stop_.load(std::memory_order_relaxed)) return;
      at_work.store(true, std::memory_order_relaxed);
      take_pieces(&helped);
      at_work.store(false, std::memory_order_relaxed);
    }
  }

 public:
  static bool& inside() {  // true on a thread that is already working on a piece
    thread_local bool flag = false;
    return flag;
  }

 private:
  std::vector<std::thread> workers_;
  std::unique_ptr<std::atomic<bool>[]> at_work_;  // of each worker
  Watch watch_;
  std::mutex mutex_;  // of error_
  std::atomic<uint64_t> ticket_{0};
  std::atomic<uint32_t> jobs_{0};
  std::atomic<int> unfinished_{0};
  std::atomic<bool> stop_{false};
  int64_t begin_ = 0, end_ = 0, pieces_ = 0;
  RangeFunction call_ = nullptr;
  void* context_ = nullptr;
  std::exception_ptr error_;
};

struct Shared {
  std::mutex mutex;  // one job at a time: a second thread that calls parallel_for runs its range itself
  std::unique_ptr<Pool> pool;
  Crowd crowd;
  std::atomic<int> threads{std::min(usable_processors(), 256)};
};
Shared& shared() {
  static Shared state;
  return state;
}

// A pool of `wanted` threads or, where the system refuses one, of half as many as could be started: the last ones that
// start leave no memory for the computation. Returns the number of threads.
int start_pool(int wanted) {
  auto pool = std::make_unique<Pool>(wanted);
  if (int started = pool->threads(); started < wanted) {
    pool.reset();
    pool = std::make_unique<Pool>(std::max(1, started / 2));
    std::fprintf(stderr, "threads: the system could start %d of %d; the computation uses %d\n", started, wanted,
                 pool->threads());
  }
  shared().threads = pool->threads();
  shared().pool = std::move(pool);
  return shared().threads;
}

}  // namespace

int thread_count() { return shared().threads.load(std::memory_order_relaxed); }

void set_thread_count(int n) {
  if (n < 1 || n > 256) throw ValueError(fmt::format("set_thread_count: needs 1 to 256; got {}", n));
  if (Pool::inside())
    throw ValueError("set_thread_count: must be called outside parallel loops; got a call from inside one");
  std::lock_guard lock(shared().mutex);
  shared().threads = n;
  shared().crowd = {};
  if (shared().pool && shared().pool->threads() != n) shared().pool.reset();
}

LoopTimes loop_times() { return {static_cast<double>(waited) * 1e-9, static_cast<double>(helped) * 1e-9}; }
LoopClock::LoopClock() { ++loop_clocks; }
LoopClock::~LoopClock() { --loop_clocks; }

void parallel_ranges(int64_t begin, int64_t end, int64_t grain, RangeFunction call, void* context, Lasts lasts) {
  std::unique_lock lock(shared().mutex, std::defer_lock);
  if (Pool::inside() || !lock.try_lock()) return call(context, begin, end);
  int threads = thread_count();
  if (!shared().pool) threads = start_pool(threads);
  grain = std::max<int64_t>(grain, 1);
  int pieces = static_cast<int>(std::min<int64_t>(threads, (end - begin + grain - 1) / grain));
  if (lasts == Lasts::milliseconds) pieces = std::min(pieces, threads - shared().crowd.left_out());
  ScopedValue<bool> working(Pool::inside(), true);
  if (pieces <= 1) return call(context, begin, end);
  if (shared().pool->run(begin, end, pieces, call, context))
    shared().crowd.noticed(std::chrono::steady_clock::now(), threads);
}

}  // namespace heed
