// Can the picture of an induction head be trusted? It is compared with what happens to the answer when words are hidden
// (lessons 12 and 29), for the last word of the second round that has a next one:
//
//   weight    of the head on the word at +d from where the same word stood
//   change    half the sum of |p - p'| over all words, when that word is hidden from all others
//   trust     rank correlation of weights and changes over all words of a text, and the share of 1,000 shuffles of the
//             weights that correlate as much (tutorials/app/look_heads.h)
#pragma once

#include "tutorials/35_inside/heads.h"
#include "tutorials/app/look_heads.h"
#include "tutorials/report/report.h"

namespace inside {

struct Picture {
  HeadPlaces head;
  size_t place = 0;                                 // +d, where its largest weight is
  double weight[3] = {}, change[3] = {};            // of the same word, of the one that came next, and at `place`
  double other = 0, correlation = 0, shuffled = 0;  // means over the texts; other: of all other words
};

inline Picture picture_of(const Model& model, const Rounds& r, const HeadPlaces& head, uint64_t seed) {
  NoGrad guard;
  Picture out{.head = head, .place = static_cast<size_t>(head.best())};
  const int64_t L = r.L, T = 2 * L, asks = T - 1, same = asks - L;  // the text ends before its last word
  const auto n = static_cast<int64_t>(std::min<size_t>(20, r.texts.size()));
  for (int64_t i = 0; i < n; ++i) {
    const Ids text(r.texts[static_cast<size_t>(i)].begin(), r.texts[static_cast<size_t>(i)].begin() + T);
    const Tensor ids = rows_of(std::vector<Ids>(static_cast<size_t>(T), text));  // row t: word t is hidden
    Tensor mask = Tensor::ones({T, T}, heed::DType::boolean);
    for (int64_t t = 0; t + 1 < T; ++t) mask.data<bool>()[t * T + t] = false;
    const nn::published::Answer seen = model.read({.ids = ids, .mask = mask}, {.weights = true});
    const Tensor p = softmax(select(model.logits("next_word", seen), 1, asks), -1).value().contiguous();  // [T, V]
    const Tensor w = seen.decoder.attentions[static_cast<size_t>(head.layer)]
                         .value()
                         .select(0, T - 1)
                         .select(0, head.head)
                         .select(0, asks)
                         .contiguous();  // [T], of the row that hides nothing
    const int64_t V = p.size(1);
    std::vector<double> weights, changes;
    for (int64_t t = 0; t < asks; ++t) {
      double moved = 0;
      for (int64_t v = 0; v < V; ++v)
        moved += 0.5 * std::abs(p.data<float>()[t * V + v] - p.data<float>()[(T - 1) * V + v]);
      weights.push_back(w.data<float>()[t]), changes.push_back(moved);
      const double share = 1.0 / static_cast<double>(n);
      bool named = false;
      for (int64_t k = 0; k < 3; ++k)
        if (t == same + (k < 2 ? k : head.best())) {
          out.weight[k] += share * weights.back(), out.change[k] += share * moved;
          named = true;
        }
      if (!named) out.other += share * moved / static_cast<double>(asks - 3);
    }
    const heed::app::Trust trust = heed::app::trust_of(weights, changes, seed + static_cast<uint64_t>(i));
    out.correlation += trust.correlation / static_cast<double>(n),
        out.shuffled += trust.shuffled / static_cast<double>(n);
  }
  return out;
}

inline heed::report::TablePanel table_of(const Picture& p) {
  heed::report::TablePanel table{
      .title = "The picture and the answer",
      .text = fmt::format("Head {}.{}, asked at the end of the second round. Change: the share of the probability that "
                          "moves to other words when this word is hidden.",
                          p.head.layer, p.head.head),
      .header = {"word", "weight", "change"}};
  const std::string names[] = {"the same word", "+1, which came next",
                               fmt::format("+{}, where the weight is", p.place)};
  for (size_t k = 0; k < 3; ++k)
    table.rows.push_back({names[k], fmt::format("{:.2f}", p.weight[k]), fmt::format("{:.2f}", p.change[k])});
  table.rows.push_back({"every other word", "", fmt::format("{:.2f}", p.other)});
  table.rows.push_back({"rank correlation", fmt::format("{:.2f}", p.correlation), ""});
  table.rows.push_back({"shuffles as good", fmt::format("{:.2f}", p.shuffled), ""});
  return table;
}

// The first text with the weights of all heads.
inline heed::report::ArcsPanel arcs_of(const Model& model, const Rounds& r,
                                       const tokenizers::PublishedTokenizer& tokenizer) {
  NoGrad guard;
  const Ids& text = r.texts.front();
  const nn::published::Answer seen = model.read({.ids = rows_of({text})}, {.weights = true});
  heed::report::ArcsAttention attention{.name = "decoder", .self = true};
  for (int64_t id : text) {
    std::string word = tokenizer.decode(std::vector<int64_t>{id}, {.skip_special = false});
    if (word.size() > 1 && word[0] == ' ') word.erase(0, 1);
    attention.queries.push_back(word);
  }
  attention.keys = attention.queries, attention.focus = text.size() - 2;
  for (size_t layer = 0; layer < seen.decoder.attentions.size(); ++layer)
    for (int64_t h = 0; h < seen.decoder.attentions[layer].size(1); ++h) {
      heed::report::ArcsHead one{.layer = layer, .head = static_cast<size_t>(h)};
      const Tensor w = seen.decoder.attentions[layer].value().select(0, 0).select(0, h).contiguous();
      one.weights = heed::report::Matrix(text.size(), text.size(), w.to_vector());
      attention.heads.push_back(std::move(one));
    }
  return {
      .title = "All heads on one text",
      .text = "Two rounds of 12 words. Choose a word of the second round. This panel counts layers and heads from 1.",
      .sentences = {{.name = "two rounds", .attentions = {attention}}}};
}

}  // namespace inside
