#include "tutorials/app/train_report.h"

#include <fmt/format.h>

#include "nn/io/file.h"
#include "tutorials/report/report.h"

namespace heed::app {
namespace {

struct Curves {
  report::Series train{.name = "training"}, valid{.name = "validation"}, bleu{.name = "validation"},
      accuracy{.name = "validation"}, rate{.name = "learning rate"};
  io::Json last, best;  // lines of epochs
};

void add(report::Series& series, const io::Json& line, const char* key) {
  series.x.push_back(static_cast<double>(line.integer("step")));
  series.y.push_back(line.number(key));
}

Curves curves_of(const std::vector<io::Json>& metrics) {
  Curves c;
  for (const io::Json& line : metrics) {
    if (line.text("kind") == "step") {
      add(c.train, line, "loss");
      add(c.rate, line, "learning_rate");
      continue;
    }
    add(c.valid, line, "valid_loss");
    if (!line.at("bleu").is_null()) add(c.bleu, line, "bleu");
    if (line.contains("accuracy")) add(c.accuracy, line, "accuracy");
    c.last = line;
    if (line.boolean("best")) c.best = line;
  }
  return c;
}

std::vector<std::string> words(const io::Json& json, const char* key) {
  std::vector<std::string> out;
  for (const io::Json& word : json.list(key)) out.push_back(word.as_string());
  out.emplace_back("</s>");
  return out;
}

// The same sentence after some of the epochs, evenly spread, the last one included.
report::Alignment alignment_of(const std::vector<io::Json>& epochs) {
  const io::Json& last = epochs.back().at("alignment");
  report::Alignment a{.source = words(last, "source"), .target = words(last, "target")};
  size_t n = epochs.size(), shown = std::min<size_t>(n, 8);
  for (size_t i = 0; i < shown; ++i) {
    const io::Json& e = epochs[shown == 1 ? n - 1 : i * (n - 1) / (shown - 1)];
    std::vector<double> weights;
    for (const io::Json& w : e.at("alignment").list("weights")) weights.push_back(w.as_number());
    a.snapshots.push_back({.label = fmt::format("epoch {}", e.integer("epoch")),
                           .weights = {a.target.size(), a.source.size(), std::move(weights)}});
  }
  return a;
}

std::string figures(const io::Json& line) {
  std::string bleu = line.at("bleu").is_null() ? "" : fmt::format(", BLEU {:.1f}", line.number("bleu"));
  if (line.contains("accuracy")) bleu += fmt::format(", accuracy {:.1f} %", line.number("accuracy"));
  return fmt::format("epoch {}, step {}: validation perplexity {:.2f}{}", line.integer("epoch"), line.integer("step"),
                     line.number("valid_perplexity"), bleu);
}

}  // namespace

void write_train_report(const nn::RunFolder& folder) {
  std::vector<io::Json> metrics = folder.lines("metrics.jsonl"), samples = folder.lines("samples.jsonl");
  Curves c = curves_of(metrics);
  if (c.valid.y.empty() || samples.empty()) return;
  io::Json config = io::parse(io::read_file(folder.file("config.json")), folder.file("config.json"));
  const io::Json &options = config.inner("options"), &data = config.inner("data");
  // A published model that is trained on says itself what it is, and what its samples are (tune.h).
  const bool tuned = config.contains("title");
  report::Report page("heed train", tuned ? config.text("title")
                                          : fmt::format("{}, seed {}", options.text("paper"), options.integer("seed")));
  std::string pairs = data.text("pairs", "");
  if (pairs.empty()) pairs = data.text("src") + " and " + data.text("tgt");
  page.text("", fmt::format("{}: {} training {}, {} for validation.\n\nNow {}.\n\nBest {}.", pairs,
                            data.integer("training_pairs"), tuned ? "texts" : "pairs", data.integer("validation_pairs"),
                            figures(c.last), c.best.is_null() ? "none yet" : figures(c.best)));
  page.curves(
      {.title = "Loss",
       .text = tuned ? "Mean cross-entropy; training with dropout, if any, validation without."
                     : "Mean negative log-likelihood of a target token; training with dropout and label smoothing, "
                       "if any, validation without.",
       .x_label = "step",
       .y_label = config.text("unit", "nats a token"),
       .series = c.train.y.empty() ? std::vector{c.valid} : std::vector{c.train, c.valid}});
  if (!c.bleu.y.empty())
    page.curves({.title = "BLEU",
                 .text = "Of the validation set, translated greedily after each epoch.",
                 .x_label = "step",
                 .y_label = "BLEU",
                 .series = {c.bleu}});
  if (!c.accuracy.y.empty())
    page.curves({.title = "Accuracy",
                 .text = "Of the validation texts, after each epoch.",
                 .x_label = "step",
                 .y_label = "%",
                 .series = {c.accuracy}});
  if (!c.rate.y.empty())
    page.curves({.title = "Learning rate", .x_label = "step", .y_label = "rate", .series = {c.rate}});
  report::TablePanel table{.title = "Samples",
                           .text = "Validation sentences after the last epoch.",
                           .header = {"source", "reference", "translation"}};
  if (tuned) {
    table.text = "Validation texts after the last epoch.", table.header.clear();
    for (const io::Json& column : config.list("columns")) table.header.push_back(column.as_string());
  }
  for (const io::Json& s : samples.back().list("samples"))
    table.rows.push_back({s.text("source"), s.text("reference"), s.text("translation")});
  if (!table.rows.empty()) page.table(table);
  // An evaluator that never stores the weights has none to show.
  if (samples.back().contains("alignment") && !samples.back().at("alignment").list("weights").empty())
    page.alignment("Attention", "One sentence, the decoder given its true translation, epoch by epoch.",
                   alignment_of(samples));
  page.write(folder.file("report.html"));
}

}  // namespace heed::app
