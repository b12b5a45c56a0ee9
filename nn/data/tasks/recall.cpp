#include "nn/data/tasks/recall.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "nn/data/tasks/draw.h"
#include "tensor/error.h"

namespace heed::data {
namespace {

using namespace drawing;

// Names for the numbers: 0 is a, 25 is z, 26 is a1, and so on.
std::vector<std::string> letters(char first, int64_t count) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i)
    names.push_back(std::string(1, static_cast<char>(first + i % 26)) + (i < 26 ? "" : std::to_string(i / 26)));
  return names;
}

std::vector<std::string> recall_symbols(const RecallOptions& o) {
  std::vector<std::string> names = letters('a', o.keys), values = numerals(0, o.values);
  names.insert(names.end(), values.begin(), values.end());
  return names;
}

Plan recall_plan(const char* name, const RecallOptions& o) {
  Plan plan{name, o.pairs, given(o.held_out_pairs, o.pairs), o.parts};
  check_parts(plan.task, o.parts);
  check_least(plan.task, "values", o.values, 2);
  check_range(plan.task, "pairs", plan.sizes, 1);
  check_range(plan.task, "held-out pairs", plan.held_out, 1);
  int64_t most = std::max(plan.sizes.most, plan.held_out.most);
  if (o.keys < most)
    throw ValueError(fmt::format("{}: there must be as many keys as pairs; got {} for {}", name, o.keys, most));
  return plan;
}

QueryExample draw_example(Generator& rng, const RecallOptions& o, int64_t pairs) {
  QueryExample example;
  example.keys.resize(static_cast<size_t>(o.keys));
  std::iota(example.keys.begin(), example.keys.end(), 0);
  rng.shuffle(example.keys);
  example.keys.resize(static_cast<size_t>(pairs));
  for (int64_t i = 0; i < pairs; ++i) example.values.push_back(rng.below(o.values));
  example.asked = rng.below(pairs);
  return example;
}

AlignedPair pair_of(const std::string& name, const QueryExample& e, const std::vector<std::string>& symbols,
                    int64_t keys) {
  std::vector<std::string> source;
  for (size_t i = 0; i < e.keys.size(); ++i) {
    source.push_back(symbols[static_cast<size_t>(e.keys[i])]);
    source.push_back(symbols[static_cast<size_t>(keys + e.values[i])]);
  }
  auto key = static_cast<size_t>(2 * e.asked);
  std::string answer = source[key + 1];
  return aligned(name, std::move(source), {std::move(answer)}, {possible(key, 0), sure(key + 1, 0)});
}

}  // namespace

Task associative_recall_task(const RecallOptions& o) {
  Plan plan = recall_plan("associative recall", o);
  std::vector<std::string> names = recall_symbols(o);
  return sequence_task(plan, Symbols(names), Symbols(numerals(0, o.values)), [&](Generator& rng, int64_t pairs) {
    QueryExample example = draw_example(rng, o, pairs);
    AlignedPair pair = pair_of(plan.task, example, names, o.keys);
    pair.source.push_back(names[static_cast<size_t>(example.query())]);
    pair.source_content.push_back(true);
    return pair;
  });
}

AlignedPair QueryTask::pair(const QueryExample& example) const {
  std::vector<std::string> names;
  for (int64_t i = 0; i < symbols.classes(); ++i) names.push_back(symbols.name(Symbols::specials + i));
  return pair_of(name, example, names, keys);
}

QueryTask key_value_query_task(const RecallOptions& o) {
  Plan plan = recall_plan("key-value query", o);
  auto make = [&](Generator& rng, int64_t pairs) { return draw_example(rng, o, pairs); };
  auto key = [](const QueryExample& e) {
    return fmt::format("{} {} {}", fmt::join(e.keys, " "), fmt::join(e.values, " "), e.asked);
  };
  auto drawn = draw<QueryExample>(plan, make, key);
  return {plan.task,
          Symbols(recall_symbols(o)),
          o.keys,
          o.values,
          std::move(drawn.train),
          std::move(drawn.validation),
          std::move(drawn.test)};
}

QueryBatch query_batch(const QueryTask& task, const std::vector<QueryExample>& examples,
                       const std::vector<int64_t>& members) {
  if (members.empty()) throw ValueError("query_batch: needs at least one example; got none");
  size_t N = 0;
  for (int64_t m : members) {
    if (m < 0 || std::cmp_greater_equal(m, examples.size()))
      throw IndexError(fmt::format("query_batch: a member must lie in [0, {}); got {}", examples.size(), m));
    N = std::max(N, examples[static_cast<size_t>(m)].keys.size());
  }
  constexpr int64_t first = Symbols::specials;  // the id of key 0; values follow the keys
  std::vector<int64_t> sequence(members.size() * 2 * N), keys(members.size() * N), values(keys), pairs, query, labels,
      asked;
  for (size_t b = 0; b < members.size(); ++b) {
    const QueryExample& e = examples[static_cast<size_t>(members[b])];
    for (size_t i = 0; i < e.keys.size(); ++i) {
      keys[b * N + i] = sequence[2 * (b * N + i)] = first + e.keys[i];
      values[b * N + i] = sequence[2 * (b * N + i) + 1] = first + task.keys + e.values[i];
    }
    pairs.push_back(static_cast<int64_t>(e.keys.size()));
    query.push_back(first + e.query());
    labels.push_back(e.answer());
    asked.push_back(e.asked);
  }
  std::vector<int64_t> lengths = pairs;
  for (int64_t& length : lengths) length *= 2;
  auto B = static_cast<int64_t>(members.size()), n = static_cast<int64_t>(N);
  return {Tensor::from(sequence, {B, 2 * n}), Tensor::from(lengths, {B}), Tensor::from(keys, {B, n}),
          Tensor::from(values, {B, n}),       Tensor::from(pairs, {B}),   Tensor::from(query, {B}),
          Tensor::from(labels, {B}),          Tensor::from(asked, {B})};
}

Task delayed_recall_task(const DelayedRecallOptions& o) {
  Plan plan{"delayed recall", o.lags, given(o.held_out_lags, o.lags), o.parts};
  check_parts(plan.task, o.parts);
  check_least(plan.task, "symbols", o.symbols, 2);
  check_least(plan.task, "distractors", o.distractors, 1);
  check_range(plan.task, "lags", plan.sizes, 0);
  check_range(plan.task, "held-out lags", plan.held_out, 0);
  std::vector<std::string> remembered = letters('A', o.symbols), distractors = letters('a', o.distractors);
  std::vector<std::string> names = remembered;
  names.insert(names.end(), distractors.begin(), distractors.end());
  names.push_back("?");
  return sequence_task(plan, Symbols(names), Symbols(remembered), [&](Generator& rng, int64_t lag) {
    std::vector<std::string> source{remembered[static_cast<size_t>(rng.below(o.symbols))]};
    for (int64_t i = 0; i < lag; ++i) source.push_back(distractors[static_cast<size_t>(rng.below(o.distractors))]);
    source.push_back("?");
    return aligned(plan.task, source, {source[0]}, {sure(0, 0)});
  });
}

}  // namespace heed::data
