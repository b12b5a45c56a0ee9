// Paths of module names, and the profile that reports by them.
#include "tensor/scope.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tensor/matmul.h"
#include "tensor/profile.h"
#include "tests/tensor/support.h"

using namespace heed;

TEST_CASE("scopes nest, interned, and are left in order") {
  CHECK(current_path() == 0);
  CHECK(path_name(0).empty());
  {
    NameScope encoder("encoder");
    PathId outer = current_path();
    CHECK(path_name(outer) == "encoder");
    {
      NameScope layers("layers"), first("0");
      CHECK(path_name(current_path()) == "encoder.layers.0");
      CHECK(current_path() == extend_path(extend_path(outer, "layers"), "0"));
      CHECK(describe("tanh", current_path()) == "tanh in encoder.layers.0");
      NameScope absolute(outer);
      CHECK(current_path() == outer);
    }
    CHECK(current_path() == outer);
    try {
      NameScope thrown("thrown");
      throw 1;
    } catch (int) { CHECK(current_path() == outer); }
    std::thread([] { CHECK(current_path() == 0); }).join();  // a path belongs to its thread
  }
  CHECK(current_path() == 0);
  CHECK(describe("tanh", 0) == "tanh");
  CHECK(extend_path(0, "a.b") != extend_path(extend_path(0, "a"), "c"));
}

TEST_CASE("a scoped value comes back") {
  int slot = 1;
  {
    ScopedValue<int> two(slot, 2);
    ScopedValue<int> three(slot, 3);
    CHECK(slot == 3);
  }
  CHECK(slot == 1);
}

// Three guards of two slots, ended in each order: the newest living one of a slot counts.
TEST_CASE("scoped values may end in any order") {
  int order[] = {0, 1, 2, 3};
  do {
    int slot = 0, other = 0;
    std::unique_ptr<ScopedValue<int>> scopes[4];
    for (int i = 0; i < 4; ++i) scopes[i] = std::make_unique<ScopedValue<int>>(i == 2 ? other : slot, i + 1);
    for (int ended : order) {
      scopes[ended].reset();
      int newest = 0;
      for (int i : {0, 1, 3})
        if (scopes[i]) newest = i + 1;
      CHECK(slot == newest);
      CHECK(other == (scopes[2] ? 3 : 0));
    }
  } while (std::next_permutation(std::begin(order), std::end(order)));
}

TEST_CASE("a profile counts calls and work by operation and path") {
  Tensor a = Tensor::ones({4, 5}), b = Tensor::ones({5, 6});
  Profile profile;
  matmul(a, b);
  {
    NameScope scope("encoder");
    matmul(a, b);
    matmul(a, b);
    add(a, a);
    {
      Profile inner;  // sees only what runs while it lives; the outer one is resumed
      exp(a);
      CHECK(inner.rows().size() == 1);
      CHECK(inner.rows()[0].operation == "exp");
    }
  }
  {
    Kernel outer("outer", 7);
    add(a, a);  // part of the outer kernel: no row of its own
  }
  auto rows = profile.rows();
  auto row = [&](const std::string& operation, const std::string& path) {
    for (const ProfileRow& r : rows)
      if (r.operation == operation && r.path == path) return r;
    return ProfileRow{};
  };
  CHECK(rows.size() == 4);
  CHECK(row("matmul", "").calls == 1);
  CHECK(row("matmul", "").work == 120);
  CHECK(row("matmul", "").is_product);
  CHECK(row("matmul", "encoder").calls == 2);
  CHECK(row("matmul", "encoder").work == 240);
  CHECK(row("matmul", "").bytes >= 160);  // its result, 24 floats behind a header of 64 bytes, and room for packing
  CHECK(row("matmul", "encoder").bytes == 2 * row("matmul", "").bytes);
  CHECK(row("add", "encoder").bytes == 160);  // 20 floats behind a header: the allocator's class of 160
  CHECK(row("outer", "").bytes == 160);       // what a kernel inside it takes is the outer one's
  CHECK(row("add", "encoder").calls == 1);
  CHECK(row("add", "encoder").work == 20);
  CHECK_FALSE(row("add", "encoder").is_product);
  CHECK(row("outer", "").calls == 1);
  CHECK(row("outer", "").work == 7);
  for (size_t i = 0; i + 1 < rows.size(); ++i) CHECK(rows[i].seconds >= rows[i + 1].seconds);
  std::string table = profile.table();
  CHECK(table.find("operation        module") == 0);
  CHECK(table.find("\nmatmul           encoder                             2") != std::string::npos);
  CHECK(table.find("   MB") != std::string::npos);
  CHECK(table.find("\nbetween them ") != std::string::npos);
  CHECK(std::count(table.begin(), table.end(), '\n') == 6);
}

TEST_CASE("a profile counts what the caller waited for other threads, and what these worked") {
  std::atomic<int> begun{0};
  auto together = [&] {  // two pieces that no thread could run alone, of 2 and 10 ms
    begun = 0;
    test::Threads two(2);
    parallel_for(0, 2, 1, [&](int64_t piece, int64_t) {
      for (++begun; begun < 2;) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(piece == 0 ? 2 : 10));
    });
  };
  LoopTimes before = loop_times();
  together();
  CHECK(loop_times().waited == before.waited);
  CHECK(loop_times().helped == before.helped);
  Profile profile;
  {
    Kernel kernel("together", 1);
    together();
  }
  { Kernel kernel("alone", 1); }
  for (const ProfileRow& row : profile.rows()) {
    if (row.operation == "together") {
      CHECK(row.helped >= 0.002);
      CHECK(row.helped <= row.seconds);
      if (row.helped >= 0.01) CHECK(row.waited > 0);  // the caller had the short piece
      CHECK(row.waited <= row.seconds - 0.002);
    } else {
      CHECK(row.waited + row.helped == 0);
    }
  }
}

TEST_CASE("without a profile a kernel leaves no trace") {
  { Kernel kernel("alone", 1); }
  Profile profile;
  CHECK(profile.rows().empty());
}
