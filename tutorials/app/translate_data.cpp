#include "tutorials/app/translate_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/text/reading.h"
#include "tensor/error.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

using text::TokenPair;

constexpr int64_t kLongestJudged = 200;  // tokens of a sentence that is not trained on

TokenPair tokens_of(const data::AlignedPair& p) { return {p.source, p.target}; }

std::vector<TokenPair> tokens_of(const std::vector<data::AlignedPair>& pairs) {
  std::vector<TokenPair> out;
  for (const auto& p : pairs) out.push_back(tokens_of(p));
  return out;
}

// FNV-1a over all tokens: enough to notice that a saved model belongs to other data.
class Fingerprint {
 public:
  void add(const std::string& s) {
    for (char c : s) step(static_cast<unsigned char>(c));
    step(0xff);
  }
  void add(const std::vector<TokenPair>& pairs) {
    for (const auto& p : pairs)
      for (const auto* side : {&p.source, &p.target}) {
        for (const auto& t : *side) add(t);
        step(0xfe);
      }
  }
  uint64_t value() const { return hash_; }

 private:
  void step(unsigned byte) { hash_ = (hash_ ^ byte) * 0x100000001b3u; }
  uint64_t hash_ = 0xcbf29ce484222325u;
};

TranslateData built_in_data(const DataOptions& o) {
  data::ToyCorpusOptions options{.direction = o.direction == "en-fr" ? data::Direction::en_fr : data::Direction::fr_en};
  if (o.limit > 0) options.train = static_cast<int>(std::min<int64_t>(o.limit, options.train));
  if (o.quick) options.train = std::min(options.train, 2000), options.test = 200, options.combinations = 100;
  data::ToyCorpus corpus = data::toy_corpus(options);
  TranslateData d;
  d.built_in = true;
  d.description = fmt::format("the toy {} grammar", o.direction == "en-fr" ? "English-French" : "French-English");
  d.train = tokens_of(corpus.train);
  d.validation = tokens_of(corpus.validation);
  d.tests.push_back({"unseen sentences", tokens_of(corpus.test), corpus.test});
  d.tests.push_back({"unseen combinations", tokens_of(corpus.test_combinations), corpus.test_combinations});
  for (const auto& s : data::showcase_sentences(options.direction)) d.showcase.push_back(s.pair);
  // The sentence on the European Economic Area comes first: French reverses its noun phrase, as attention shows.
  auto longest = std::max_element(d.showcase.begin(), d.showcase.end(),
                                  [](const auto& a, const auto& b) { return a.target.size() < b.target.size(); });
  auto agreement = std::find_if(d.showcase.begin(), d.showcase.end(), [](const data::AlignedPair& p) {
    return std::count(p.source.begin(), p.source.end(), "1992") > 0;
  });
  std::iter_swap(d.showcase.begin(), agreement != d.showcase.end() ? agreement : longest);
  for (const auto& p : d.showcase)
    if (d.examples.size() < 5) d.examples.push_back(d.tokenizers.source.join(p.source));
  return d;
}

void hold_out(TranslateData& d, std::vector<TokenPair> pairs, const DataOptions& o) {
  auto n = static_cast<int64_t>(pairs.size());
  int64_t part = std::clamp<int64_t>(n / 20, 1, 1000);
  auto split = text::split_by_source(std::move(pairs), {.validation = part, .test = part, .seed = o.seed});
  d.train = std::move(split.train);
  d.validation = std::move(split.validation);
  d.tests.push_back({"held-out sentences", std::move(split.test), {}});
  if (d.train.empty() || d.validation.empty() || d.tests[0].pairs.empty())
    throw InputError(fmt::format("translate: too few different source sentences to hold some out; got {} pairs", n));
}

void require_usable(std::vector<TokenPair>& pairs, int64_t max_length, TranslateData& d, const char* what) {
  int64_t dropped = text::filter_by_length(pairs, max_length, d.bpe ? &*d.bpe : nullptr);
  if (dropped > 0)
    d.notes.push_back(fmt::format("{} {}pair{} longer than {} {} left out (--max-length)", dropped, what,
                                  dropped == 1 ? "" : "s", max_length, d.bpe ? "pieces" : "words"));
}

text::PairTokenizers tokenizers_for(const std::string& name, const std::vector<text::SentencePair>& pairs) {
  text::PairTokenizers t;
  t.source = t.target = text::Tokenizer::from_name(name);
  if (t.target.kind == text::Tokenizer::Kind::words) {
    std::vector<std::string> targets;
    for (size_t i = 0; i < std::min<size_t>(pairs.size(), 2000); ++i) targets.push_back(pairs[i].target);
    t.target.spacing = text::observed_spacing(targets);
  }
  return t;
}

void note_blanks(TranslateData& d, int64_t blank) {
  if (blank > 0) d.notes.push_back(fmt::format("{} line{} with an empty side left out", blank, blank == 1 ? "" : "s"));
}

TranslateData pairs_data(const DataOptions& o) {
  text::Pairs read = text::read_pairs(o.pairs, {.limit = o.limit});
  if (o.direction == "fr-en")
    for (auto& p : read.pairs) std::swap(p.source, p.target);
  TranslateData d;
  d.description = o.pairs;
  note_blanks(d, read.blank);
  d.tokenizers = tokenizers_for(o.tokenize.empty() ? "words" : o.tokenize, read.pairs);
  auto pairs = text::tokenize(read.pairs, d.tokenizers);
  require_usable(pairs, o.max_length > 0 ? o.max_length : 30, d, "");
  hold_out(d, std::move(pairs), o);
  return d;
}

TranslateData parallel_data(const DataOptions& o) {
  text::Pairs read = text::read_parallel(o.source, o.target, {.limit = o.limit});
  TranslateData d;
  d.description = fmt::format("{} and {}", o.source, o.target);
  note_blanks(d, read.blank);
  d.tokenizers = tokenizers_for(o.tokenize.empty() ? "space" : o.tokenize, read.pairs);
  int64_t longest = o.max_length > 0 ? o.max_length : 60;
  auto pairs = text::tokenize(read.pairs, d.tokenizers);
  require_usable(pairs, longest, d, "training ");
  if (o.valid_source.empty()) {
    hold_out(d, std::move(pairs), o);
    return d;
  }
  d.train = std::move(pairs);
  text::Pairs valid = text::read_parallel(o.valid_source, o.valid_target);
  d.validation = text::tokenize(valid.pairs, d.tokenizers);
  require_usable(d.validation, std::max(longest, kLongestJudged), d, "validation ");
  d.tests.push_back({"validation sentences", d.validation, {}});
  return d;
}

// A sentence of middling length shows alignment best.
void choose_showcase(TranslateData& d) {
  for (const auto& p : d.tests[0].pairs) {
    if (d.showcase.size() >= 5) break;
    bool fits = p.source.size() >= 6 && p.source.size() <= 12 && p.target.size() <= 14;
    if (fits)
      d.showcase.push_back({.source = p.source,
                            .target = p.target,
                            .source_content = {},
                            .target_content = {},
                            .links = {},
                            .family = {},
                            .combinations = {}});
  }
  if (d.showcase.empty()) {
    const auto& p = d.tests[0].pairs[0];
    d.showcase.push_back({.source = p.source,
                          .target = p.target,
                          .source_content = {},
                          .target_content = {},
                          .links = {},
                          .family = {},
                          .combinations = {}});
  }
  for (const auto& p : d.showcase) d.examples.push_back(d.tokenizers.source.join(p.source));
}

void check_combination(const DataOptions& o) {
  bool parallel = !o.source.empty() || !o.target.empty();
  if (!o.pairs.empty() && parallel) throw InputError("translate: give --pairs, or --src and --tgt; got both");
  if (o.source.empty() != o.target.empty())
    throw InputError("translate: --src and --tgt go together; got only one of them");
  if (o.valid_source.empty() != o.valid_target.empty())
    throw InputError("translate: --valid-src and --valid-tgt go together; got only one of them");
  if (!o.valid_source.empty() && !parallel)
    throw InputError("translate: --valid-src needs --src and --tgt; got neither");
}

uint64_t fingerprint_of(const TranslateData& d) {
  Fingerprint print;
  print.add(d.tokenizers.source.name() + " " + d.tokenizers.target.name());
  print.add(d.train);
  print.add(d.validation);
  return print.value();
}

}  // namespace

void DataOptions::fields(nn::OptionFields& f) {
  f("pairs", pairs, "train on the file F.tsv, each line `source TAB target`").value = "F.tsv";
  f("src", source, "train on parallel files: this is the source language").value = "F";
  f("tgt", target, "the target language: line i translates line i of --src").value = "F";
  f("valid_src", valid_source, "validation data, source language").value = "F";
  f("valid_tgt", valid_target, "validation data, target language").value = "F";
  f("direction", direction, "direction of translation", {"en-fr", "fr-en"}).needs =
      nn::Need{"pairs", "F.tsv, or no files", [this] { return source.empty(); }};
  const nn::Need files{"pairs", "F.tsv or --src F", [this] { return !(pairs.empty() && source.empty()); }};
  f("tokenize", tokenize, "how lines are split into tokens; default: words for --pairs, space for --src",
    {"space", "words"})
      .needs = files;
  f("max_length", max_length, "leave out pairs in which a sentence has more words; 0: 30 for --pairs, 60 for --src",
    {0, static_cast<double>(kMaxTokens)})
      .needs = files;
  f("limit", limit, "read only the first N pairs; 0: all");
}

TranslateData load_translate_data(const DataOptions& o) {
  check_combination(o);
  TranslateData d = !o.pairs.empty() ? pairs_data(o) : !o.source.empty() ? parallel_data(o) : built_in_data(o);
  if (d.showcase.empty()) choose_showcase(d);
  d.fingerprint = fingerprint_of(d);
  return d;
}

void note_no_words(const text::Vocabulary& source, const text::Vocabulary& target, int64_t min_frequency) {
  for (auto [side, words] : {std::pair("source", &source), std::pair("target", &target)})
    if (words->size() == words->first_word())
      say(fmt::format(
          "no word of the {} occurs {} times, so the model knows none; a smaller --min-frequency keeps some", side,
          min_frequency));
}

text::Bpe learn_pieces(const std::vector<TokenPair>& pairs, const text::BpeOptions& options) {
  text::WordCounts words;
  for (const auto& p : pairs) words.add(p.source), words.add(p.target);
  return text::Bpe::learn(words, options);
}

void limit_pieces(TranslateData& d, text::Bpe bpe, int64_t max_length) {
  d.bpe = std::move(bpe);
  require_usable(d.train, max_length, d, "training ");
  require_usable(d.validation, std::max(max_length, kLongestJudged), d, "validation ");
  for (HeldOut& test : d.tests)
    if (test.gold.empty()) text::filter_by_length(test.pairs, std::max(max_length, kLongestJudged), &*d.bpe);
  d.fingerprint = fingerprint_of(d);
}

}  // namespace heed::app
