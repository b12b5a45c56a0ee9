// Hints, common mistakes and checks of exercise 28.3.
#include "tutorials/28_efficient/exercises/3_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Model;
struct Answer {
  std::function<std::int64_t(const Model&, std::int64_t)> cache_bytes, longest;
};

// The right answer, and one with a fault.
struct Fault {
  bool open = false, keys_only = false, heads_for_groups = false, one_layer = false, no_window = false,
       latent_twice = false, latent_per_head = false, no_rotary = false, numbers = false, always_ends = false,
       rounds_up = false, window_of_words = false;
};
Answer with(const Fault& f) {
  auto bytes = [f](const Model& m, std::int64_t words) {
    if (f.open) return words * m.layers * 2 * m.heads * m.width * m.bytes;
    std::int64_t n = (f.keys_only ? 1 : 2) * (f.heads_for_groups ? m.heads : m.groups) * m.width;
    if (m.latent > 0)
      n = (f.latent_twice ? 2 : 1) * (f.latent_per_head ? m.heads : 1) * (m.latent + (f.no_rotary ? 0 : m.rotary));
    std::int64_t kept = m.window > 0 && !f.no_window ? std::min(words, m.window) : words;
    if (f.window_of_words && m.window > 0) kept = m.window;
    return kept * (f.one_layer ? 1 : m.layers) * n * (f.numbers ? 1 : m.bytes);
  };
  auto longest = [f, bytes](const Model& m, std::int64_t room) {
    if (m.window > 0 && !f.always_ends && !f.open && !f.no_window && bytes(m, m.window) <= room)
      return std::int64_t{-1};
    const std::int64_t one = f.window_of_words && m.window > 0 ? bytes(m, 1) / m.window : bytes(m, 1);
    return (f.rounds_up ? room + one - 1 : room) / one;
  };
  return {bytes, longest};
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"Only plain heads are right (the gap as it was does this): use the groups, the window and the latent rows",
     with({.open = true})},
    {"Only the keys are counted: each word has a key and a value, so 2 G K numbers", with({.keys_only = true})},
    {"You count all query heads: heads of a group share keys and values, so G and not H counts",
     with({.heads_for_groups = true})},
    {"You count one layer: every layer has a cache of its own", with({.one_layer = true})},
    {"The window is ignored: only the last W words are kept", with({.no_window = true})},
    {"A text shorter than the window fills only as many rows as it has words: take the smaller of T and W",
     with({.window_of_words = true})},
    {"Latent rows are counted twice: keys and values are both computed from the same row",
     with({.latent_twice = true})},
    {"Latent rows are counted once per head: all heads share one row", with({.latent_per_head = true})},
    {"The rotated key is missing: a latent row takes r + R numbers", with({.no_rotary = true})},
    {"You count numbers: multiply by the bytes of a number", with({.numbers = true})},
    {"With a window that fits, the cache stops growing: every length fits, and the answer is -1",
     with({.always_ends = true})},
    {"Your longest text does not quite fit: round down", with({.rounds_up = true})},
};

void examine(app::Exercise& e, const Answer& a) {
  const std::vector<std::pair<std::string, Model>> models{
      {"heads", {.layers = 6, .heads = 8, .groups = 8, .width = 64}},
      {"groups", {.layers = 32, .heads = 32, .groups = 8, .width = 128, .bytes = 2}},
      {"one group", {.layers = 3, .heads = 8, .groups = 1, .width = 32}},
      {"window", {.layers = 4, .heads = 4, .groups = 2, .width = 16, .window = 100}},
      {"latent", {.layers = 60, .heads = 128, .groups = 128, .width = 128, .latent = 512, .rotary = 64, .bytes = 2}}};
  for (const auto& [name, m] : models) {
    // Counted row by row.
    auto count = [&model = m](std::int64_t words) {
      std::int64_t sum = 0;
      for (std::int64_t t = 0; t < words; ++t)
        if (model.window == 0 || t < model.window)
          sum += model.layers * model.bytes *
                 (model.latent > 0 ? model.latent + model.rotary : model.groups * model.width * 2);
      return sum;
    };
    for (std::int64_t words : {std::int64_t{1}, std::int64_t{37}, std::int64_t{1000}})
      e.check(fmt::format("{}, bytes of {} words", name, words), static_cast<double>(a.cache_bytes(m, words)),
              static_cast<double>(count(words)), 0);
    for (std::int64_t room : {count(50) + 7, std::int64_t{10'000'000}}) {
      std::int64_t most = 0;
      while (most < 100'000 && (most + 1) * count(1) <= room) ++most;
      if (m.window > 0 && most >= m.window) most = -1;
      e.check(fmt::format("{}, longest text in {} bytes", name, room), static_cast<double>(a.longest(m, room)),
              static_cast<double>(most), 0);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("28", 3, "The cache of a decoder");
  e.hint("First the numbers per word and layer; then the rows that are kept, at most W; then layers and bytes.");
  e.hint("longest: with a window, ask first whether W words fit. Otherwise it is an integer division.");
  e.insight(
      "60 layers with 128 heads of width 128 would keep 3.9 MB per word in 16 bits; latent rows of 512 + 64 numbers "
      "keep 69 kB.\nThe cache, not the multiply-adds, decides how many users share one processor.",
      "./heed run 29");
  return e.run(argc, argv, Answer{mine::cache_bytes, mine::longest}, examine, mistakes);
}
