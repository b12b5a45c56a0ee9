#include "nn/data/tasks/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "nn/data/tasks/draw.h"
#include "tensor/error.h"

namespace heed::data {
namespace {

using namespace drawing;

constexpr const char* kVerdict = "verdict";
constexpr int64_t kFiller = 0, kAgrees = 1, kDiffers = 2, kIgnored = -100;

std::string class_word(int64_t number) { return "c" + std::to_string(number); }

Document draw_document(Generator& rng, const DocumentOptions& o, int64_t sentences) {
  Document d;
  d.label = rng.below(o.classes);
  d.cue_sentence = rng.below(sentences);
  for (int64_t s = 0; s < sentences; ++s) {
    bool cue = s == d.cue_sentence;
    int64_t length = o.words.least + rng.below(o.words.most - o.words.least + 1);
    int64_t said = cue ? d.label : rng.below(o.classes);
    int64_t at = rng.below(length), verdict = (at + 1 + rng.below(length - 1)) % length;  // two different positions
    std::vector<std::string> words;
    std::vector<int64_t> tags;
    for (int64_t w = 0; w < length; ++w) {
      std::string filler = "w" + std::to_string(rng.below(o.fillers));
      words.push_back(w == at ? class_word(said) : cue && w == verdict ? kVerdict : filler);
      tags.push_back(w != at ? kFiller : said == d.label ? kAgrees : kDiffers);
    }
    if (cue) {
      d.cue_word = at;
      d.verdict = verdict;
    }
    d.sentences.push_back(std::move(words));
    d.tags.push_back(std::move(tags));
  }
  return d;
}

// The position of the first word of sentence s when all words are in one row.
int64_t row_place(const Document& d, int64_t s) {
  size_t place = 0;
  for (size_t i = 0; std::cmp_less(i, s); ++i) place += d.sentences[i].size();
  return static_cast<int64_t>(place);
}

}  // namespace

AlignedPair DocumentTask::pair(const Document& d) const {
  std::vector<std::string> row;
  for (const std::vector<std::string>& sentence : d.sentences) row.insert(row.end(), sentence.begin(), sentence.end());
  auto begin = static_cast<size_t>(row_place(d, d.cue_sentence));
  return aligned(
      name, std::move(row), {class_word(d.label)},
      {sure(begin + static_cast<size_t>(d.cue_word), 0), possible(begin + static_cast<size_t>(d.verdict), 0)});
}

DocumentTask document_task(const DocumentOptions& o) {
  Plan plan{"document", o.sentences, given(o.held_out_sentences, o.sentences), o.parts};
  check_parts(plan.task, o.parts);
  check_least(plan.task, "classes", o.classes, 2);
  check_least(plan.task, "fillers", o.fillers, 1);
  check_range(plan.task, "words", o.words, 2);
  check_range(plan.task, "sentences", plan.sizes, 1);
  check_range(plan.task, "held-out sentences", plan.held_out, 1);
  auto make = [&](Generator& rng, int64_t sentences) { return draw_document(rng, o, sentences); };
  auto key = [](const Document& d) {
    std::string text;
    for (const std::vector<std::string>& sentence : d.sentences) text += joined(sentence) + "|";
    return text;
  };
  auto drawn = draw<Document>(plan, make, key);
  std::vector<std::string> names{kVerdict};
  for (int64_t c = 0; c < o.classes; ++c) names.push_back(class_word(c));
  for (int64_t w = 0; w < o.fillers; ++w) names.push_back("w" + std::to_string(w));
  return {
      plan.task, Symbols(names), o.classes, std::move(drawn.train), std::move(drawn.validation), std::move(drawn.test)};
}

DocumentBatch document_batch(const DocumentTask& task, const std::vector<Document>& documents,
                             const std::vector<int64_t>& members) {
  if (members.empty()) throw ValueError("document_batch: needs at least one document; got none");
  size_t S = 0, W = 0, L = 0;
  for (int64_t m : members) {
    if (m < 0 || std::cmp_greater_equal(m, documents.size()))
      throw IndexError(fmt::format("document_batch: a member must lie in [0, {}); got {}", documents.size(), m));
    const Document& d = documents[static_cast<size_t>(m)];
    S = std::max(S, d.sentences.size());
    for (const auto& sentence : d.sentences) W = std::max(W, sentence.size());
    L = std::max(L, static_cast<size_t>(row_place(d, static_cast<int64_t>(d.sentences.size()))));
  }
  std::vector<int64_t> words(members.size() * S * W), tags(words.size(), kIgnored), counts(members.size() * S),
      flat(members.size() * L), sentences, lengths, labels, cue_sentence, cue_word, cue_flat;
  for (size_t b = 0; b < members.size(); ++b) {
    const Document& d = documents[static_cast<size_t>(members[b])];
    size_t place = b * L;
    for (size_t s = 0; s < d.sentences.size(); ++s) {
      std::vector<int64_t> ids = task.words.encode(d.sentences[s]);
      auto start = static_cast<std::ptrdiff_t>((b * S + s) * W);
      std::copy(ids.begin(), ids.end(), words.begin() + start);
      std::copy(d.tags[s].begin(), d.tags[s].end(), tags.begin() + start);
      std::copy(ids.begin(), ids.end(), flat.begin() + static_cast<std::ptrdiff_t>(place));
      counts[b * S + s] = static_cast<int64_t>(ids.size());
      place += ids.size();
    }
    sentences.push_back(static_cast<int64_t>(d.sentences.size()));
    lengths.push_back(static_cast<int64_t>(place - b * L));
    labels.push_back(d.label);
    cue_sentence.push_back(d.cue_sentence);
    cue_word.push_back(d.cue_word);
    cue_flat.push_back(row_place(d, d.cue_sentence) + d.cue_word);
  }
  auto B = static_cast<int64_t>(members.size()), s = static_cast<int64_t>(S), w = static_cast<int64_t>(W);
  return {.words = Tensor::from(words, {B, s, w}),
          .word_counts = Tensor::from(counts, {B, s}),
          .sentences = Tensor::from(sentences, {B}),
          .flat = Tensor::from(flat, {B, static_cast<int64_t>(L)}),
          .flat_lengths = Tensor::from(lengths, {B}),
          .labels = Tensor::from(labels, {B}),
          .tags = Tensor::from(tags, {B, s, w}),
          .cue_sentence = Tensor::from(cue_sentence, {B}),
          .cue_word = Tensor::from(cue_word, {B}),
          .cue_flat = Tensor::from(cue_flat, {B})};
}

}  // namespace heed::data
