#include "nn/data/tasks/abilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "nn/data/grammar/toy_corpus.h"
#include "tensor/error.h"

namespace heed::data {
namespace {

using Draw = std::function<AbilitySequence(int64_t, Generator&)>;

void add(AbilitySequence& s, int64_t word, int64_t answer = 0) { s.words.push_back(word), s.answers.push_back(answer); }

// `count` different numbers of 0 .. kinds - 1, in random order.
std::vector<int64_t> some_of(int64_t kinds, int64_t count, Generator& rng) {
  std::vector<int64_t> all(static_cast<size_t>(kinds));
  std::iota(all.begin(), all.end(), 0);
  rng.shuffle(all);
  all.resize(static_cast<size_t>(count));
  return all;
}

// ids: keys 1 .. K, values K + 1 .. 2 K
Draw recall(int64_t K) {
  return [K](int64_t pairs, Generator& rng) {
    AbilitySequence s;
    const std::vector<int64_t> keys = some_of(K, pairs, rng), order = some_of(pairs, pairs, rng);
    std::vector<int64_t> values;
    for (int64_t key : keys) add(s, 1 + key), add(s, values.emplace_back(1 + K + rng.below(K)));
    for (int64_t i : order) {
      const int64_t value = values[static_cast<size_t>(i)];
      add(s, 1 + keys[static_cast<size_t>(i)], value), add(s, value);
    }
    return s;
  };
}

// ids: words 1 .. K, the special one K + 1
Draw induction(int64_t K) {
  return [K](int64_t words, Generator& rng) {
    AbilitySequence s;
    const int64_t at = rng.below(words - 2);
    for (int64_t t = 0; t < words; ++t) add(s, t == at || t == words - 1 ? K + 1 : 1 + rng.below(K));
    s.answers.back() = s.words[static_cast<size_t>(at + 1)];
    return s;
  };
}

// ids: symbols 1 .. K, blank K + 1, mark K + 2
Draw selective(int64_t K, int64_t kept) {
  return [K, kept](int64_t places, Generator& rng) {
    AbilitySequence s;
    std::vector<int64_t> at = some_of(places, kept, rng), symbols;
    std::sort(at.begin(), at.end());
    for (int64_t t = 0; t < places; ++t) {
      const bool symbol = std::binary_search(at.begin(), at.end(), t);
      add(s, symbol ? symbols.emplace_back(1 + rng.below(K)) : K + 1);
    }
    for (int64_t symbol : symbols) add(s, K + 2, symbol);
    return s;
  };
}

// ids: 1 and 2, bits and answers
AbilitySequence parity(int64_t bits, Generator& rng) {
  AbilitySequence s;
  for (int64_t t = 0, sum = 0; t < bits; ++t) {
    const int64_t bit = rng.below(2);
    add(s, 1 + bit, 1 + (sum = (sum + bit) % 2));
  }
  return s;
}

// ids: 1 .. n!, the permutations in lexicographic order. The product so far: what was read last is done last.
Draw permutations(int64_t n) {
  std::vector<std::vector<int64_t>> all;
  std::vector<int64_t> one(static_cast<size_t>(n));
  std::iota(one.begin(), one.end(), 0);
  do all.push_back(one);
  while (std::next_permutation(one.begin(), one.end()));
  return [all](int64_t elements, Generator& rng) {
    AbilitySequence s;
    std::vector<int64_t> product = all[0];
    for (int64_t t = 0; t < elements; ++t) {
      const int64_t g = rng.below(std::ssize(all));
      for (int64_t& i : product) i = all[static_cast<size_t>(g)][static_cast<size_t>(i)];
      add(s, 1 + g, 1 + (std::lower_bound(all.begin(), all.end(), product) - all.begin()));
    }
    return s;
  };
}

// Words, a bar, and then the answers, each read after it was due.
AbilitySequence answered(const std::vector<int64_t>& words, int64_t bar, const std::vector<int64_t>& answers) {
  AbilitySequence s;
  for (int64_t word : words) add(s, word);
  for (size_t i = 0; i < answers.size(); ++i) add(s, i == 0 ? bar : answers[i - 1], answers[i]);
  return s;
}

// ids: symbols 1 .. K, bar K + 1
Draw repeated(int64_t K, bool backwards) {
  return [K, backwards](int64_t symbols, Generator& rng) {
    std::vector<int64_t> x;
    for (int64_t t = 0; t < symbols; ++t) x.push_back(1 + rng.below(K));
    return answered(x, K + 1, backwards ? std::vector<int64_t>(x.rbegin(), x.rend()) : x);
  };
}

// ids: the words of both sides, then the bar, then the end of the answer. Size 1: sentences of training; 2: the unseen
// combinations of words.
AbilityTask grammar() {
  auto corpus = std::make_shared<ToyCorpus>(toy_corpus({.train = 8000, .validation = 500}));
  std::map<std::string, int64_t> ids, frequent;
  double answers = 0;
  for (const AlignedPair& pair : corpus->train) {
    for (const auto& side : {pair.source, pair.target})
      for (const std::string& word : side) ids.emplace(word, std::ssize(ids) + 1);
    for (const std::string& word : pair.target) ++frequent[word], ++answers;
    ++frequent["</s>"], ++answers;
  }
  int64_t most = 0;
  for (const auto& word : frequent) most = std::max(most, word.second);
  const int64_t bar = std::ssize(ids) + 1;
  Draw draw = [corpus, ids, bar](int64_t size, Generator& rng) {
    const auto& pairs = size == 1 ? corpus->train : size == 2 ? corpus->validation : corpus->test_combinations;
    const AlignedPair& pair = pairs[static_cast<size_t>(rng.below(std::ssize(pairs)))];
    auto numbers = [&](const std::vector<std::string>& words) {
      std::vector<int64_t> of;
      for (const std::string& word : words) of.push_back(ids.at(word));
      return of;
    };
    std::vector<int64_t> target = numbers(pair.target);
    target.push_back(bar + 1);
    return answered(numbers(pair.source), bar, target);
  };
  return {"grammar", "part", bar + 2, {1, 1}, {2, 3}, 100 * static_cast<double>(most) / answers, draw};
}

// ids: the parts of the needle 1 .. K, noise K + 1 .. 2 K, the mark 2 K + 1
Draw needle(int64_t K, int64_t parts) {
  return [K, parts](int64_t words, Generator& rng) {
    AbilitySequence s;
    const std::vector<int64_t> hidden = some_of(K, parts, rng);
    const int64_t noise = words - parts - 1, before = rng.below(noise + 1);
    for (int64_t t = 0; t <= noise; ++t) {
      if (t == before) {
        add(s, 2 * K + 1);
        for (int64_t part : hidden) add(s, 1 + part);
      }
      if (t < noise) add(s, 1 + K + rng.below(K));
    }
    for (size_t i = 0; i < hidden.size(); ++i) add(s, i == 0 ? 2 * K + 1 : 1 + hidden[i - 1], 1 + hidden[i]);
    return s;
  };
}

double one_in(int64_t n) { return 100 / static_cast<double>(n); }

}  // namespace

const std::vector<std::string>& ability_names() {
  static const std::vector<std::string> names{"recall",  "induction", "selective", "parity", "permutations",
                                              "reverse", "copy",      "grammar",   "needle"};
  return names;
}

AbilityTask ability(const std::string& name, const AbilitySizes& z) {
  constexpr int64_t kKept = 4, kParts = 4;  // symbols among blanks, parts of the needle
  const int64_t K = z.symbols, N = z.longest;
  if (N < 4 || K < N || z.group < 2 || z.group > 5 || z.haystack < 4 * kParts)
    throw ValueError(
        fmt::format("ability: needs a longest size of 4 or more, as many symbols, permutations of 2 to 5 things and a "
                    "haystack of {} words or more; got {}, {}, {} and {}",
                    4 * kParts, N, K, z.group, z.haystack));
  int64_t elements = 1;
  for (int64_t i = 2; i <= z.group; ++i) elements *= i;
  const std::vector<int64_t> longer{N, 2 * N, 4 * N, 8 * N}, twice{2 * N, 4 * N, 8 * N, 16 * N};
  if (name == "recall") return {name, "pairs", 2 * K + 1, {1, N}, {N / 4, N / 2, N}, one_in(N), recall(K)};
  if (name == "induction") return {name, "words", K + 2, {4, 4 * N}, {4 * N, 8 * N, 16 * N}, one_in(K), induction(K)};
  if (name == "selective") return {name, "places", K + 3, {2 * kKept, 2 * N}, twice, one_in(K), selective(K, kKept)};
  if (name == "parity") return {name, "bits", 3, {1, 2 * N}, twice, 50, parity};
  if (name == "permutations")
    return {name, "elements", elements + 1, {1, 2 * N}, twice, one_in(elements), permutations(z.group)};
  if (name == "reverse") return {name, "symbols", K + 2, {1, N}, longer, one_in(K), repeated(K, true)};
  if (name == "copy") return {name, "symbols", K + 2, {1, N}, longer, one_in(K), repeated(K, false)};
  if (name == "grammar") return grammar();
  if (name == "needle")
    return {name,
            "words",
            2 * K + 2,
            {2 * kParts, z.haystack},
            {z.haystack, 4 * z.haystack, 16 * z.haystack},
            100 * (1.0 / 4 + 1.0 / 3 + 1.0 / 2 + 1) / 4,  // a part that was not yet written
            needle(K, kParts),
            true};
  throw ValueError(
      fmt::format("ability: the task must be one of {}; got \"{}\"", fmt::join(ability_names(), ", "), name));
}

int64_t size_for_training(const AbilityTask& task, Generator& rng) {
  const auto [least, most] = task.trained;
  if (!task.by_octaves) return least + rng.below(most - least + 1);
  return std::llround(static_cast<double>(least) *
                      std::pow(static_cast<double>(most) / static_cast<double>(least), rng.uniform()));
}

AbilityBatch ability_batch(const AbilityTask& task, int64_t size, int64_t batch, Generator& rng) {
  std::vector<AbilitySequence> rows;
  size_t longest = 0;
  for (int64_t b = 0; b < batch; ++b) longest = std::max(longest, rows.emplace_back(task.draw(size, rng)).words.size());
  const Shape shape{batch, static_cast<int64_t>(longest)};
  AbilityBatch out{Tensor::zeros(shape, DType::i64), Tensor::zeros(shape, DType::i64)};
  for (size_t b = 0; b < rows.size(); ++b) {
    std::copy(rows[b].words.begin(), rows[b].words.end(), out.words.data<int64_t>() + b * longest);
    std::copy(rows[b].answers.begin(), rows[b].answers.end(), out.answers.data<int64_t>() + b * longest);
  }
  return out;
}

}  // namespace heed::data
