// The sample page's panels of tutorials/report/attention_panels.h, filled with invented numbers of the right shapes.
#pragma once

#include <cmath>
#include <limits>

#include "tutorials/report/report.h"

namespace heed::report {

Matrix soft_alignment(std::size_t rows, std::size_t columns, double sharpness);  // sample_report.h

inline std::vector<double> wave(std::size_t count, double shift) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::sin(0.7 * static_cast<double>(i) + shift));
  return values;
}

inline StepperModel sample_model(const std::string& name, std::size_t heads) {
  StepperModel model{.name = name, .source = {"i", "</script>", "a", "\"student\"", "</s>", "<pad>"}};
  for (std::size_t h = 0; h < heads; ++h) model.heads.push_back("head " + std::to_string(h + 1));
  std::size_t t = 0;
  for (std::string word : {"je", "suis", "<b>étudiant</b>", "</s>"}) {
    StepperStep step{.word = word, .state = wave(24, static_cast<double>(t))};
    if (heads == 0) step.context = wave(32, 0);
    for (std::size_t h = 0; h < heads; ++h) {
      StepperHead head{.scores = wave(6, static_cast<double>(t + h)),
                       .context = wave(16, static_cast<double>(t + 2 * h))};
      head.scores[5] = -std::numeric_limits<double>::infinity();
      double sum = 0;
      for (double s : head.scores) sum += std::exp(3 * s);
      for (double s : head.scores) head.weights.push_back(std::exp(3 * s) / sum);
      step.heads.push_back(head);
    }
    if (heads > 0) step.key = t % 4, step.changed = step.heads[0].weights, step.changed[0] = 0.5;
    step.best = {{word, 0.8}, {"la", 0.1}, {"été", 0.05}, {"de", 1e-5}};
    model.steps.push_back(step);
    ++t;
  }
  return model;
}

inline void add_attention_panels(Report& report) {
  report.stepper({.title = "Word by word",
                  .text = "One vector beside attention.",
                  .models = {sample_model("one vector", 0), sample_model("attention", 1)}});
  report.stepper({.title = "Can you trust this picture?",
                  .models = {sample_model("attention", 1), sample_model("fake", 1)},
                  .question = StepperQuestion{"Which of these two reads the source?", 0, "Change one key and see."}});
  report.stepper({.title = "A transformer, word by word", .models = {sample_model("transformer", 4)}});
  std::vector<std::string> english{"the",     "animal", "didn't", "cross", "the",   "street",
                                   "because", "it",     "was",    "too",   "tired", "</s>"};
  std::vector<std::string> french{"<s>", "l'", "animal", "n'", "a", "pas", "traversé", "la", "rue"};
  ArcsPanel arcs{.title = "What \"it\" attends to", .text = "Two layers of four heads."};
  for (std::string name : {"tired", "wide"}) {
    ArcsAttention self{.name = "encoder", .queries = english, .keys = english, .self = true, .focus = 7};
    ArcsAttention cross{.name = "cross-attention", .queries = french, .keys = english};
    for (std::size_t k = 0; k < 8; ++k) {
      double sharp = (name == "tired" ? 0.05 : 0.3) * static_cast<double>(k + 1);
      self.heads.push_back({k / 4, k % 4, soft_alignment(12, 12, sharp)});
      cross.heads.push_back({k / 4, k % 4, soft_alignment(9, 12, sharp)});
    }
    arcs.sentences.push_back({name, {self, cross}});
  }
  report.arcs(arcs);
  AblationPanel ablation{.title = "Ablate a head", .words = {"il", "elle"}};
  for (std::size_t l = 0; l < 2; ++l) {
    ablation.layers.push_back({"encoder self-attention", l, 0});
    for (std::size_t h = 0; h < 2; ++h) ablation.heads.push_back({"encoder self-attention", l, h});
  }
  auto p = [](double il) { return std::vector<double>{il, 1 - il}; };
  ablation.cases = {{"tired",
                     english,
                     french,
                     0,
                     p(0.9),
                     {p(0.8), p(0.3), p(0.9), p(0.7)},
                     {p(0.2), p(0.6)},
                     {p(0.4), p(0.3), p(0.8), p(0.7), p(0.6), p(0.5)}},
                    {"wide",
                     english,
                     french,
                     1,
                     p(0.1),
                     {p(0.2), p(0.3), p(0.1), p(0.2)},
                     {p(0.2), p(0.1)},
                     {p(0.7), p(0.3), p(0.1), p(0.2), p(0.6), p(0.1)}}};
  report.ablation(ablation);
  VariantsPanel variants{
      .title = "Three models", .source = english, .target = french, .labels = {"epoch 1", "epoch 2"}};
  for (std::string name : {"attention", "fake", "<b>hard</b>"}) {
    double sharp = 0.1 * static_cast<double>(variants.variants.size() + 1);
    variants.variants.push_back({name, {soft_alignment(9, 12, sharp / 9), soft_alignment(9, 12, sharp)}});
  }
  report.variants(variants);
  report.model({.title = "The model",
                .text = "Parameters, and the model unrolled.",
                .parameters = {{"encoder.weight_ih_l0", "[192, 32]", 6144},
                               {"encoder.bias_ih_l0", "[192]", 192},
                               {"decoder.<b>", "[64, 64]", 4096}},
                .run = sample_model("attention", 1),
                .encoder = "encoder: GRU, both ways",
                .decoder = "decoder: GRU",
                .both_ways = true});
}

}  // namespace heed::report
