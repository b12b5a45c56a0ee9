// Hints and checks of exercise 28.3.
#include "tutorials/28_efficient/exercises/3_cache.h"

#include <fmt/format.h>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Model;

void examine(app::Exercise& e) {
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
      e.check(fmt::format("{}, bytes of {} words", name, words), static_cast<double>(mine::cache_bytes(m, words)),
              static_cast<double>(count(words)), 0);
    for (std::int64_t room : {count(50) + 7, std::int64_t{10'000'000}}) {
      std::int64_t most = 0;
      while (most < 100'000 && (most + 1) * count(1) <= room) ++most;
      if (m.window > 0 && most >= m.window) most = -1;
      e.check(fmt::format("{}, longest text in {} bytes", name, room), static_cast<double>(mine::longest(m, room)),
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
  return e.run(argc, argv, examine);
}
