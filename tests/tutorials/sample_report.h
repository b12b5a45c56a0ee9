// One report with every kind of panel and with words that try to break out of it: what the report's tests write, and
// what the browser opens.
#pragma once

#include <cmath>

#include "tests/tutorials/sample_attention.h"
#include "tutorials/report/report.h"

namespace heed::report {

inline Matrix soft_alignment(std::size_t rows, std::size_t columns, double sharpness) {
  Matrix weights(rows, columns, std::vector<double>(rows * columns));
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0, centre = static_cast<double>(i) * static_cast<double>(columns) / static_cast<double>(rows);
    for (std::size_t j = 0; j < columns; ++j) {
      double distance = static_cast<double>(j) - centre;
      sum += weights.values[i * columns + j] = std::exp(-sharpness * distance * distance);
    }
    for (std::size_t j = 0; j < columns; ++j) weights.values[i * columns + j] /= sum;
  }
  return weights;
}

inline Report sample_report() {
  Report report("12 · Bahdanau attention", "A decoder that looks back · seed 1 · quick");
  report.claims("Claims", io::Json::array({
                              io::Json::object({{"name", "at length 20+, attention is at least 30 points better"},
                                                {"measured", 41.5},
                                                {"comparator", ">="},
                                                {"threshold", 30.0},
                                                {"control", "attention off: 2.1 points"},
                                                {"pass", true}}),
                              io::Json::object({{"name", "the fake attention that ignores the encoder is found out"},
                                                {"measured", 0.012},
                                                {"comparator", "<="},
                                                {"threshold", 0.005},
                                                {"control", nullptr},
                                                {"pass", false}}),
                          }));
  report.text("What you see",
              "Each row of an alignment is one decoder step; its weights sum to one: `softmax(e) = a`.\n\n"
              "Hostile words stay words: </script><script>document.title='broken'</script> \"quoted\" & <b>bold</b>.");
  std::vector<std::string> source{"the",  "agreement", "on",     "the", "European", "Economic",
                                  "Area", "was",       "signed", "in",  "August",   "1992"};
  std::vector<std::string> target{"l'", "accord", "sur",   "la", "zone", "économique", "européenne",
                                  "a",  "été",    "signé", "en", "août", "1992"};
  Alignment sentence{.source = source, .target = target, .name = "the agreement …"};
  std::size_t link[] = {0, 1, 2, 3, 6, 5, 4, 7, 7, 8, 9, 10, 11};
  for (int step = 0; step < 8; ++step) {
    Matrix weights(13, 12, std::vector<double>(156));
    for (std::size_t i = 0; i < 13; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 12; ++j) {
        double distance = static_cast<double>(j) - static_cast<double>(link[i]);
        sum += weights.values[i * 12 + j] =
            std::exp(-0.18 * step * distance * distance) * (1 + 0.25 * std::sin(static_cast<double>(7 * i + 3 * j)));
      }
      for (std::size_t j = 0; j < 12; ++j) weights.values[i * 12 + j] /= sum;
    }
    sentence.snapshots.push_back({"epoch " + std::to_string(2 * step), weights, 0.7 / (1 + step)});
  }
  for (std::size_t i = 0; i < 13; ++i)
    (i == 0 || i == 8 ? sentence.possible : sentence.sure)
        .push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(link[i])});
  Matrix masked({{1, 0, 0, 0}, {0.3, 0.7, 0, 0}, {0.25, 0.25, 0.5, 0}, {0.1, 0.2, 0.3, 0.4}});
  Alignment hostile{.source = {"</script>", "\"q\"", "<b>", "漢字"},
                    .target = {"'", "&amp;", "\\", "\u2028"},
                    .weights = masked,
                    .name = "hostile words"};
  report.alignments("Alignment while it forms", "Outlines are gold links; slide through the training time.",
                    {sentence, hostile});
  Series training{.name = "training", .y = {}}, validation{.name = "validation", .y = {}, .low = {}, .high = {}};
  for (int i = 0; i < 300; ++i) {
    training.y.push_back(4 * std::exp(-i / 60.0) + 0.15 + 0.03 * std::sin(i * 1.7));
    double value = 4 * std::exp(-i / 70.0) + 0.3;
    validation.y.push_back(value);
    validation.low.push_back(value * 0.85);
    validation.high.push_back(value * 1.2);
  }
  report.curves(
      {.title = "Loss", .x_label = "step", .y_label = "loss", .series = {training, validation}, .log_y = true});
  report.curves(
      {.title = "Accuracy by length",
       .text = "The fixed vector forgets; attention does not.",
       .x_label = "sentence length",
       .y_label = "token accuracy",
       .series = {
           {.name = "attention", .y = {1, 1, 0.99, 0.99, 0.98, 0.98, 0.97}, .x = {6, 9, 12, 15, 18, 21, 24}},
           {.name = "fixed vector", .y = {0.99, 0.93, 0.81, 0.69, 0.61, 0.55, 0.52}, .x = {6, 9, 12, 15, 18, 21, 24}},
           {.name = "attention off",
            .y = {0.3, 0.25, std::nan(""), 0.2, 0.18, 0.17, 0.17},
            .x = {6, 9, 12, 15, 18, 21, 24}}}});
  report.bars({.title = "Exact match",
               .y_label = "share",
               .labels = {"dot", "scaled", "general", "concat", "additive"},
               .series = {{"seed 1", {0.91, 0.97, 0.96, 0.95, 0.98}}, {"seed 2", {0.88, 0.97, 0.95, 0.93, 0.97}}},
               .threshold = 0.9});
  report.heat({.title = "Gradient of a matrix product",
               .text = "Blue below zero, orange above.",
               .row_title = "row",
               .column_title = "column",
               .matrix = Matrix({{-1.5, 0.25, 0, 2}, {0.5, -0.75, 1, -2.5}, {3, 0.001, -0.1, 1e-7}})});
  report.heat({.title = "Positions", .matrix = soft_alignment(24, 32, 0.1)});
  Matrix before(8, 8, std::vector<double>(64, 0.5)), after = before;
  for (std::size_t i = 0; i < 64; ++i) after.values[i] = static_cast<double>(i % 8) / 7;
  report.scatter({.title = "Two classes",
                  .text = "What a model says, before and after.",
                  .x_label = "x",
                  .y_label = "y",
                  .points = {{"left", {-0.5, -0.4, -0.7}, {0, 0.3, -0.6}}, {"right", {0.5, 0.4}, {0, -0.3}}},
                  .fields = {{"step 0", before}, {"step 100", after}}});
  report.scatter({.title = "Words in the plane",
                  .points = {{"nouns", {-0.5, -0.45, -0.52}, {0.1, 0.12, 0.13}, {"chair", "table", "<b>bed</b>"}},
                             {"months", {0.6}, {-0.4}, {"août"}}}});
  report.graph({.title = "What backward walks",
                .text = "`c = b + b` uses its input twice: the gradients add.",
                .nodes = {{"x", "x [8, 3]", "input"},
                          {"w", "w [3, 4]", "parameter"},
                          {"b", "b [4]", "parameter"},
                          {"m", "matmul [8, 4]", "encoder"},
                          {"a", "add [8, 4]", "encoder"},
                          {"t", "tanh [8, 4]", "encoder"},
                          {"v", "v [4, 5]", "parameter"},
                          {"n", "matmul [8, 5]", "head"},
                          {"s", "log_softmax [8, 5]", "head"},
                          {"y", "targets [8]", "input"},
                          {"l", "cross_entropy []", "loss", "cross_entropy\nvalue 1.609"}},
                .edges = {{"x", "m"},
                          {"w", "m"},
                          {"m", "a"},
                          {"b", "a"},
                          {"a", "t"},
                          {"t", "n"},
                          {"v", "n"},
                          {"n", "s"},
                          {"s", "l"},
                          {"y", "l"},
                          {"x", "l"}}});
  std::vector<std::string> cells(12);
  cells[1] = cells[2] = "red bar";
  cells[11] = "</script> & \"cross\"";
  report.picture({.title = "Where each word looked",
                  .text = "Three rows of four patches.",
                  .columns = 4,
                  .readings = {{"soft", {"red", "<b>", "\"cross\""}, cells, soft_alignment(3, 12, 0.2)},
                               {"hard", {"red", "bar"}, cells, soft_alignment(2, 12, 9)}}});
  report.running(
      {.title = "A document",
       .text = "The second sentence decides.",
       .texts = {{"read hierarchically",
                  {{{"the", "first", "</script>"}, {0.1, 0.9, 0}, 0.05}, {{"verdict", "c2"}, {0.3, 0.7}, 0.95, true}}},
                 {"flat", {{{"one", "more"}, {0.5, 0.5}, 1}}}}});
  report.table(
      {.title = "League table",
       .header = {"score", "accuracy", "steps", "formula"},
       .rows = {{"additive", "0.98", "1200", "`v·tanh(Wq + Uk)`"}, {"scaled dot", "0.97", "800", "`q·k / √d`"}}});
  add_attention_panels(report);
  return report;
}

}  // namespace heed::report
