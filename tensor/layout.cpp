#include "tensor/layout.h"

#include <utility>

#include "tensor/thread_end.h"

namespace heed {
namespace {

bool is_row_major(const Shape& shape, const Strides& strides) {
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

LayoutRef make(const Shape& shape, const Strides& strides) { return LayoutRef::made(new Layout(shape, strides)); }

// The layouts that this thread used most recently, by a hash of their numbers; each entry owns its layout. Trivially
// constructed on purpose: a constructor would add an initialisation check to every access of this thread-local.
struct Table {
  static constexpr int kBits = 9;
  const Layout* at[1 << kBits];
  bool watched, closed;  // closed: the thread is ending, so an entry made from now on would never be released

  static uint64_t hash(uint64_t seed, const Dims& dims) {
    for (int64_t d : dims) seed = (seed ^ static_cast<uint64_t>(d)) * 0x9E3779B97F4A7C15;
    return seed;
  }
  const Layout*& entry(uint64_t hash) { return at[hash >> (64 - kBits)]; }
};
constinit thread_local Table table{};

void watch_thread_end() {
  static const ThreadEnd give_back([](void*) {
    for (const Layout*& entry : table.at) LayoutRef::adopt(std::exchange(entry, nullptr));
    table.closed = true;
  });
  give_back.watch();
  table.watched = true;
}

}  // namespace

const Layout kScalarLayout{{}, {}};

Layout::Layout(const Shape& sizes, const Strides& steps)
    : shape(sizes), strides(steps), count(element_count(sizes)), contiguous(is_row_major(sizes, steps)) {}

void Layout::destroy(const Layout* layout) noexcept { delete layout; }

namespace {
LayoutRef enter(const Layout*& entry, LayoutRef layout) {
  if (table.closed) return layout;
  if (!table.watched) watch_thread_end();
  LayoutRef::adopt(std::exchange(entry, LayoutRef(layout).release()));
  return layout;
}
}  // namespace

LayoutRef Layout::row_major(const Shape& shape) {
  const Layout*& entry = table.entry(Table::hash(1, shape));
  if (entry && entry->contiguous && entry->shape == shape) return LayoutRef(entry);
  require_sizes("empty", shape);
  return enter(entry, make(shape, contiguous_strides(shape)));
}

LayoutRef Layout::strided(const Shape& shape, const Strides& strides) {
  if (is_row_major(shape, strides)) return row_major(shape);
  const Layout*& entry = table.entry(Table::hash(Table::hash(2, shape), strides));
  if (entry && entry->strides == strides && entry->shape == shape) return LayoutRef(entry);
  return enter(entry, make(shape, strides));
}

}  // namespace heed
