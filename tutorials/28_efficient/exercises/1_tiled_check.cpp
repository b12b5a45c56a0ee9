// Hints and checks of exercise 28.1.
#include "tutorials/28_efficient/exercises/1_tiled.h"

#include <algorithm>
#include <cmath>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Block, mine::Blocks, mine::Numbers, mine::Reading;

Reading in_two_passes(const Numbers& query, double scale, std::size_t width, const std::vector<Block>& all) {
  double largest = -INFINITY, l = 0;
  auto score = [&](const Block& b, std::size_t s) {
    double e = 0;
    for (std::size_t i = 0; i < query.size(); ++i) e += query[i] * b.keys[s][i];
    return scale * e;
  };
  Numbers a(width, 0.0);
  for (const Block& b : all)
    for (std::size_t s = 0; s < b.keys.size(); ++s)
      if (b.word[s]) largest = std::max(largest, score(b, s));
  for (const Block& b : all)
    for (std::size_t s = 0; s < b.keys.size(); ++s) {
      if (!b.word[s]) continue;
      const double p = std::exp(score(b, s) - largest);
      l += p;
      for (std::size_t j = 0; j < width; ++j) a[j] += p * b.values[s][j];
    }
  for (double& x : a)
    if (l > 0) x /= l;
  return {a, l > 0 ? largest + std::log(l) : -INFINITY};
}

void examine(app::Exercise& e) {
  struct Case {
    std::string name;
    double size;           // of the scores
    double shift;          // added to all scores
    std::vector<int> pad;  // blocks of padding only
  };
  const std::vector<Case> cases{{"random blocks", 1, 0, {}},
                                {"the first block is padding", 1, 0, {0}},
                                {"a block in the middle is padding", 2, 0, {2}},
                                {"scores near 1000", 1, 1000, {}},
                                {"scores near -1000", 1, -1000, {}},
                                {"everything is padding", 1, 0, {0, 1, 2, 3, 4}}};
  constexpr std::size_t K = 5, V = 3;
  Generator rng(28);
  for (const Case& c : cases) {
    Numbers query(K);
    double length = 0;
    for (double& x : query) x = rng.normal(), length += x * x;
    const double scale = c.size / std::sqrt(static_cast<double>(K));
    std::vector<Block> all;
    for (int b = 0; b < 5; ++b) {
      Block block;
      for (int s = 0; s < 4 - b % 2; ++s) {
        Numbers key(K), value(V);
        for (std::size_t i = 0; i < K; ++i) key[i] = 2 * rng.normal() + c.shift * query[i] / (scale * length);
        for (double& x : value) x = rng.normal();
        block.keys.push_back(key), block.values.push_back(value);
        block.word.push_back(std::ranges::find(c.pad, b) == c.pad.end() && s != 1);
      }
      all.push_back(block);
    }
    const Reading expected = in_two_passes(query, scale, V, all);
    Blocks blocks(all);
    const Reading got = mine::tiled_attention(query, scale, V, blocks);
    e.check(c.name + ": context", got.context, expected.context, 1e-9);
    e.check(c.name + ": log_sum_exp", got.log_sum_exp, expected.log_sum_exp, 1e-9);
    e.check(c.name + ": all blocks are read (1: yes)", blocks.next() == nullptr ? 1 : 0, 1, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("28", 1, "Tiled attention");
  e.hint("Compute the scores of the block first, and their maximum together with m: that is m'.");
  e.hint("Before you add anything, multiply l and all of a by exp(m - m'). At the first block this is exp(-inf) = 0.");
  e.hint("If m' is still -inf, the block has no word: go on with the next one. exp(-inf - -inf) is NaN.");
  e.insight(
      "m, l and a are all that one query needs, however many keys there are: the weights are never stored.\n"
      "m + log l is what the backward pass keeps, to compute the weights of a block again.",
      "./heed exercise 28 2");
  return e.run(argc, argv, examine);
}
