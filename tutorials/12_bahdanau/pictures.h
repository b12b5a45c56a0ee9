// The pictures of the translators: one sentence word by word, the fake detected by changing one key, the weights of two
// decoders while they learn, and the model itself.
#pragma once

#include "tutorials/12_bahdanau/grammar.h"
#include "tutorials/common/record.h"
#include "tutorials/common/show.h"

namespace bahdanau {

struct Translated {
  std::string name;
  Learned learned;
  Figures figures;
};
inline const Translated* find(const std::vector<Translated>& all, const std::string& name) {
  for (const Translated& t : all)
    if (t.name == name) return &t;
  return nullptr;
}

// How often the word with the largest weight changes, and the largest change of a weight, when one key is changed.
inline std::string change_text(const heed::report::StepperModel& m) {
  double largest = 0;
  for (const auto& step : m.steps)
    for (size_t s = 0; s < step.changed.size(); ++s)
      largest = std::max(largest, std::abs(step.changed[s] - step.heads[0].weights[s]));
  return largest == 0 ? "no weight changes at all" : fmt::format("a weight changes by up to {:.2f}", largest);
}

inline void word_by_word(heed::app::Lesson& lesson, const std::vector<Translated>& all, const Grammar& g) {
  namespace app = heed::app;
  namespace report = heed::report;
  auto record = [&](const Translated& t, bool change_key) {
    return app::record_decode(t.learned.translator, g.agreement.source, {.name = t.name, .change_key = change_key});
  };
  const Translated *vector = find(all, "one vector"), &attention = *find(all, "attention"),
                   &fake = *find(all, "the fake");
  report::StepperModel looks = record(attention, true), counts = record(fake, true);
  report::StepperPanel steps{
      .title = "Decode step by step: one vector beside attention",
      .text =
          "A greedy translation of the agreement. For each word: the state that asks, a score for every source "
          "word, the mask, the softmax, the context, and what the decoder predicts. "};
  steps.text += vector ? "The decoder without attention receives the same vector in every step."
                       : "This shortened run trains no decoder with one vector, so attention is shown alone.";
  if (vector) steps.models.push_back(record(*vector, false));
  steps.models.push_back(record(attention, false));
  lesson.report().stepper(steps);
  counts.name = "the fake, which ignores the keys";
  lesson.report().stepper(
      {.title = "Can you trust this picture? Attention beside the fake",
       .text = "Two decoders translate the same sentence. Both have weights that sum to 1, and both have a picture. "
               "Only one of them compares its state with the encoder outputs.",
       .models = {counts, looks},
       .question = report::StepperQuestion{
           "Which of these two reads the source?", 1,
           fmt::format("Decoder B does. The experiment: in each step, 1 is added to every number of one encoder "
                       "output, the one with the most weight. In decoder A {}: its scores depend on its own state "
                       "alone. In decoder B {}.",
                       change_text(counts), change_text(looks))}});
  report::VariantsPanel variants{
      .title = "Attention and the fake: the same sentence, and the difference",
      .text =
          "Weights with teacher forcing after each epoch. Orange: attention has more weight there; blue: the fake "
          "has.",
      .source = g.agreement.source,
      .target = g.agreement.target};
  variants.source.emplace_back("</s>"), variants.target.emplace_back("</s>");
  for (const Translated* t : {&attention, &fake}) {
    variants.variants.push_back({t->name, {}});
    for (const report::Snapshot& s : t->learned.snapshots) {
      variants.variants.back().snapshots.push_back(s.weights);
      if (t == &attention) variants.labels.push_back(s.label);
    }
  }
  lesson.report().variants(variants);
  report::StepperModel run = app::record_decode(attention.learned.translator, g.agreement.source, {.padding = 0});
  lesson.report().model({.title = "The model with attention",
                         .text = "Unrolled over the agreement: the lines are the weights of its attention. Below, its "
                                 "parameters with their shapes and counts.",
                         .parameters = app::parameter_lines(attention.learned.translator.model),
                         .run = run,
                         .encoder = "encoder: GRU, both directions",
                         .decoder = "decoder: GRU",
                         .both_ways = true});
}

}  // namespace bahdanau
