// Hints, common mistakes and checks of exercise 28.1.
#include "tutorials/28_efficient/exercises/1_tiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Block, mine::Blocks, mine::Numbers, mine::Reading;
using Answer = std::function<Reading(const Numbers&, double, std::size_t, Blocks&)>;

// The right answer, and one with a fault.
struct Fault {
  bool open = false, keeps_l = false, keeps_a = false, no_maximum = false, nan_block = false, padding_is_zero = false,
       no_scale = false, no_division = false, log_l_only = false, mean_of_blocks = false, scale_by_new = false,
       zero_start = false;
};
Answer with(const Fault& f) {
  return [f](const Numbers& query, double scale, std::size_t width, Blocks& blocks) {
    Numbers a(width, 0.0), means(width, 0.0);
    double m = f.no_maximum || f.zero_start ? 0 : -INFINITY, l = 0, count = 0;
    while (const Block* block = blocks.next()) {
      if (f.open) continue;
      if (f.mean_of_blocks) std::ranges::fill(a, 0.0), l = 0, m = -INFINITY;
      Numbers e(block->keys.size(), f.padding_is_zero ? 0 : -INFINITY);
      double largest = m;
      for (std::size_t s = 0; s < e.size(); ++s) {
        if (block->word[s]) e[s] = 0;
        for (std::size_t i = 0; i < query.size() && block->word[s]; ++i)
          e[s] += (f.no_scale ? 1 : scale) * query[i] * block->keys[s][i];
        largest = std::max(largest, e[s]);
      }
      if (f.no_maximum) largest = 0;
      if (largest == -INFINITY && !f.nan_block) continue;
      const double r = f.scale_by_new ? std::exp(largest - m) : std::exp(m - largest);
      m = largest;
      l *= f.keeps_l ? 1 : r;
      for (double& x : a) x *= f.keeps_a ? 1 : r;
      for (std::size_t s = 0; s < e.size(); ++s) {
        const double p = std::exp(e[s] - m);
        l += p;
        for (std::size_t j = 0; j < width && !(p <= 0); ++j) a[j] += p * block->values[s][j];
      }
      count += 1;
      for (std::size_t j = 0; j < width && f.mean_of_blocks; ++j) means[j] += a[j] / l;
    }
    if (f.open) return Reading{a, m};
    if (l == 0) return Reading{a, -INFINITY};
    if (f.mean_of_blocks) {
      for (double& x : means) x /= count;
      return Reading{means, m + std::log(l)};
    }
    for (double& x : a) x /= f.no_division ? 1 : l;
    return Reading{a, (f.log_l_only ? 0 : m) + std::log(l)};
  };
}

const std::vector<app::Mistake<Answer>> mistakes{
    {"The gap is still open: compute the scores of each block, and bring m, l and a up to date", with({.open = true})},
    {"You never rescale: when the maximum grows, l and a are still measured against the old one. Multiply both by "
     "exp(m - m')",
     with({.keeps_l = true, .keeps_a = true})},
    {"You rescale a but not l: the sum of the powers must be multiplied by exp(m - m'), too", with({.keeps_l = true})},
    {"You rescale l but not a: the accumulator must be multiplied by exp(m - m'), too", with({.keeps_a = true})},
    {"You rescale by exp(m' - m): the old maximum is the smaller one, so the factor is at most 1. It is exp(m - m')",
     with({.scale_by_new = true})},
    {"You subtract no maximum: exp overflows for scores above 709. Subtract the largest score so far",
     with({.no_maximum = true})},
    {"m begins at 0: if all scores are far below 0, every exp becomes 0. Begin at minus infinity",
     with({.zero_start = true})},
    {"A block of padding at the beginning gives NaN, because m and the maximum are both -inf: skip such a block",
     with({.nan_block = true})},
    {"Padding has the score 0 and takes part: give it the score minus infinity, or skip it",
     with({.padding_is_zero = true})},
    {"The scale is missing: e = scale q . k", with({.no_scale = true})},
    {"The context is not divided by l: the weights must sum to 1", with({.no_division = true})},
    {"log_sum_exp lacks m: l is measured against the maximum, so it is m + log l", with({.log_l_only = true})},
    {"You average the softmaxes of the blocks: a block with small scores then counts as much as one with large scores. "
     "Keep m, l and a from block to block",
     with({.mean_of_blocks = true})},
};

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

void examine(app::Exercise& e, const Answer& tiled_attention) {
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
    const Reading got = tiled_attention(query, scale, V, blocks);
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
  return e.run(argc, argv, Answer(mine::tiled_attention), examine, mistakes);
}
