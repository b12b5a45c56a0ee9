// The caching allocator and the storage on it: alignment, size classes, recycling, the cap, and counters that return.
#include "tensor/allocator.h"

#include <doctest/doctest.h>
#if defined(__linux__)
#include <malloc.h>
#endif

#include <cstdint>
#include <cstring>
#include <new>
#include <thread>

#include "tensor/random.h"
#include "tensor/storage.h"
#include "tests/tensor/support.h"

using namespace heed;

TEST_CASE("blocks are aligned to 64 bytes, writable to the end, and waste at most a quarter") {
  for (size_t bytes = 0; bytes < 5000; bytes += bytes < 300 ? 1 : 37) {
    uint64_t before = allocator_stats().live_bytes;
    auto* block = static_cast<unsigned char*>(allocate(bytes));
    uint64_t size = allocator_stats().live_bytes - before;
    REQUIRE(reinterpret_cast<uintptr_t>(block) % 64 == 0);
    REQUIRE(size >= bytes);
    if (bytes >= 64) REQUIRE(static_cast<double>(size) <= 1.25 * static_cast<double>(bytes));
    std::memset(block, 0xAB, bytes);
    deallocate(block, bytes);
    REQUIRE(allocator_stats().live_bytes == before);
  }
  for (size_t bytes = size_t{1} << 12; bytes < (size_t{1} << 24); bytes = bytes * 17 / 16 + 1) {
    uint64_t before = allocator_stats().live_bytes;
    void* block = allocate(bytes);
    uint64_t size = allocator_stats().live_bytes - before;
    CHECK((size >= bytes && static_cast<double>(size) <= 1.25 * static_cast<double>(bytes)));
    deallocate(block, bytes);
  }
  trim();
}

#if !defined(HEED_SANITIZED)  // which switch the cache off
TEST_CASE("a warm loop asks the system for nothing") {
  auto step = [] {
    Tensor a = Tensor::ones({33, 65}), b = add(a, a), c = mul(b, a), d = add(c.transpose(0, 1), 1.0);
    for (int64_t n : {1, 17, 900, 12345}) d = d.to(DType::f64).to(DType::f32), a = Tensor::zeros({n});
    return bit_equal(d, d);
  };
  step();
  uint64_t before = allocator_stats().system_allocations;
  for (int i = 0; i < 100; ++i) step();
  CHECK(allocator_stats().system_allocations == before);
}

TEST_CASE("a freed block comes back, and others do not get it") {
  void* a = allocate(1000);
  deallocate(a, 1000);
  void* small = allocate(100);
  CHECK(small != a);
  CHECK(allocate(1020) == a);  // 1000 and 1020 round up to one class
  deallocate(a, 1020);
  deallocate(small, 100);
}

TEST_CASE("the cap keeps freed memory from piling up, and trim gives it back") {
  trim();
  CHECK(allocator_stats().cached_bytes == 0);
  set_cache_limit(10000);
  std::vector<void*> blocks;
  for (int i = 0; i < 20; ++i) blocks.push_back(allocate(1024));
  for (void* b : blocks) deallocate(b, 1024);
  CHECK(allocator_stats().cached_bytes <= 10000);
  CHECK(allocator_stats().cached_bytes >= 9000);
  trim();
  CHECK(allocator_stats().cached_bytes == 0);
  set_cache_limit(size_t{2} << 30);
}

TEST_CASE("large blocks: free neighbours merge, and the smallest that fits is taken") {
  constexpr size_t MB = 1 << 20;
  trim();
  const uint64_t others = allocator_stats().arena_bytes;  // of tensors that live on
  void* whole = allocate(8 * MB);
  deallocate(whole, 8 * MB);
  const uint64_t asked = allocator_stats().system_allocations;
  void *a = allocate(MB / 2), *b = allocate(2 * MB), *c = allocate(MB), *d = allocate(3 * MB);
  REQUIRE(a == whole);
  deallocate(a, MB / 2);
  deallocate(c, MB);
  REQUIRE(allocate(MB / 2 - 100) == a);  // not c or the rest at the end, which are larger
  deallocate(a, MB / 2 - 100);
  deallocate(b, 2 * MB);  // a, b and c are one block now
  REQUIRE(allocate(3 * MB + MB / 2) == a);
  deallocate(a, 3 * MB + MB / 2);
  deallocate(d, 3 * MB);
  REQUIRE(allocate(8 * MB) == whole);
  CHECK(allocator_stats().system_allocations == asked);
  deallocate(whole, 8 * MB);
  trim();
  CHECK(allocator_stats().arena_bytes == others);
  CHECK_THROWS_AS(allocate(SIZE_MAX - 10), std::bad_alloc);
  CHECK_THROWS_AS(allocate(size_t{1} << 62), std::bad_alloc);
}

TEST_CASE("steps of changing sizes need little more memory than the largest holds, and blocks keep their contents") {
  trim();
  Generator random(5);
  struct Block {
    unsigned char* p;
    size_t bytes;
    unsigned char mark;
  };
  reset_peak();
  const uint64_t before = allocator_stats().live_bytes, others = allocator_stats().arena_bytes;
  const size_t in_use = detail::arena_in_use();
  int64_t wrong = 0;
  uint64_t asked_late = 0;
  for (int step = 0; step < 200; ++step) {
    const double length = 0.3 + 0.7 * random.uniform();
    std::vector<Block> blocks;
    auto release = [&](size_t k) {
      Block b = blocks[k];
      wrong += b.p[0] != b.mark || b.p[b.bytes / 2] != b.mark || b.p[b.bytes - 1] != b.mark;
      deallocate(b.p, b.bytes);
      blocks[k] = blocks.back();
      blocks.pop_back();
    };
    const uint64_t asked = allocator_stats().system_allocations;
    for (int i = 0; i < 60; ++i) {
      auto bytes = static_cast<size_t>(length * (300e3 + 1.5e6 * random.uniform()));
      auto* p = static_cast<unsigned char*>(allocate(bytes));
      auto mark = static_cast<unsigned char>(random.below(256));
      p[0] = p[bytes / 2] = p[bytes - 1] = mark;
      blocks.push_back({p, bytes, mark});
      if (i % 3 == 2) release(static_cast<size_t>(random.below(static_cast<int64_t>(blocks.size()))));
    }
    while (!blocks.empty()) release(blocks.size() - 1);
    if (step >= 100) asked_late += allocator_stats().system_allocations - asked;
  }
  CHECK(wrong == 0);
  CHECK(detail::arena_in_use() == in_use);
  auto held = static_cast<double>(allocator_stats().arena_bytes - others);
  CHECK(held <= 1.3 * static_cast<double>(allocator_stats().peak_bytes - before));
  CHECK(asked_late <= 12);
  trim();
}

#if defined(__GLIBC__)
TEST_CASE("a thread that only frees keeps nothing at its end") {
  auto in_use = [] {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  constexpr size_t kBytes = 1 << 17;
  size_t before = in_use();
  std::vector<void*> made;
  for (int i = 0; i < 32; ++i) made.push_back(allocate(kBytes));
  CHECK(in_use() >= before + 32 * kBytes);
  std::thread([&] {
    for (void* block : made) deallocate(block, kBytes);
    CHECK(allocator_stats().cached_bytes >= 32 * kBytes);
  }).join();
  CHECK(in_use() <= before + kBytes);
}
#endif
#endif

TEST_CASE("the peak is the highest of live bytes since it was reset") {
  reset_peak();
  uint64_t before = allocator_stats().live_bytes;
  {
    Tensor a = Tensor::empty({1000});
    { Tensor b = Tensor::empty({100000}); }
    Tensor c = Tensor::empty({1000});
  }
  CHECK(allocator_stats().live_bytes == before);
  CHECK(allocator_stats().peak_bytes >= before + 404000);
  CHECK(allocator_stats().peak_bytes <= before + 404000 * 5 / 4);
  reset_peak();
  CHECK(allocator_stats().peak_bytes == before);
}

TEST_CASE("a storage is one aligned block, and dies with its last owner") {
  int64_t live = live_storages();
  uint64_t bytes = allocator_stats().live_bytes;
  {
    Ref<Storage> first = Storage::make(100);
    CHECK(reinterpret_cast<uintptr_t>(first->data()) % 64 == 0);
    CHECK(first->bytes == 100);
    CHECK(live_storages() == live + 1);
    Ref<Storage> second = first, moved = std::move(second);
    CHECK(first->owners() == 2);
    CHECK_FALSE(second);
    first = Storage::make(0);
    CHECK(moved->owners() == 1);
    CHECK(live_storages() == live + 2);
    auto& itself = moved;
    moved = itself;  // must not free
    CHECK(moved->owners() == 1);
  }
  CHECK(live_storages() == live);
  CHECK(allocator_stats().live_bytes == bytes);
}

TEST_CASE("views share the storage and its version, and keep it alive") {
  int64_t live = live_storages();
  {
    Tensor view;
    {
      Tensor a = Tensor::zeros({2, 3});
      view = a.transpose(0, 1).slice(0, 1, 3);
      CHECK(&view.storage() == &a.storage());
      uint32_t before = a.version();
      NameScope scope("model");
      a.set({1, 2}, 5);
      fill_into(view, 7);
      CHECK(view.version() == before + 2);
      CHECK(std::string(a.storage().writer) == "fill_into");
      CHECK(path_name(a.storage().writer_path) == "model");
      CHECK(a.at({0, 0}) == 0);
      CHECK(a.at({1, 2}) == 7);
    }
    CHECK(view.at({1, 1}) == 7);
    CHECK(live_storages() == live + 1);
  }
  CHECK(live_storages() == live);
}

TEST_CASE("a thread has its own lists, and a tensor may die on another thread") {
  Tensor made;
  std::thread other([&] {
    made = Tensor::ones({100});
    CHECK(allocator_stats().system_allocations >= 1);
  });
  other.join();
  CHECK(made.at({99}) == 1);
  std::thread last([moved = std::move(made)]() mutable { moved = Tensor(); });
  last.join();
}
