// A loop is cut into pieces, and the pieces into shares, one per thread. A thread takes the pieces of its own share, so
// in the next loop over the same numbers it finds them in its cache; then it takes what is left of the other shares.
//
//   share 0 [ 0 | 1 | 2 | 3 ]   the caller            ticket of a share
//   share 1 [ 4 | 5 | 6 | 7 ]   worker 1              [ number of the loop : 32 | pieces not yet taken : 32 ]
//   share 2 [ 8 | 9 |10 |11 ]   worker 2              one compare-and-swap takes a piece of exactly this loop
//
// When no piece is left, the caller waits only for those that others are still working on. So a worker that the
// operating system has not scheduled causes no delay: the others take its share.
#include "tensor/thread_pool.h"

#include <fmt/format.h>
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tensor/callers.h"
#include "tensor/error.h"
#include "tensor/processors.h"
#include "tensor/scope.h"
#include "tensor/waiting.h"

namespace heed {
namespace {

constexpr int64_t kPiecesEach = 4;  // of a thread: the last piece decides how long the others wait
constexpr size_t kCacheLine = 64;   // what different threads write is this far apart

// Of all loops, while a LoopClock exists.
std::atomic<int> loop_clocks{0};
std::atomic<Nanoseconds> waited{0}, helped{0};
std::atomic<Nanoseconds>* if_counted(std::atomic<Nanoseconds>& sum) {
  return loop_clocks.load(std::memory_order_relaxed) > 0 ? &sum : nullptr;
}

struct alignas(kCacheLine) Share {
  std::atomic<uint64_t> ticket{0};
};
int64_t left_of(uint64_t ticket) { return static_cast<int64_t>(ticket & 0xffffffff); }

// A loop of one caller. A thread reads what is not atomic only after it has taken a piece. The caller waits until that
// piece is finished, so nobody writes it in the meantime.
struct alignas(kCacheLine) Loop {
  int64_t begin = 0, end = 0, pieces = 0;
  RangeFunction call = nullptr;
  void* context = nullptr;
  uint32_t number = 0;
  std::atomic<int> shares{0};
  std::unique_ptr<Share[]> share;  // one per thread
  std::mutex mutex;                // of the error
  std::exception_ptr error;
  alignas(kCacheLine) std::atomic<int> unfinished{0};  // an int: a thread sleeps on its address itself

  int64_t first_of(int64_t i) const { return pieces * i / shares.load(std::memory_order_relaxed); }  // of share i
  void piece(int64_t i) {
    int64_t n = end - begin, b = begin + n * i / pieces, e = begin + n * (i + 1) / pieces;
    try {
      if (b < e) call(context, b, e);
    } catch (...) {
      std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  }
};

int64_t own_process() {
#if defined(__unix__) || defined(__APPLE__)
  return getpid();
#else
  return 0;
#endif
}

class Pool {
 public:
  explicit Pool(int threads) : wake_(std::max(1, usable_processors() - 1)), allowed_(threads - 1) {
    for (Loop& loop : loops_) loop.share = std::make_unique<Share[]>(static_cast<size_t>(threads));
    workers_.reserve(static_cast<size_t>(threads - 1));
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
    } catch (const std::system_error&) {  // a limit of the system; threads() says how many there are
    }
  }
  ~Pool() {
    if (process_ != own_process()) {  // after a fork: the threads are in the other process, and none can be joined
      (void)new std::vector<std::thread>(std::move(workers_));
      return;
    }
    stop_.store(true, std::memory_order_relaxed);
    rounds_.fetch_add(1, std::memory_order_release);
    rounds_.notify_all();
    for (auto& w : workers_) w.join();
  }

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // How many workers may compute now.
  void allow(int workers) {
    if (allowed_.load(std::memory_order_relaxed) != workers) allowed_.store(workers, std::memory_order_relaxed);
  }

  // The loop in this place is computed by at most `threads` threads, the caller included.
  void run(size_t place, int threads, int64_t begin, int64_t end, int64_t pieces, RangeFunction call, void* context) {
    Loop& loop = loops_[place];
    const int shares = static_cast<int>(std::min<int64_t>(threads, pieces));
    loop.begin = begin, loop.end = end, loop.pieces = pieces, loop.call = call, loop.context = context;
    loop.error = nullptr;
    loop.unfinished.store(static_cast<int>(pieces), std::memory_order_relaxed);
    loop.shares.store(shares, std::memory_order_relaxed);
    const uint64_t number = ++loop.number;
    for (int s = 0; s < shares; ++s)
      loop.share[static_cast<size_t>(s)].ticket.store(
          number << 32 | static_cast<uint64_t>(loop.first_of(s + 1) - loop.first_of(s)), std::memory_order_release);
    open_.fetch_or(1U << place, std::memory_order_release);
    rounds_.fetch_add(1, std::memory_order_seq_cst);
    wake(shares - 1);
    take_pieces(loop, /*thread=*/0);
    open_.fetch_and(~(1U << place), std::memory_order_relaxed);
    wait_for_others(loop);
    if (loop.error) std::rethrow_exception(std::exchange(loop.error, nullptr));
  }

  static bool& inside() {  // true on a thread that is already working on a piece
    thread_local bool flag = false;
    return flag;
  }

 private:
  void wake(int helpers) {  // no more than there are processors: of further threads, some would wait for others
    const int asleep = asleep_.load(std::memory_order_seq_cst), awake = static_cast<int>(workers_.size()) - asleep;
    helpers = std::min(helpers, wake_) - awake;
    if (helpers >= asleep) return rounds_.notify_all();
    for (; helpers > 0; --helpers) rounds_.notify_one();
  }

  void take_pieces(Loop& loop, int thread) {
    int taken = 0;
    const int shares = loop.shares.load(std::memory_order_relaxed);  // perhaps of an earlier loop, whose tickets are 0
    for (int n = 0; n < shares; ++n) {
      const int s = (thread + n) % shares;
      std::atomic<uint64_t>& ticket = loop.share[static_cast<size_t>(s)].ticket;
      uint64_t seen = ticket.load(std::memory_order_acquire);
      while (left_of(seen) > 0 && thread <= allowed_.load(std::memory_order_relaxed)) {
        if (!ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel, std::memory_order_acquire))
          continue;
        {
          Stretch working(thread > 0 ? if_counted(helped) : nullptr);
          loop.piece(loop.first_of(s + 1) - left_of(seen));
        }
        ++taken;
        seen = ticket.load(std::memory_order_acquire);
      }
    }
    if (taken > 0 && loop.unfinished.fetch_sub(taken, std::memory_order_acq_rel) == taken) loop.unfinished.notify_one();
  }

  static void wait_for_others(Loop& loop) {
    int left = loop.unfinished.load(std::memory_order_acquire);
    if (left == 0) return;
    Stretch waiting(if_counted(waited));
    for (; left > 0; left = loop.unfinished.load(std::memory_order_acquire)) wait_for_change(loop.unfinished, left);
  }

  void work(int thread) {
    inside() = true;
    for (uint32_t seen = 0;;) {
      if (!changes_soon(rounds_, seen)) {
        asleep_.fetch_add(1, std::memory_order_seq_cst);
        rounds_.wait(seen, std::memory_order_seq_cst);
        asleep_.fetch_sub(1, std::memory_order_relaxed);
      }
      seen = rounds_.load(std::memory_order_acquire);
      if (stop_.load(std::memory_order_relaxed)) return;
      help(thread);
    }
  }

  // Takes pieces of all loops. Each worker begins with another loop than the next one does.
  void help(int thread) {
    const uint32_t open = open_.load(std::memory_order_acquire);
    uint32_t first = open;
    for (int skip = open ? thread % std::popcount(open) : 0; skip > 0; --skip) first &= first - 1;
    for (uint32_t some : {first, open & ~first})
      for (; some != 0; some &= some - 1) take_pieces(loops_[static_cast<size_t>(std::countr_zero(some))], thread);
  }

  std::array<Loop, kCallers> loops_;
  std::vector<std::thread> workers_;
  const int64_t process_ = own_process();
  const int wake_;  // workers that are woken at most for a loop
  std::atomic<bool> stop_{false};
  alignas(kCacheLine) std::atomic<uint32_t> rounds_{0};  // loops so far, of all callers
  std::atomic<uint32_t> open_{0};                        // bit i: loop i has pieces left
  std::atomic<int> allowed_;                             // workers that callers leave processors for
  alignas(kCacheLine) std::atomic<int> asleep_{0};
};

struct Shared {
  std::mutex mutex;  // of starting the pool
  std::unique_ptr<Pool> owner;
  std::atomic<Pool*> pool{nullptr};
  std::atomic<int> threads{std::min(usable_processors(), 256)};
  Places places;
};
Shared& shared() {
  static Shared state;
  return state;
}
// A pool of `wanted` threads or, where the system refuses one, of half as many as could be started: the last ones that
// start leave no memory for the computation.
Pool& the_pool() {
  Shared& s = shared();
  if (Pool* pool = s.pool.load(std::memory_order_acquire)) return *pool;
  std::lock_guard lock(s.mutex);
  if (!s.owner) {
    const int wanted = thread_count();
    auto pool = std::make_unique<Pool>(wanted);
    if (int started = pool->threads(); started < wanted) {
      pool.reset();
      pool = std::make_unique<Pool>(std::max(1, started / 2));
      std::fprintf(stderr, "threads: the system could start %d of %d; the computation uses %d\n", started, wanted,
                   pool->threads());
    }
    s.threads = pool->threads();
    s.owner = std::move(pool);
    s.pool.store(s.owner.get(), std::memory_order_release);
  }
  return *s.owner;
}

}  // namespace

int thread_count() { return shared().threads.load(std::memory_order_relaxed); }

void set_thread_count(int n) {
  if (n < 1 || n > 256) throw ValueError(fmt::format("set_thread_count: needs 1 to 256; got {}", n));
  if (Pool::inside())
    throw ValueError("set_thread_count: must be called outside parallel loops; got a call from inside one");
  Shared& s = shared();
  s.places.take_all();  // no loop may run meanwhile
  s.threads = n;
  if (s.owner && s.owner->threads() != n) s.pool = nullptr, s.owner.reset();
  crowded_until = 0;
  s.places.leave_all();
}

LoopTimes loop_times() { return {static_cast<double>(waited) * 1e-9, static_cast<double>(helped) * 1e-9}; }
LoopClock::LoopClock() { ++loop_clocks; }
LoopClock::~LoopClock() { --loop_clocks; }

void parallel_ranges(int64_t begin, int64_t end, int64_t grain, RangeFunction call, void* context) {
  if (Pool::inside()) return call(context, begin, end);
  Shared& s = shared();
  const Place place(s.places);
  if (!place) return call(context, begin, end);
  ScopedValue<bool> working(Pool::inside(), true);
  Pool& pool = the_pool();
  grain = std::max<int64_t>(grain, 1);
  const int threads = std::max(1, pool.threads() - s.places.others(nanoseconds_now()));
  pool.allow(threads - 1);
  const int64_t pieces = std::min(kPiecesEach * threads, (end - begin + grain - 1) / grain);
  if (threads == 1 || pieces <= 1) return call(context, begin, end);
  pool.run(place.index(), threads, begin, end, pieces, call, context);
}

}  // namespace heed
