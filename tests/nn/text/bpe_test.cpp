// Byte-pair encoding: subword-nmt's merges and cuts; a learner that counts everything anew; and the way back.
#include "nn/text/bpe.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "nn/text/bleu.h"
#include "nn/text/reading.h"
#include "nn/text/tokenizer.h"
#include "nn/text/unicode.h"
#include "tensor/random.h"
#include "tests/nn/text/support.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::text;
using Words = std::vector<std::string>;

namespace {

// The paper's words, and some whose pairs overlap, tie or are not ASCII.
WordCounts toy() {
  WordCounts words;
  auto add = [&](const char* word, int times) {
    for (int i = 0; i < times; ++i) words.add({word});
  };
  add("low", 5), add("lower", 2), add("newest", 6), add("widest", 3);
  add("aaaaa", 4), add("baaab", 3), add("élève", 3), add("lève", 2), add("x", 9), add("日本語", 2), add("日本", 2);
  return words;
}

// The algorithm as one would first write it: every pair counted anew for each merge.
Words naive_merges(const WordCounts& corpus, int64_t merges, int64_t min_frequency) {
  std::vector<std::pair<Words, int64_t>> words;
  for (const auto& [text, count] : corpus.counts()) {
    Words symbols;
    for (size_t at = 0, begin = 0; at < text.size(); begin = at) {
      next(text, at);
      symbols.push_back(text.substr(begin, at - begin));
    }
    symbols.back() += "</w>";
    words.emplace_back(symbols, count);
  }
  Words learned;
  while (static_cast<int64_t>(learned.size()) < merges) {
    std::map<std::pair<std::string, std::string>, int64_t> counts;
    for (const auto& [symbols, count] : words)
      for (size_t i = 0; i + 1 < symbols.size(); ++i) counts[{symbols[i], symbols[i + 1]}] += count;
    auto best = counts.end();
    for (auto it = counts.begin(); it != counts.end(); ++it)
      if (best == counts.end() || it->second >= best->second) best = it;  // in order: the last is the greatest
    if (best == counts.end() || best->second < min_frequency) break;
    auto [left, right] = best->first;
    learned.push_back(left + " " + right);
    for (auto& [symbols, count] : words)
      for (size_t i = 0; i + 1 < symbols.size(); ++i)
        if (symbols[i] == left && symbols[i + 1] == right) {
          symbols[i] += right;
          symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
  }
  return learned;
}

// Again and again the pair that was learned first, at all its places.
std::string naive_cut(const Words& merges, const std::string& word) {
  Words symbols;
  for (size_t at = 0, begin = 0; at < word.size(); begin = at) {
    next(word, at);
    symbols.push_back(word.substr(begin, at - begin));
  }
  symbols.back() += "</w>";
  while (true) {
    auto first = merges.end();
    for (size_t i = 0; i + 1 < symbols.size(); ++i)
      first = std::min(first, std::find(merges.begin(), merges.end(), symbols[i] + " " + symbols[i + 1]));
    if (first == merges.end()) break;
    for (size_t i = 0; i + 1 < symbols.size(); ++i)
      if (symbols[i] + " " + symbols[i + 1] == *first) {
        symbols[i] += symbols[i + 1];
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
  }
  std::string text;
  for (const std::string& s : symbols) text += (text.empty() ? "" : "@@ ") + s;
  return text.substr(0, text.size() - 4);
}

std::string spaced(const Words& pieces) { return Tokenizer{.kind = Tokenizer::Kind::space}.join(pieces); }

Words body(const Bpe& bpe) {
  Words lines = bpe.to_lines();
  lines.erase(lines.begin());
  return lines;
}

}  // namespace

TEST_CASE("bpe: the paper's words, by hand") {
  WordCounts words;
  for (const auto& [word, times] : std::map<std::string, int>{{"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}})
    for (int i = 0; i < times; ++i) words.add({word});
  // e s, 9 times, as often as s t</w>: the greater pair goes first
  Bpe bpe = Bpe::learn(words, {.merges = 4});
  CHECK(bpe.to_lines() == Words{"#version: 0.2", "s t</w>", "e st</w>", "l o", "w est</w>"});
  CHECK(bpe.segment({"lowest", "low"}) == Words{"lo@@", "west", "lo@@", "w"});
  CHECK(bpe.join({"lo@@", "west", "lo@@", "w"}) == Words{"lowest", "low"});
}

TEST_CASE("bpe: the learner equals one that counts every pair anew; so do the cuts") {
  for (int64_t min_frequency : {1, 2, 3}) {
    Words merges = naive_merges(toy(), 60, min_frequency);
    Bpe bpe = Bpe::learn(toy(), {.merges = 60, .min_frequency = min_frequency});
    CHECK(body(bpe) == merges);
    for (const char* word : {"low", "lowest", "wider", "aaaaaaa", "abaaabaaaa", "élèves", "本日本語", "q", "xx"})
      CHECK(spaced(bpe.segment({word})) == naive_cut(merges, word));
  }
  // random words over three letters: many ties, overlaps, and symbols that two merges make
  Generator rng(7);
  for (int round = 0; round < 30; ++round) {
    WordCounts words;
    auto word = [&](int64_t longest) {
      std::string w;
      for (int64_t i = 0, n = 1 + rng.below(longest); i < n; ++i) w += static_cast<char>('a' + rng.below(3));
      return w;
    };
    for (int i = 0; i < 60; ++i) words.add({word(12)});
    Words merges = naive_merges(words, 80, 2);
    Bpe bpe = Bpe::learn(words, {.merges = 80});
    REQUIRE(body(bpe) == merges);
    for (int i = 0; i < 30; ++i) {
      std::string w = word(40);
      REQUIRE(spaced(bpe.segment({w})) == naive_cut(merges, w));
    }
  }
}

TEST_CASE("bpe: all places of a merge go before the pairs that it makes, even those with a better place in the file") {
  Words lines = {"#version: 0.2", "b c", "abc a", "a bc", "abc abc</w>"};
  Bpe bpe = Bpe::from_lines(lines);
  CHECK(spaced(bpe.segment({"abcabcx"})) == "abc@@ abc@@ x");  // not abca@@ bc@@ x
  for (const char* word : {"abcabc", "bcabca", "abcaabc", "aabcabcabca", "abca"})
    CHECK(spaced(bpe.segment({word})) == naive_cut(Words(lines.begin() + 1, lines.end()), word));
}

TEST_CASE("bpe: a joint vocabulary knows every piece of both languages") {
  WordCounts both = toy();
  Words german = {"lowe", "lowen", "esten", "esten", "lowe"};
  both.add(german);
  Bpe bpe = Bpe::learn(both, {.vocabulary_size = 50});
  WordCounts pieces;
  for (const auto& [word, count] : both.counts()) pieces.add(bpe.segment({word}));
  Vocabulary vocabulary(pieces);
  CHECK(vocabulary.size() <= 50);
  CHECK(vocabulary.count(Vocabulary::unk) == 0);
  Words sentence = {"newest", "lowen", "esten"};
  CHECK(bpe.join(vocabulary.decode(vocabulary.encode(bpe.segment(sentence), {.append_stop = true}))) == sentence);
}

TEST_CASE("bpe: join takes back segment, whatever a token holds") {
  Words corpus = {"a@@", "@@",    "b@@@@", "@@a", "</w>",     "a</w>",  "</w></w>", "x</w>y",
                  "@",   "@@ b",  "▁",     "▁▁",  "a▁",       "▁a",     "été",      "日本語",
                  "low", "lower", "a\tb",  "\n",  "\xFF\xC3", "ab\xC3", "𝄞𝄞",       "e\u0301"};
  WordCounts words;
  for (int times = 0; times < 3; ++times) words.add(corpus);
  const char32_t letters[] = U"@@@@</w>▁▁ abé日\U0001D11E\u0301\n\0";
  for (BpeStyle style : {BpeStyle::end_of_word, BpeStyle::begin_of_word}) {
    Bpe bpe = Bpe::learn(words, {.merges = 200, .min_frequency = 1, .style = style});
    CHECK(bpe.merges() > 20);
    CHECK(bpe.join(bpe.segment(corpus)) == corpus);
    Bpe again = Bpe::from_lines(bpe.to_lines());
    CHECK(again.to_lines() == bpe.to_lines());
    CHECK(again.segment(corpus) == bpe.segment(corpus));
    CHECK(Bpe(style).join(Bpe(style).segment(corpus)) == corpus);
    Generator rng(3);
    for (int round = 0; round < 3000; ++round) {
      Words tokens;
      for (int64_t n = rng.below(4); n > 0; --n) {
        std::string token;
        for (int64_t i = 0, length = 1 + rng.below(9); i < length; ++i) switch (rng.below(12)) {
            case 0:
              append(token, static_cast<char32_t>(1 + rng.below(0xD7FF)));
              break;
            case 1:
              token += static_cast<char>(rng.below(256));
              break;  // malformed, mostly
            case 2:
              token += corpus[static_cast<size_t>(rng.below(std::ssize(corpus)))];
              break;
            default:
              append(token, letters[rng.below(std::ssize(letters) - 1)]);
          }
        tokens.push_back(token);
      }
      REQUIRE(bpe.join(bpe.segment(tokens)) == tokens);
    }
  }
}

TEST_CASE("bpe: a word left open is closed, an unknown piece is a word of its own") {
  Bpe bpe;
  CHECK(bpe.join({"lo@@", "w@@"}) == Words{"low"});
  CHECK(bpe.join({"<unk>", "a"}) == Words{"<unk>", "a"});
  CHECK(bpe.join({}) == Words{});
  CHECK(bpe.segment({}) == Words{});
  Bpe begins(BpeStyle::begin_of_word);
  CHECK(begins.join({"lo", "w", "▁er"}) == Words{"low", "er"});
}

TEST_CASE("bpe: the mark in front") {
  Bpe bpe = Bpe::learn(toy(), {.merges = 6, .style = BpeStyle::begin_of_word});
  // a a 22 times; ▁ x, ▁ l, s t and e s 9 times, the greatest first; ▁l o 7 times
  CHECK(bpe.to_lines() == Words{"#version: heed 1, begin of word", "a a", "▁ x", "▁ l", "s t", "e st", "▁l o"});
  CHECK(bpe.segment({"lowest", "x"}) == Words{"▁lo", "w", "est", "▁x"});
}

TEST_CASE("bpe: a size instead of a number of merges; words too long to be words") {
  WordCounts words;
  for (int i = 0; i < 5; ++i) words.add({"abab", "abc"});
  // four specials; a b b</w> c</w>; the merges a b, ab a, ab c</w> and aba b</w>, each a symbol
  for (int64_t size = 8; size < 12; ++size) {
    Bpe bpe = Bpe::learn(words, {.vocabulary_size = size});
    CHECK(bpe.merges() == std::min<int64_t>(size - 8, 4));
  }
  WordCounts endless;
  endless.add({std::string(1001, 'q')});
  CHECK(Bpe::learn(endless, {.min_frequency = 1}).merges() == 0);
  WordCounts long_enough;
  long_enough.add({std::string(1000, 'q')});
  CHECK(Bpe::learn(long_enough, {.min_frequency = 1}).merges() > 0);
}

TEST_CASE("bpe: a line of a million characters without a space is cut in no time") {
  Bpe bpe = Bpe::learn(toy(), {.merges = 60});
  std::string line;
  for (int i = 0; i < 200'000; ++i) line += "lower";
  CHECK(bpe.join(bpe.segment({line})) == Words{line});
}

TEST_CASE("bpe: a file of subword-nmt may hold merges that would make cuts ambiguous: kept, not used") {
  Words lines = {"#version: 0.2", "@ @</w>", "a@ @</w>", "a b</w>"};
  Bpe bpe = Bpe::from_lines(lines);
  CHECK(bpe.to_lines() == lines);
  CHECK(bpe.segment({"@@", "ab"}) == Words{"@@@", "@", "ab"});
  CHECK(bpe.join({"@@@", "@", "ab"}) == Words{"@@", "ab"});
}

TEST_CASE("bpe: the score of a translation is that of its words") {
  Words references = {"the lowest tower is wider than the newest one", "low and lower still"};
  Bpe bpe = Bpe::learn(toy(), {.merges = 20});
  Tokenizer space{.kind = Tokenizer::Kind::space};
  Words written;  // as a model writes it: pieces
  for (const std::string& r : references) written.push_back(spaced(bpe.segment(space.split(r))));
  written[1] = spaced(bpe.segment({"low", "and", "lower", "than"}));
  auto join = [&](const Words& lines) {
    Words joined;
    for (const std::string& line : lines) joined.push_back(space.join(bpe.join(space.split(line))));
    return joined;
  };
  Words expected = {references[0], "low and lower than"};
  CHECK(join(written) == expected);
  BleuOptions none{.tokens = BleuTokens::none};
  BleuScore score = bleu(join(written), references, none);
  CHECK(score.hypothesis_length == 13);
  CHECK(score.precisions[0] == doctest::Approx(100.0 * 12 / 13));
  CHECK(score.precisions[1] == doctest::Approx(100.0 * 10 / 11));
  CHECK(bleu(join({written[0]}), {references[0]}, none).bleu == doctest::Approx(100));
  CHECK(bleu(written, references, none).bleu < score.bleu);  // the control: pieces are no words
}

TEST_SUITE("parity") {
  TEST_CASE("bpe: the thousand merges that subword-nmt learns on Multi30k, and its cuts") {
    Words merges = read_lines(source_dir() + "/tests/golden/bpe_merges.txt");
    Bpe golden = Bpe::from_lines(merges);
    CHECK(golden.merges() == 1000);
    CHECK(golden.to_lines() == merges);
    CHECK(spaced(golden.segment({"fahrradfahrer", "skateboarders"})) != "fahrradfahrer skateboarders");
    const char* shared = std::getenv("HEED_SHARED");
    std::string folder = shared ? shared : source_dir() + "/../shared";
    std::string path = folder + "/golden/bpe.json", corpus = folder + "/data/multi30k/train.";
    if (!std::filesystem::exists(path) || !std::filesystem::exists(corpus + "en")) {
      MESSAGE("skipped: no " << path << "; set HEED_SHARED to the folder that holds golden/ and data/");
      return;
    }
    std::ifstream file(path);
    nlohmann::json values = nlohmann::json::parse(file);
    Tokenizer space{.kind = Tokenizer::Kind::space};
    WordCounts words;
    for (const char* language : {"en", "de"})
      for (const std::string& line : read_lines(corpus + language, {.limit = 2000})) words.add(space.split(line));
    Bpe learned = Bpe::learn(words, {.merges = 1000});
    CHECK(learned.to_lines() == merges);
    CHECK(body(learned) == values.at("merges").get<Words>());
    auto lines = values.at("lines").get<Words>(), segmented = values.at("segmented").get<Words>();
    REQUIRE(lines.size() == 80);
    for (size_t i = 0; i < lines.size(); ++i) {
      CHECK(spaced(learned.segment(space.split(lines[i]))) == segmented[i]);
      CHECK(spaced(learned.join(space.split(segmented[i]))) == spaced(space.split(lines[i])));
    }
  }
}
