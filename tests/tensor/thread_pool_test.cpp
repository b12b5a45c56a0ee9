// The pool: every item exactly once, whatever the sizes, the threads, the nesting and the errors.
#include "tensor/thread_pool.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tensor/crowd.h"
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

TEST_CASE("the range need not begin at 0, and is cut into at most one piece a thread") {
  Threads use(3);
  std::atomic<int64_t> sum{0}, pieces{0};
  parallel_for(-5, 1000, 1, [&](int64_t b, int64_t e) {
    ++pieces;
    for (int64_t i = b; i < e; ++i) sum += i;
  });
  CHECK(sum == 999 * 1000 / 2 - 15);
  CHECK(pieces <= 3);
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

TEST_CASE("two threads of the user at once") {
  Threads use(3);
  std::atomic<int> wrong{0};
  auto work = [&] {
    for (int i = 0; i < 300; ++i)
      if (!once(visits(500, 1))) ++wrong;
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  CHECK(wrong == 0);
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

TEST_CASE("a crowd: after a wait in vain one thread is left out, for twice as long if it happens again soon") {
  using std::chrono::milliseconds;
  Crowd crowd;
  Crowd::Time now{std::chrono::hours(1)};
  CHECK(crowd.left_out(now) == 0);
  for (int period : {16, 32, 64, 128, 256, 512, 1024, 1024}) {
    crowd.noticed(now, 4);
    CHECK(crowd.left_out(now) == 1);
    CHECK(crowd.left_out(now + milliseconds(period - 1)) == 1);
    now += milliseconds(period);
    CHECK(crowd.left_out(now) == 0);
  }
  now += milliseconds(1024);  // a while without
  crowd.noticed(now, 4);
  CHECK(crowd.left_out(now + milliseconds(15)) == 1);
  CHECK(crowd.left_out(now + milliseconds(16)) == 0);
  for (int out : {2, 3, 3}) {  // again, with one thread left out: there are two such programs
    crowd.noticed(now, 4);
    CHECK(crowd.left_out(now) == out);
  }
}

TEST_CASE("a worker without a processor: the next loops are cut into fewer pieces, and later as before") {
  std::atomic<bool> whole = false;
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!whole && std::chrono::steady_clock::now() < end) {  // on a busy machine this thread may be too late
    Threads two(2);
    std::atomic<int> begun{0};
    std::thread::id caller = std::this_thread::get_id();
    parallel_for(0, 2, 1, [&](int64_t, int64_t) {
      for (++begun; begun < 2;) std::this_thread::yield();
      if (std::this_thread::get_id() != caller) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    parallel_for(0, 2, 1, [&](int64_t b, int64_t e) {
      if (e - b == 2) whole = true;
    });
    parallel_for(
        0, 2, 1, [&](int64_t, int64_t) { ++begun; }, Lasts::seconds);
    CHECK(begun == 4);  // a loop of seconds is cut into both pieces all the same
  }
#if defined(__linux__)  // elsewhere nobody may tell that the worker had no processor
  CHECK(whole);
#endif
  end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (whole = true; whole && std::chrono::steady_clock::now() < end;)
    parallel_for(0, 2, 1, [&](int64_t b, int64_t e) {
      if (e - b == 1) whole = false;
    });
  CHECK_FALSE(whole);
}

TEST_CASE("workers that fell asleep wake up") {
  Threads use(2);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(once(visits(1000, 1)));
  }
}
