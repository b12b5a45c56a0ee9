// What a state holds, without any training: keys and values are drawn at random and written one after the other.
//
//   rewritten   one of two keys is written twice: what does each key return?
//   crowded     n pairs in one state of K x V numbers: how wrong is what a key returns?
//   bytes       what a decoder keeps after T words: a cache that grows, or a state that does not
//
// The error is |k S - v| / |v|: 0 is exact, and 1 is as wrong as a result of zeros.
#pragma once

#include <fmt/format.h>

#include <numeric>

#include "autograd/modes.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/init.h"
#include "tensor/random.h"
#include "tutorials/32_without_softmax/rules.h"
#include "tutorials/common/show.h"

namespace without_softmax {

// ---- a key that is written twice ------------------------------------------------------------------------------------
struct Rewritten {
  std::string rule;
  double red = 0, blue = 0;  // what the two keys return; right: 5 and 3
};

// red = 1, blue = 3, red = 5. The keys are at right angles, so neither disturbs the other.
inline std::vector<Rewritten> rewritten() {
  const Numbers red{1, 0}, blue{0, 1}, whole{1, 1};
  std::vector<Rewritten> all;
  auto run = [&](const std::string& rule, const auto& write) {
    State S = empty_state(2, 1);
    write(S, red, Numbers{1}, false), write(S, blue, Numbers{3}, false), write(S, red, Numbers{5}, true);
    all.push_back({rule, read(S, red)[0], read(S, blue)[0]});
  };
  using N = const Numbers&;
  run("sum", [](State& S, N k, N v, bool) { write_sum(S, k, v); });
  run("decay, g = 0.5", [](State& S, N k, N v, bool) { write_decay(S, k, v, 0.5); });
  run("gate, closed at the end", [](State& S, N k, N v, bool last) { write_gate(S, k, v, Numbers(2, last ? 0 : 1)); });
  run("delta rule, b = 1", [&](State& S, N k, N v, bool) { write_delta(S, k, v, whole, 1); });
  run("reflection, b = 2", [&](State& S, N k, N v, bool) { write_delta(S, k, v, whole, 2); });
  return all;
}

inline std::vector<Rewritten> the_rewriting(heed::app::Lesson& lesson) {
  heed::app::heading("2  A key that is written twice: red = 1, blue = 3, red = 5");
  const std::vector<Rewritten> all = rewritten();
  heed::report::TablePanel table{.title = "One key written twice",
                                 .text = "Written: red = 1, blue = 3, red = 5. Right would be 5 and 3.",
                                 .header = {"rule", "value of red", "value of blue"}};
  for (const Rewritten& r : all)
    table.rows.push_back({r.rule, fmt::format("{:.2f}", r.red), fmt::format("{:.2f}", r.blue)});
  heed::app::show(lesson, table);
  return all;
}

// ---- many keys in one state -----------------------------------------------------------------------------------------
struct Crowded {
  std::vector<double> pairs, sum, delta;  // mean error of all pairs
};

inline Numbers random_key(size_t width, heed::Generator& rng) {  // of length 1
  Numbers k(width);
  for (double& x : k) x = rng.normal();
  const double length = std::sqrt(std::inner_product(k.begin(), k.end(), k.begin(), 0.0));
  for (double& x : k) x /= length;
  return k;
}

inline Crowded crowded(size_t K, int draws, uint64_t seed) {
  constexpr size_t V = 16;
  Crowded out;
  heed::Generator rng(seed, 1ull << 30);
  for (size_t n : {1U, 2U, 4U, 8U, 12U, 16U, 24U, 32U, 48U, 64U}) {
    double errors[2] = {0, 0};
    for (int draw = 0; draw < draws; ++draw) {
      std::vector<Numbers> keys, values;
      for (size_t i = 0; i < n; ++i) keys.push_back(random_key(K, rng)), values.push_back(random_key(V, rng));
      State sums = empty_state(K, V), deltas = sums;
      for (size_t i = 0; i < n; ++i)
        write_sum(sums, keys[i], values[i]), write_delta(deltas, keys[i], values[i], Numbers(K, 1.0), 1);
      for (size_t i = 0; i < n; ++i)
        for (int rule : {0, 1}) {
          const Numbers found = read(rule == 0 ? sums : deltas, keys[i]);
          double square = 0;  // |v| = 1
          for (size_t j = 0; j < V; ++j) square += (found[j] - values[i][j]) * (found[j] - values[i][j]);
          errors[rule] += std::sqrt(square);
        }
    }
    const double all = static_cast<double>(n) * draws;
    out.pairs.push_back(static_cast<double>(n));
    out.sum.push_back(errors[0] / all), out.delta.push_back(errors[1] / all);
  }
  return out;
}

inline Crowded the_crowd(heed::app::Lesson& lesson) {
  constexpr size_t K = 16;
  heed::app::heading("3  Many pairs in one state of 16 x 16 numbers");
  const Crowded c = crowded(K, lesson.quick() ? 20 : 100, lesson.seed());
  heed::report::TablePanel table{
      .title = "Error of what a key returns",
      .text = "Random keys of width 16 and length 1. 0: exact; 1: as wrong as a result of zeros.",
      .header = {"pairs", "sum", "delta rule, b = 1"}};
  for (size_t i = 0; i < c.pairs.size(); ++i)
    table.rows.push_back(
        {fmt::format("{:.0f}", c.pairs[i]), fmt::format("{:.2f}", c.sum[i]), fmt::format("{:.2f}", c.delta[i])});
  heed::app::show(lesson, table);
  lesson.report().curves({.title = "Error by the number of pairs in the state",
                          .text = "A state of 16 x 16 numbers, keys drawn at random.",
                          .x_label = "pairs written",
                          .y_label = "mean error",
                          .series = {{.name = "sum", .y = c.sum, .x = c.pairs},
                                     {.name = "delta rule, b = 1", .y = c.delta, .x = c.pairs}}});
  return c;
}

// ---- bytes ----------------------------------------------------------------------------------------------------------
struct Bytes {
  std::vector<double> words, cache, state;
};

inline Bytes the_bytes(heed::app::Lesson& lesson) {
  constexpr int64_t D = 32;
  heed::app::heading("4  What a decoder keeps");
  heed::NoGrad no_graph;
  heed::Generator rng(lesson.seed());
  nn::MultiHeadAttention attention({.model = D, .heads = 1, .scope = nn::stage_from(nn::Kind::scope, "causal")}, rng);
  const auto delta = nn::make_mixer({.name = "delta_rule", .query = D, .key = D, .heads = 1, .causal = true}, rng);
  const auto cache = attention.memory(), state = delta->memory();
  Bytes out;
  const int64_t last = lesson.quick() ? 256 : 1024;
  for (int64_t t = 1; t <= last; ++t) {
    const Variable x(nn::init::normal({1, 1, D}, rng));
    attention.extend(x, *cache), delta->extend(x, *state, {});
    if (t != 16 && t != 64 && t != 256 && t != 1024) continue;
    out.words.push_back(static_cast<double>(t));
    out.cache.push_back(static_cast<double>(cache->bytes())), out.state.push_back(static_cast<double>(state->bytes()));
  }
  heed::report::TablePanel table{.title = "Bytes that a decoder keeps",
                                 .text = "One layer of width 32 in f32: keys and values of all words, or one state.",
                                 .header = {"words", "cache of softmax attention", "state of the delta rule"}};
  for (size_t i = 0; i < out.words.size(); ++i)
    table.rows.push_back({fmt::format("{:.0f}", out.words[i]), fmt::format("{:.0f}", out.cache[i]),
                          fmt::format("{:.0f}", out.state[i])});
  heed::app::show(lesson, table);
  return out;
}

}  // namespace without_softmax
