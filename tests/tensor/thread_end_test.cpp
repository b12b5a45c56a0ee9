// A thread that asked for it does its work when it ends, once; others do not.
#include "tensor/thread_end.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace {
std::atomic<int> ended{0};
}

TEST_CASE("thread end: once for each thread that watches, however often it asks") {
  static const heed::ThreadEnd work([](void*) { ++ended; });
  std::thread([] {}).join();
  CHECK(ended == 0);
  for (int i = 1; i <= 3; ++i) {
    std::thread([] {
      work.watch();
      work.watch();
    }).join();
    CHECK(ended == i);
  }
}
