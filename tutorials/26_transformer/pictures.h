// The figures of the lesson: the three masks in a batch, cross-attention of each head, and the heads of "it".
#pragma once

#include <fmt/ranges.h>

#include "tutorials/26_transformer/looks.h"
#include "tutorials/common/record.h"
#include "tutorials/common/show.h"

namespace encdec {

inline std::string sentence(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }
inline std::vector<std::string> with_end(std::vector<std::string> words, const char* end = "</s>") {
  words.emplace_back(end);
  return words;
}

// ---- 1  three masks -------------------------------------------------------------------------------------------------
// A short sentence in a batch with a long one: its padding, and later words, never receive any weight.
inline void three_masks(heed::app::Lesson& lesson, const nn::Translator& t, const Grammar& g) {
  namespace report = heed::report;
  namespace app = heed::app;
  app::heading("1  Three masks: a short sentence in a batch with a long one; dark: some weight, dot: no weight");
  data::AlignedPair small, large;
  for (const auto& s : data::showcase_sentences())
    if (s.pair.source.size() == 4) small = s.pair;  // i am a student
  large.source.assign(g.agreement.source.begin(), g.agreement.source.begin() + 6);
  large.target.assign(g.agreement.target.begin(), g.agreement.target.begin() + 5);
  data::Batch b = data::make_batch(encoded(t, {small, large}), {0, 1});
  auto padded = [](std::vector<std::string> words, int64_t n) {
    words.resize(static_cast<size_t>(n), "<pad>");
    return words;
  };
  auto source = padded(with_end(small.source), b.source.size(1));
  std::vector<std::string> fed{"<s>"};
  fed.insert(fed.end(), small.target.begin(), small.target.end());
  fed = padded(fed, b.target_in.size(1));
  struct Mask {
    const char *module, *title, *text;
    const std::vector<std::string>&rows, &columns;
  };
  const Mask masks[] = {
      {"encoder.layers.0.self_attn", "Encoder: padding",
       "Every word attends to every word, and no word to the padding.", source, source},
      {"decoder.layers.0.self_attn", "Decoder: causal",
       "A word attends to itself and to earlier words. The padding is after the words, so it needs no mask of its own.",
       fed, fed},
      {"decoder.layers.0.multihead_attn", "Cross: padding of the source",
       "Every target word attends to every source word, and none to the padding of the source.", fed, source}};
  std::vector<Seen> seen = all_weights(t, b);
  for (const Mask& m : masks)
    for (const Seen& s : seen) {
      if (!s.module.ends_with(m.module)) continue;
      report::Matrix tiles = looked_at(s.weights, 0);
      app::tell("   {}\n", m.title);
      app::show(report::heat_map(tiles, m.rows, m.columns, {.console = app::console(), .legend = false}));
      lesson.report().heat({.title = m.title,
                            .text = m.text,
                            .row_title = "query",
                            .column_title = "key",
                            .rows = m.rows,
                            .columns = m.columns,
                            .matrix = tiles,
                            .low = 0,
                            .high = 1});
    }
}

// Cross-attention of the sentence of the course, all heads.
inline void the_agreement(heed::app::Lesson& lesson, const Learned& learned, const Grammar& g) {
  namespace report = heed::report;
  namespace app = heed::app;
  const data::AlignedPair& pair = g.agreement;
  const nn::Translator& t = learned.translator;
  report::Alignment mean{.source = with_end(pair.source),
                         .target = with_end(pair.target),
                         .name = "last layer, mean of its heads",
                         .choice = "Layer and head"};
  for (const data::Link& l : pair.links) (l.sure ? mean.sure : mean.possible).push_back({l.target, l.source});
  std::vector<report::Alignment> all(1, mean);
  all[0].snapshots = learned.snapshots;
  int64_t layer = 0;
  for (const Seen& s : all_weights(t, data::make_batch(encoded(t, {pair}), {0}))) {
    if (!s.module.ends_with("multihead_attn")) continue;
    ++layer;
    for (int64_t h = 0; h < s.weights.size(1); ++h) {
      all.push_back(mean);
      all.back().name = fmt::format("layer {}, head {}", layer, h + 1);
      all.back().weights = app::matrix_of(s.weights.select(0, 0).select(0, h));
    }
  }
  lesson.report().alignments("The agreement on the European Economic Area",
                             "Cross-attention with the true translation as input (teacher forcing): the mean over the "
                             "heads of the last layer, "
                             "with a slider for the epochs, then each head of each layer. Frames: the true alignment. "
                             "French reverses the order "
                             "of the noun phrase.",
                             all);
  app::tell("\n   {}\n   {}\n\n", sentence(pair.source), sentence(t.translate({pair.source})[0].target));
  app::show(report::heat_map(all[0].snapshots.back().weights, mean.target, mean.source, {.console = app::console()}));
}

// The two sentences of the street: which words "it" attends to, and what each head does for il or elle.
inline std::vector<data::ToyShowcase> street_sentences() {
  std::vector<data::ToyShowcase> out;
  for (const auto& s : data::showcase_sentences())
    if (s.pair.family == "pronoun") out.push_back(s);
  return out;
}
// By how much the encoder's weights in the row of a word differ between the two sentences, at most.
inline double row_change(const std::vector<heed::report::ArcsSentence>& two, size_t word) {
  double most = 0;
  const auto &a = two[0].attentions[0].heads, &b = two[1].attentions[0].heads;
  for (size_t h = 0; h < a.size(); ++h)
    for (size_t key = 0; key < a[h].weights.columns; ++key)
      most = std::max(most, std::abs(a[h].weights.value(word, key) - b[h].weights.value(word, key)));
  return most;
}
// "`wide` puts 0.97 on `street` (layer 1, head 1)": the largest weight of the adjective on one of the two nouns.
inline std::string adjective_text(const heed::report::ArcsSentence& sentence) {
  const heed::report::ArcsAttention& encoder = sentence.attentions[0];
  size_t adjective = encoder.queries.size() - 2;  // before </s>
  std::string text;
  double most = -1;
  for (const heed::report::ArcsHead& h : encoder.heads)
    for (size_t key = 0; key < encoder.keys.size(); ++key) {
      if (encoder.keys[key] != "animal" && encoder.keys[key] != "street") continue;
      if (double w = h.weights.value(adjective, key); w > most)
        most = w, text = fmt::format("`{}` puts {:.2f} on `{}` (layer {}, head {})", encoder.queries[adjective], w,
                                     encoder.keys[key], h.layer + 1, h.head + 1);
    }
  return text;
}
inline void the_heads_of_it(heed::app::Lesson& lesson, nn::Translator& t) {
  namespace report = heed::report;
  namespace app = heed::app;
  report::ArcsPanel arcs{
      .title = "What \"it\" attends to",
      .text =
          "All layers and heads of the three kinds of attention, with teacher forcing. `it` is chosen at first; in "
          "the decoder, the word before il or elle is. Lines are as thick as the weights, and each row sums to 1."};
  std::vector<app::AblationQuery> queries;
  for (const auto& s : street_sentences()) {
    const data::AlignedPair& pair = s.pair;
    size_t position = 0;
    while (pair.target[position] != "il" && pair.target[position] != "elle") ++position;
    const std::string& adjective = pair.source.back();
    arcs.sentences.push_back(app::record_heads(t, {pair.source, pair.target}, "too " + adjective));
    for (report::ArcsAttention& a : arcs.sentences.back().attentions)
      a.focus =
          a.queries[0] == "<s>"
              ? position  // the decoder's inputs start with <s>: this one predicts the pronoun
              : static_cast<size_t>(std::find(pair.source.begin(), pair.source.end(), "it") - pair.source.begin());
    queries.push_back(
        {"too " + adjective, {pair.source, pair.target}, position, pair.target[position] == "elle" ? 1u : 0u});
  }
  size_t it = *arcs.sentences[0].attentions[0].focus, adjective = arcs.sentences[0].attentions[0].queries.size() - 2;
  arcs.text += fmt::format(
      " Between the two sentences the encoder's weights in the row of `it` differ by at most {:.2f}, in the row of the "
      "adjective by up to {:.2f}: {}; {}.",
      row_change(arcs.sentences, it), row_change(arcs.sentences, adjective), adjective_text(arcs.sentences[0]),
      adjective_text(arcs.sentences[1]));
  lesson.report().arcs(arcs);
  report::AblationPanel ablation = app::record_ablation(t, queries, {"il", "elle"});
  ablation.title = "Switch off a head: il or elle?";
  ablation.text =
      "The true translation up to the pronoun is given. A head that is switched off has the context 0. The "
      "model computed these probabilities for every head, every pair of heads and every layer.";
  lesson.report().ablation(ablation);
}

inline void word_by_word(heed::app::Lesson& lesson, const nn::Translator& t) {
  namespace report = heed::report;
  namespace app = heed::app;
  const nn::TransformerOptions& o = transformer_of(t).options;
  report::StepperModel record =
      app::record_decode(t, street_sentences()[0].pair.source, {.name = "transformer, greedy"});
  lesson.report().stepper({.title = "A transformer translates, word by word",
                           .text = "Cross-attention of each head as the decoder writes. The key padding mask sets the "
                                   "score of `<pad>` to -infinity, so that its weight is exactly 0.",
                           .models = {record}});
  lesson.report().model({.title = "The model, unrolled",
                         .text = "The lines are the weights of cross-attention, averaged over all layers and heads. "
                                 "Below, the parameters with their shapes and counts.",
                         .parameters = app::parameter_lines(t.model),
                         .run = app::record_decode(t, street_sentences()[0].pair.source, {.padding = 0}),
                         .encoder = fmt::format("encoder: {} layers, {} heads", o.encoder_layers, o.heads),
                         .decoder = fmt::format("decoder: {} layers, {} heads", o.decoder_layers, o.heads),
                         .recurrent = false});
}

}  // namespace encdec
