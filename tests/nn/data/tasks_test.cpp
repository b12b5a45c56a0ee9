// Sequences and recall: right answers by a rule of the test's own, links that point at them, parts that do not overlap.
#include "nn/data/tasks/tasks.h"

#include <cmath>
#include <map>

#include "nn/data/tasks/recall.h"
#include "nn/data/tasks/sequences.h"
#include "nn/text/vocabulary.h"
#include "tests/nn/data/tasks_support.h"

using namespace heed;
using namespace heed::data;
using namespace heed::nn_test;

namespace {

// The largest distance of a count from its expectation, in standard deviations of an even draw.
double worst_z(const std::map<int64_t, int64_t>& counts, int64_t kinds, int64_t draws) {
  double p = 1.0 / static_cast<double>(kinds), n = static_cast<double>(draws), worst = 0;
  for (const auto& [value, count] : counts)
    worst = std::max(worst, std::abs(static_cast<double>(count) - n * p) / std::sqrt(n * p * (1 - p)));
  return worst;
}

}  // namespace

TEST_CASE("tasks: the same options give the same task; seeds differ; more training leaves the test as it is") {
  SequenceOptions options{.parts = {.train = 300, .validation = 50, .test = 60, .seed = 5}};
  Task a = copy_task(options), b = copy_task(options);
  CHECK(a.train.size() == 300);
  CHECK(a.validation.size() == 50);
  CHECK(a.test.size() == 60);
  CHECK(same(a.train, b.train));
  CHECK(same(a.test, b.test));
  options.parts.train = 400;
  Task larger = copy_task(options);
  CHECK(same(a.test, larger.test));
  larger.train.resize(300);
  CHECK(same(a.train, larger.train));
  options.parts.seed = 6;
  CHECK(!same(a.train, copy_task(options).train));
  // Pinned: another machine or compiler must draw the same.
  Task pinned = copy_task({.symbols = 10, .lengths = {5, 5}, .parts = {.train = 2, .validation = 0, .test = 1}});
  CHECK(joined(pinned.train[0].source) == "4 7 6 7 8");
  CHECK(joined(pinned.test[0].source) == "0 4 9 8 2");
}

TEST_CASE("tasks: copy, reverse and sort, answers and links") {
  SequenceOptions options{.symbols = 9, .lengths = {2, 12}, .parts = {.train = 400, .validation = 40, .test = 40}};
  Task copy = copy_task(options), reverse = reverse_task(options), sorted = sort_task(options);
  for (const Task* task : {&copy, &reverse, &sorted}) {
    CHECK(task->source.size() == 13);
    check_task(*task);
    for (const AlignedPair* pair : pairs_of(*task)) {
      std::vector<std::string> answer = pair->source;
      if (task == &reverse) std::reverse(answer.begin(), answer.end());
      if (task == &sorted) std::sort(answer.begin(), answer.end());  // "0" to "8": one digit each
      CHECK(pair->target == answer);
      for (const Link& link : pair->links) {
        size_t s = static_cast<size_t>(link.source), t = static_cast<size_t>(link.target);
        CHECK(pair->source[s] == pair->target[t]);
        if (task == &copy) CHECK(s == t);
        if (task == &reverse) CHECK(s + t + 1 == pair->source.size());
        int64_t equals = std::count(pair->source.begin(), pair->source.end(), pair->source[s]);
        CHECK(link.sure == (task != &sorted || equals == 1));
        int64_t mine = std::count_if(pair->links.begin(), pair->links.end(),
                                     [&](const Link& other) { return other.target == link.target; });
        CHECK(mine == (task == &sorted ? equals : 1));
      }
    }
  }
}

TEST_CASE("tasks: selective copy keeps the symbols and drops the blanks") {
  for (double share : {0.25, 0.5, 1.0}) {
    Task task = selective_copy_task(
        {.symbols = 9, .lengths = {4, 12}, .share = share, .parts = {.train = 300, .validation = 30, .test = 30}});
    CHECK(task.source.size() == 14);
    CHECK(task.target.size() == 13);
    check_task(task);
    std::map<int64_t, int64_t> first;
    for (const AlignedPair* pair : pairs_of(task)) {
      std::vector<std::string> kept;
      for (const std::string& symbol : pair->source)
        if (symbol != "_") kept.push_back(symbol);
      CHECK(pair->target == kept);
      CHECK(std::ssize(kept) == std::max<int64_t>(1, std::llround(share * static_cast<double>(pair->source.size()))));
      CHECK(pair->links.size() == kept.size());
      for (const Link& link : pair->links)
        CHECK(pair->source[static_cast<size_t>(link.source)] == pair->target[static_cast<size_t>(link.target)]);
      if (pair->source.size() == 8) ++first[pair->links[0].source];
    }
    if (share == 0.5) CHECK(first.size() >= 4);  // the first symbol has no fixed place
  }
}

TEST_CASE("tasks: lengths and symbols are drawn evenly, within their ranges") {
  SequenceOptions options{.symbols = 7, .lengths = {4, 24}, .held_out_lengths = {20, 30}};
  Task task = copy_task(options);
  std::map<int64_t, int64_t> lengths, symbols, held_out;
  int64_t drawn = 0;
  for (const AlignedPair& pair : task.train) {
    ++lengths[static_cast<int64_t>(pair.source.size())];
    for (const std::string& s : pair.source) ++symbols[std::stoll(s)], ++drawn;
  }
  for (const AlignedPair& pair : task.test) ++held_out[static_cast<int64_t>(pair.source.size())];
  CHECK(lengths.size() == 21);
  CHECK(lengths.begin()->first == 4);
  CHECK(lengths.rbegin()->first == 24);
  CHECK(worst_z(lengths, 21, 10000) < 4);
  CHECK(symbols.size() == 7);
  CHECK(worst_z(symbols, 7, drawn) < 4);
  CHECK(held_out.size() == 11);
  CHECK(held_out.begin()->first == 20);
  CHECK(held_out.rbegin()->first == 30);
}

TEST_CASE("tasks: parts do not overlap, across seeds and in small spaces; what is too small is left out or refused") {
  SequenceOptions options{.symbols = 4, .lengths = {1, 6}, .parts = {.train = 3000, .validation = 300, .test = 300}};
  Task one = copy_task(options);
  options.parts.seed = 2;
  Task two = copy_task(options);
  CHECK(overlap(one.train, two.test) == 0);
  CHECK(overlap(one.train, two.validation) == 0);
  CHECK(overlap(one.validation, two.test) == 0);
  check_task(one);
  std::set<size_t> lengths;
  for (const AlignedPair& pair : one.test) lengths.insert(pair.source.size());
  CHECK(lengths.count(6) == 1);
  CHECK(lengths.count(1) == 0);  // four sequences of one symbol, none of them of the test
  // Two sequences in all; the exact sentence stands in tests/nn/bad_input.
  CHECK_THROWS_AS(copy_task({.symbols = 2, .lengths = {1, 1}}), ValueError);
}

TEST_CASE("tasks: distinct symbols") {
  Task task = sort_task({.symbols = 10, .lengths = {3, 10}, .distinct = true, .parts = {.train = 200}});
  for (const AlignedPair* pair : pairs_of(task)) {
    CHECK(std::set<std::string>(pair->source.begin(), pair->source.end()).size() == pair->source.size());
    for (const Link& link : pair->links) CHECK(link.sure);
  }
}

TEST_CASE("tasks: the published settings") {
  Task reverse = reverse_task(joeynmt_reverse_options());
  CHECK(reverse.train.size() == 50000);
  CHECK(reverse.validation.size() == 1000);
  CHECK(reverse.test.size() == 1000);
  CHECK(reverse.source.classes() == 50);
  std::map<int64_t, int64_t> train, test;
  int64_t symbols = 0;
  for (const AlignedPair& pair : reverse.train) {
    ++train[static_cast<int64_t>(pair.source.size())];
    symbols += static_cast<int64_t>(pair.source.size());
  }
  for (const AlignedPair& pair : reverse.test) ++test[static_cast<int64_t>(pair.source.size())];
  CHECK(train.size() == 25);
  CHECK(worst_z(train, 25, 50000) < 4);
  CHECK(test.size() == 30);
  CHECK(worst_z(test, 30, 1000) < 4);
  CHECK(symbols == doctest::Approx(50000 * 13).epsilon(0.01));
  CHECK(overlap(reverse.train, reverse.test) > 0);  // sequences of one symbol: drawn independently, as published

  Task copy = copy_task(annotated_copy_options());
  CHECK(copy.source.classes() == 10);
  CHECK(copy.source.name(4) == "1");
  CHECK(copy.source.name(13) == "10");
  CHECK(copy.train.size() == 32000);
  for (const AlignedPair& pair : copy.train) CHECK((pair.source.size() == 9 && pair.target == pair.source));
  CHECK(overlap(copy.train, copy.test) == 0);  // of 10^9 sequences
}

TEST_CASE("tasks: ids, as the vocabularies have them") {
  Symbols symbols({"a", "b"});
  CHECK(symbols.size() == 6);
  CHECK(symbols.classes() == 2);
  CHECK(symbols.id("b") == 5);
  for (int64_t i = 0; i < 4; ++i) CHECK(symbols.name(i) == text::Vocabulary().token(i));
  CHECK(symbols.encode({"b", "a"}) == std::vector<int64_t>{5, 4});
  CHECK(symbols.decode({2, 5, 4, 0, 3, 5}) == std::vector<std::string>{"b", "a"});
  Task task = delayed_recall_task({.lags = {3, 6}, .parts = {.train = 20, .validation = 0, .test = 0}});
  std::vector<EncodedPair> stopped = task.encode(task.train), plain = task.encode(task.train, {.append_stop = false});
  CHECK(stopped[0].source.back() == text::Vocabulary::stop);
  CHECK(stopped[0].source.size() == plain[0].source.size() + 1);
  CHECK(task.source.decode(stopped[7].source) == task.train[7].source);
  LabelBatch batch = label_batch(plain, {7, 3});
  CHECK(batch.members == std::vector<int64_t>{7, 3});
  for (int64_t b = 0; b < 2; ++b) {
    const AlignedPair& pair = task.train[static_cast<size_t>(batch.members[static_cast<size_t>(b)])];
    auto length = static_cast<int64_t>(pair.source.size());
    CHECK(batch.lengths.at({b}) == static_cast<double>(length));
    CHECK(batch.source.at({b, length - 1}) == static_cast<double>(task.source.id("?")));
    CHECK(batch.labels.at({b}) == static_cast<double>(pair.target[0][0] - 'A'));
  }
}

TEST_CASE("tasks: delayed recall") {
  Task task = delayed_recall_task({.parts = {.train = 4000}});
  check_task(task);
  std::map<int64_t, int64_t> lags, answers;
  for (const AlignedPair& pair : task.train) {
    ++lags[static_cast<int64_t>(pair.source.size()) - 2];
    ++answers[pair.target.at(0)[0]];
    CHECK(pair.target == std::vector<std::string>{pair.source[0]});
    CHECK(pair.source.back() == "?");
    for (size_t s = 1; s + 1 < pair.source.size(); ++s) CHECK(std::islower(pair.source[s][0]));
    CHECK(pair.links == std::vector<Link>{{0, 0, true}});
  }
  CHECK(lags.begin()->first == 5);
  CHECK(lags.rbegin()->first == 40);
  CHECK(worst_z(lags, 36, 4000) < 4);
  CHECK(worst_z(answers, 8, 4000) < 4);
}

TEST_CASE("tasks: associative recall") {
  Task task = associative_recall_task({.keys = 30, .parts = {.train = 2000}});
  check_task(task);
  CHECK(task.source.classes() == 40);
  CHECK(task.source.name(4 + 26) == "a1");
  std::map<int64_t, int64_t> pairs, places;
  for (const AlignedPair& pair : task.train) {
    std::map<std::string, std::string> table;
    size_t n = pair.source.size() / 2;
    CHECK(pair.source.size() == 2 * n + 1);
    for (size_t i = 0; i < n; ++i) table[pair.source[2 * i]] = pair.source[2 * i + 1];
    CHECK(table.size() == n);  // no key twice
    CHECK(pair.target == std::vector<std::string>{table.at(pair.source.back())});
    REQUIRE(pair.links.size() == 2);
    size_t key = static_cast<size_t>(pair.links[0].source), value = static_cast<size_t>(pair.links[1].source);
    CHECK(value == key + 1);
    CHECK(pair.source[key] == pair.source.back());
    CHECK(!pair.links[0].sure);
    CHECK(pair.links[1].sure);
    ++pairs[static_cast<int64_t>(n)];
    if (n == 10) ++places[static_cast<int64_t>(key)];
  }
  CHECK(pairs.size() == 7);
  CHECK(worst_z(pairs, 7, 2000) < 4);
  CHECK(worst_z(places, 10, pairs[10]) < 4);  // no pair is asked for more often
}

TEST_CASE("tasks: key-value query, as examples, as pairs and as tensors") {
  QueryTask task = key_value_query_task({.pairs = {2, 10}, .parts = {.train = 500}});
  std::set<std::string> train;
  auto text = [&](const QueryExample& e) { return joined(task.pair(e).source) + " " + std::to_string(e.asked); };
  for (const QueryExample& e : task.train) train.insert(text(e));
  for (const QueryExample& e : task.test) CHECK(train.count(text(e)) == 0);
  std::vector<int64_t> members = {3, 14, 15, 92};
  QueryBatch batch = query_batch(task, task.train, members);
  for (int64_t b = 0; b < 4; ++b) {
    const QueryExample& e = task.train[static_cast<size_t>(members[static_cast<size_t>(b)])];
    AlignedPair pair = task.pair(e);
    auto n = static_cast<int64_t>(e.keys.size());
    CHECK(batch.pairs.at({b}) == static_cast<double>(n));
    CHECK(batch.lengths.at({b}) == static_cast<double>(2 * n));
    std::vector<double> read;
    for (int64_t i = 0; i < batch.sequence.size(1); ++i) read.push_back(batch.sequence.at({b, i}));
    for (int64_t id : task.symbols.encode(pair.source)) {
      CHECK(read.front() == static_cast<double>(id));
      read.erase(read.begin());
    }
    for (double padding : read) CHECK(padding == 0);
    int64_t found = 0;
    for (int64_t i = 0; i < n; ++i) {
      CHECK(batch.keys.at({b, i}) == batch.sequence.at({b, 2 * i}));
      CHECK(batch.values.at({b, i}) == batch.sequence.at({b, 2 * i + 1}));
      if (batch.keys.at({b, i}) != batch.query.at({b})) continue;
      ++found;
      CHECK(batch.asked.at({b}) == static_cast<double>(i));
      auto answer = static_cast<int64_t>(batch.values.at({b, i}));
      CHECK(pair.target == std::vector<std::string>{task.symbols.name(answer)});
      CHECK(pair.target == std::vector<std::string>{std::to_string(static_cast<int>(batch.labels.at({b})))});
      CHECK(pair.links.back() == Link{static_cast<int>(2 * i + 1), 0, true});
    }
    CHECK(found == 1);
  }
}
