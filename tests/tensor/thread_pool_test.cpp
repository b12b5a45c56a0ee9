// The pool: every item exactly once, whatever the sizes, the threads, the nesting and the errors.
#include "tensor/thread_pool.h"

#include <doctest/doctest.h>
#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "tensor/callers.h"
#include "tests/tensor/support.h"

using namespace heed;
using test::sentence;
using test::Threads;

namespace {

// How often each item of [0, n) is visited.
std::vector<int> visits(int64_t n, int64_t grain) {
  std::vector<int> seen(static_cast<size_t>(n));
  parallel_for(0, n, grain, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) ++seen[static_cast<size_t>(i)];
  });
  return seen;
}
bool once(const std::vector<int>& seen) {
  return std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; });
}

}  // namespace

TEST_CASE("every item once, for all small sizes, grains and numbers of threads") {
  for (int threads : {1, 2, 3, 5}) {
    Threads use(threads);
    CHECK(thread_count() == threads);
    for (int64_t n = 0; n < 40; ++n)
      for (int64_t grain : {0, 1, 2, 7, 100}) REQUIRE(once(visits(n, grain)));
  }
}

TEST_CASE("the range need not begin at 0, and is cut into at most four pieces a thread") {
  Threads use(3);
  std::atomic<int64_t> sum{0}, pieces{0};
  parallel_for(-5, 1000, 1, [&](int64_t b, int64_t e) {
    ++pieces;
    for (int64_t i = b; i < e; ++i) sum += i;
  });
  CHECK(sum == 999 * 1000 / 2 - 15);
  CHECK(pieces <= 4 * 3);
  CHECK(pieces > 3);
}

TEST_CASE("what is not worth waking others for stays on the caller") {
  Threads use(3);
  std::thread::id caller = std::this_thread::get_id();
  int calls = 0;
  parallel_for(0, 100, 100, [&](int64_t b, int64_t e) {
    ++calls;
    CHECK((b == 0 && e == 100));
    CHECK(std::this_thread::get_id() == caller);
  });
  CHECK(calls == 1);
  parallel_for(5, 5, 1, [&](int64_t, int64_t) { ++calls; });
  parallel_for(5, 3, 1, [&](int64_t, int64_t) { ++calls; });
  CHECK(calls == 1);
}

TEST_CASE("several threads take part") {
  Threads use(2);
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  parallel_for(0, 2, 1, [&](int64_t, int64_t) {  // each piece waits for the other: only two threads can pass
    ++inside;
    for (int64_t spin = 0; spin < 2000000000 && inside < 2; ++spin) std::this_thread::yield();
    if (inside == 2) met = true;
  });
  CHECK(met);
}

TEST_CASE("an error of any piece reaches the caller, and the pool lives on") {
  Threads use(3);
  for (int64_t bad : {0, 50, 99})
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::string text = sentence<std::runtime_error>([&] {
        parallel_for(0, 100, 1, [&](int64_t b, int64_t e) {
          if (b <= bad && bad < e) throw std::runtime_error("piece of " + std::to_string(bad));
        });
      });
      REQUIRE(text == "piece of " + std::to_string(bad));
    }
  CHECK_THROWS_AS(parallel_for(0, 100, 1, [](int64_t, int64_t) { throw std::runtime_error("all"); }),
                  std::runtime_error);
  CHECK(once(visits(1000, 1)));
}

TEST_CASE("nested calls run inline") {
  Threads use(3);
  std::vector<int> seen(60 * 60);
  std::atomic<int> inner_calls{0};
  parallel_for(0, 60, 1, [&](int64_t b, int64_t e) {
    std::thread::id self = std::this_thread::get_id();
    for (int64_t i = b; i < e; ++i)
      parallel_for(0, 60, 1, [&](int64_t c, int64_t d) {
        ++inner_calls;
        if (std::this_thread::get_id() != self) throw std::runtime_error("moved to another thread");
        for (int64_t j = c; j < d; ++j) ++seen[static_cast<size_t>(60 * i + j)];
      });
  });
  CHECK(once(seen));
  CHECK(inner_calls == 60);
}

TEST_CASE("threads of the user at once: each gets its own loop") {
  for (int threads : {2, 3, 8})
    for (int callers : {2, 3, 20}) {  // of 20 some find no place, and compute alone
      Threads use(threads);
      std::atomic<int> wrong{0};
      std::vector<std::thread> users;
      for (int c = 0; c < callers; ++c)
        users.emplace_back([&, c] {
          for (int64_t i = 0; i < 100; ++i)
            if (!once(visits(100 + 7 * i + c, 1))) ++wrong;
        });
      for (std::thread& t : users) t.join();
      CHECK(wrong == 0);
    }
}

namespace {

// Calls f while a loop of another thread runs, in which only that thread has something to do.
template <class F>
void beside_another_caller(const F& f) {
  std::atomic<bool> begun{false}, ended{false};
  std::thread other([&] {
    const std::thread::id caller = std::this_thread::get_id();
    parallel_for(0, 100, 1, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != caller) return;
      begun = true;
      while (!ended) std::this_thread::yield();
    });
  });
  while (!begun) std::this_thread::yield();
  f();
  ended = true;
  other.join();
}

}  // namespace

TEST_CASE("two callers of two threads: neither waits, and no third thread computes") {
  Threads use(2);
  std::mutex mutex;
  std::set<std::thread::id> computed;
  beside_another_caller([&] {
    parallel_for(0, 8, 1, [&](int64_t, int64_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      std::lock_guard lock(mutex);
      computed.insert(std::this_thread::get_id());
    });
  });
  CHECK(computed == std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_CASE("two callers of three threads: the worker helps the second one, too") {
  Threads use(3);
  std::atomic<int> inside{0};
  std::atomic<bool> met{false};
  beside_another_caller([&] {
    parallel_for(0, 2, 1, [&](int64_t, int64_t) {  // each piece waits for the other
      ++inside;
      for (int64_t spin = 0; spin < 20000000 && inside < 2; ++spin) std::this_thread::yield();
      if (inside == 2) met = true;
    });
  });
  CHECK(met);
}

TEST_CASE("the pieces of a slow thread's share are taken by the others") {
  Threads use(2);
  std::atomic<int> begun{0};
  std::atomic<bool> slow{false}, all{false};
  const std::thread::id caller = std::this_thread::get_id();
  parallel_for(0, 8, 1, [&](int64_t, int64_t) {  // the first piece of the caller ends when all others have begun
    ++begun;
    if (std::this_thread::get_id() != caller || slow.exchange(true)) return;
    for (int64_t spin = 0; spin < 20000000 && begun < 8; ++spin) std::this_thread::yield();
    all = begun == 8;
  });
  CHECK(all);
}

TEST_CASE("the pool can be resized between jobs, from 1 to 256") {
  int before = thread_count();
  for (int n : {1, 4, 2, 3, 1, 2, 7}) {
    set_thread_count(n);
    for (int i = 0; i < 20; ++i) REQUIRE(once(visits(300, 1)));
  }
  CHECK(thread_count() == 7);
  set_thread_count(before);
}

TEST_CASE("the pool is resized while others compute without a pause") {
  const int before = thread_count();
  set_thread_count(2);
  std::atomic<bool> stop{false}, wrong{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i)
    callers.emplace_back([&] {
      while (!stop) wrong = wrong || !once(visits(300, 1));
    });
  for (int n : {3, 1, 2, 4, 2}) set_thread_count(n);  // each comes back, though the callers leave no gap
  stop = true;
  for (std::thread& caller : callers) caller.join();
  CHECK(!wrong);
  set_thread_count(before);
}

TEST_CASE("callers: while somebody waits for all loops, a new one stays with its caller, though places are free") {
  Places places;
  REQUIRE(places.take(0));  // a loop that runs
  std::thread waiting([&] {
    places.take_all();
    places.leave_all();
  });
  for (int i = 0; i < 1'000'000 && !places.closed(); ++i) std::this_thread::yield();
  for (int i = 0; i < 1000; ++i) CHECK(!Place(places));
  places.leave(0, 0);
  waiting.join();
  CHECK(bool(Place(places)));
}

#if defined(__unix__) && !defined(HEED_SANITIZED)
TEST_CASE("a fork computes alone, may start threads of its own, and ends") {
  const int before = thread_count();
  set_thread_count(8);
  CHECK(once(visits(300, 1)));  // the pool is there
  const pid_t child = fork();
  if (child == 0) {
    const bool alone = once(visits(300, 1));
    set_thread_count(3);
    std::exit(alone && once(visits(300, 1)) ? 0 : 1);  // which ends the pool, too
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  set_thread_count(before);
}
#endif

TEST_CASE("workers that fell asleep wake up") {
  Threads use(2);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(once(visits(1000, 1)));
  }
}
