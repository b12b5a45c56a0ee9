// Lists of translations: with pieces of words several lists of tokens write one text, which must be listed once.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "nn/models/bahdanau.h"
#include "nn/models/translator.h"
#include "tests/nn/models/small.h"

using namespace heed;
using namespace heed::nn;

namespace {

using Words = std::vector<std::string>;

// Words of the letters a and b: "ab" is ab, or a@@ b, or, at the end, ab@@; ▁ab, or ▁a b.
Translator spelling_translator(text::BpeStyle style, uint64_t seed) {
  const bool ends = style == text::BpeStyle::end_of_word;
  Words merges = ends ? Words{"#version: 0.2", "a b</w>", "b a</w>", "a b"}
                      : Words{"#version: heed 1, begin of word", "▁ a", "▁ b", "▁ c", "▁a b", "▁b a", "a b"};
  Words pieces = ends ? Words{"a@@", "b@@", "ab@@", "a", "b", "ab", "ba"} : Words{"▁a", "▁b", "▁ab", "▁ba", "a", "b"};
  text::WordCounts counts;
  counts.add(pieces);
  text::PairTokenizers plain{{text::Tokenizer::Kind::space}, {text::Tokenizer::Kind::space}};
  Translator t({plain, text::Vocabulary(counts), text::Vocabulary(counts), text::Bpe::from_lines(merges)},
               paper_of<Bahdanau>(nn_test::small_paper<Bahdanau>(0, 0, 8, 16)), seed);
  set_training(t.model, false);
  for (auto& p : named_parameters(t.model))
    if (p.name == "output.bias") {
      Tensor bias = p.variable.value();
      bias.set({text::Vocabulary::stop}, 0.5);
    }
  return t;
}

const std::vector<Words> kSentences{{"ab", "ba"}, {"a"}, {"ba", "c", "c"}, {"b", "b", "ab"}, {}};

}  // namespace

TEST_CASE("n-best lists of a model with pieces: each text once, best first, as many as are wanted") {
  int64_t spelled_alike = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed)
    for (text::BpeStyle style : {text::BpeStyle::end_of_word, text::BpeStyle::begin_of_word}) {
      Translator t = spelling_translator(style, seed), other = spelling_translator(style, seed + 100);
      for (TranslateOptions o : std::vector<TranslateOptions>{{.beam = 6},
                                                              {.beam = 6, .length_penalty = 0},
                                                              {.beam = 6, .groups = 3},
                                                              {.beam = 6, .groups = 2, .diversity = 0},
                                                              {.beam = 6, .replace_unknown = true},
                                                              {.beam = 6, .no_repeat_ngram = 2},
                                                              {.beam = 6, .prefix = {"ab"}},
                                                              {.beam = 6, .ensemble = {&other}}}) {
        const auto lists = t.translate_n_best(kSentences, 6, o), three = t.translate_n_best(kSentences, 3, o);
        const auto best = t.translate(kSentences, o);
        for (size_t i = 0; i < kSentences.size(); ++i) {
          CAPTURE(seed);
          CAPTURE(i);
          std::set<std::string> texts;
          for (const Translation& one : lists[i]) texts.insert(one.text);
          CHECK(texts.size() == lists[i].size());
          CHECK(lists[i].size() == (kSentences[i].empty() ? 1 : 6));
          CHECK(std::is_sorted(lists[i].begin(), lists[i].end(),
                               [](const Translation& a, const Translation& b) { return a.score > b.score; }));
          CHECK(best[i].text == lists[i][0].text);
          CHECK(best[i].score == lists[i][0].score);
          REQUIRE(three[i].size() == std::min<size_t>(3, lists[i].size()));
          for (size_t k = 0; k < three[i].size(); ++k) CHECK(three[i][k].target == lists[i][k].target);
          for (const Translation& one : lists[i]) spelled_alike += one.target != t.parts.bpe->segment(one.words);
        }
      }
    }
  CHECK(spelled_alike > 100);  // the control: the model writes words in other pieces than segment does
}

TEST_CASE("an unknown word of the source is named once") {
  Translator t = spelling_translator(text::BpeStyle::end_of_word, 1);
  CHECK(t.translate({kSentences[2]})[0].unknown == Words{"c"});
}
