// Learns the merges. Counting all pairs again for each merge would read the corpus thousands of times. Instead, each
// pair has a list of the words that contain it, a merge changes only those words, and a heap returns the most frequent
// pair. An entry of the heap may be out of date: if the count of its pair has fallen, it is inserted again with the new
// count.
#include <fmt/format.h>

#include <queue>

#include "nn/text/bpe.h"
#include "nn/text/bpe_symbols.h"
#include "tensor/error.h"

namespace heed::text {

namespace {

constexpr size_t longest_word = 1000;

struct Word {
  std::vector<uint32_t> symbols;
  int64_t count;
};

struct Pair {
  int64_t count = 0;
  std::vector<size_t> words;  // indices of the words that contain the pair, or contained it once
};

struct Entry {
  int64_t count;
  uint32_t left, right;
};

class Learner {
 public:
  Learner(const WordCounts& words, BpeStyle style) : style_(style), heap_(Later{this}) {
    for (const auto& [text, count] : words.counts()) {
      if (text.empty()) throw ValueError("bpe: a token must not be empty; got \"\"");
      if (code_points_in(text) > longest_word) continue;
      Word word{.symbols = {}, .count = count};
      for (const std::string& symbol : first_symbols(text, style)) word.symbols.push_back(id_of(symbol));
      words_.push_back(std::move(word));
      count_pairs(words_.size() - 1, +1);
    }
    push_changed();
  }

  size_t symbols() const { return texts_.size(); }
  const std::string& text(uint32_t symbol) const { return texts_[symbol]; }

  // The most frequent pair; ties as in bpe.h. The count is 0 if there is no pair.
  Entry best() {
    while (!heap_.empty()) {
      Entry top = heap_.top();
      heap_.pop();
      int64_t now = pairs_[key(top.left, top.right)].count;
      if (now == top.count) return top;
      if (now > 0 && now < top.count) heap_.push({now, top.left, top.right});  // a higher count has its own entry
    }
    return {0, 0, 0};
  }

  void merge(uint32_t left, uint32_t right) {
    uint32_t whole = id_of(texts_[left] + texts_[right]);
    std::vector<size_t> holders = std::move(pairs_[key(left, right)].words);
    for (size_t w : holders) {
      std::vector<uint32_t>& symbols = words_[w].symbols;
      bool holds = false;
      for (size_t i = 0; i + 1 < symbols.size() && !holds; ++i) holds = symbols[i] == left && symbols[i + 1] == right;
      if (!holds) continue;
      count_pairs(w, -1);
      size_t to = 0;
      for (size_t i = 0; i < symbols.size(); ++i) {
        bool joined = i + 1 < symbols.size() && symbols[i] == left && symbols[i + 1] == right;
        symbols[to++] = joined ? whole : symbols[i];
        if (joined) ++i;
      }
      symbols.resize(to);
      count_pairs(w, +1);
    }
    pairs_.erase(key(left, right));
    push_changed();
  }

 private:
  struct Later {
    const Learner* learner;
    bool operator()(const Entry& a, const Entry& b) const {
      if (a.count != b.count) return a.count < b.count;
      if (a.left != b.left) return learner->text(a.left) < learner->text(b.left);
      return learner->text(a.right) < learner->text(b.right);
    }
  };

  static uint64_t key(uint32_t left, uint32_t right) { return uint64_t{left} << 32 | right; }

  static size_t code_points_in(std::string_view text) {
    size_t count = 0;
    for (size_t at = 0; at < text.size(); ++count) next(text, at);
    return count;
  }

  uint32_t id_of(const std::string& symbol) {
    auto [found, added] = ids_.try_emplace(symbol, static_cast<int64_t>(texts_.size()));
    if (added) texts_.push_back(symbol);
    return static_cast<uint32_t>(found->second);
  }

  // Overlapping pairs count each time: a a a contains the pair (a, a) twice.
  void count_pairs(size_t w, int64_t sign) {
    const Word& word = words_[w];
    for (size_t i = 0; i + 1 < word.symbols.size(); ++i) {
      uint32_t left = word.symbols[i], right = word.symbols[i + 1];
      Pair& pair = pairs_[key(left, right)];
      pair.count += sign * word.count;
      if (sign < 0) continue;
      if (pair.words.empty() || pair.words.back() != w) pair.words.push_back(w);
      changed_.push_back({0, left, right});
    }
  }

  void push_changed() {
    std::sort(changed_.begin(), changed_.end(),
              [](const Entry& a, const Entry& b) { return key(a.left, a.right) < key(b.left, b.right); });
    for (size_t i = 0; i < changed_.size(); ++i) {
      Entry e = changed_[i];
      if (i > 0 && changed_[i - 1].left == e.left && changed_[i - 1].right == e.right) continue;
      if (!may_merge(texts_[e.left], texts_[e.right], style_)) continue;
      heap_.push({pairs_[key(e.left, e.right)].count, e.left, e.right});
    }
    changed_.clear();
  }

  BpeStyle style_;
  std::vector<std::string> texts_;  // texts of the symbols
  StringCounts ids_;
  std::vector<Word> words_;
  std::unordered_map<uint64_t, Pair> pairs_;
  std::vector<Entry> changed_;  // pairs that may have become more frequent
  std::priority_queue<Entry, std::vector<Entry>, Later> heap_;
};

}  // namespace

Bpe Bpe::learn(const WordCounts& words, const BpeOptions& o) {
  if (o.merges < 0 || o.min_frequency < 1)
    throw ValueError(fmt::format("bpe: merges must be at least 0 and min_frequency at least 1; got {} and {}", o.merges,
                                 o.min_frequency));
  if (words.counts().empty()) throw InputError("bpe: there must be a word to learn from; got none");
  Learner learner(words, o.style);
  auto size = [&] { return Vocabulary::specials + static_cast<int64_t>(learner.symbols()); };
  if (o.vocabulary_size != 0 && o.vocabulary_size < size())
    throw InputError(
        fmt::format("bpe: the vocabulary must have room for the {} specials and characters of the text; "
                    "got a size of {}",
                    size(), o.vocabulary_size));
  Bpe bpe(o.style);
  while (o.vocabulary_size != 0 ? size() < o.vocabulary_size : bpe.merges() < o.merges) {
    Entry best = learner.best();
    if (best.count < o.min_frequency) break;
    bpe.append(learner.text(best.left), learner.text(best.right));
    learner.merge(best.left, best.right);
  }
  return bpe;
}

}  // namespace heed::text
