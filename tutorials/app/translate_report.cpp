#include "tutorials/app/translate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "nn/io/json.h"
#include "nn/models/bahdanau.h"
#include "nn/text/bleu.h"
#include "tensor/error.h"

namespace heed::app {
namespace {

constexpr const char* kEnd = "</s>";

std::vector<std::string> with_end(std::vector<std::string> words) {
  words.emplace_back(kEnd);
  return words;
}

report::Matrix matrix_of(const std::vector<float>& weights, size_t columns) {
  return {weights.size() / columns, columns, {weights.begin(), weights.end()}};
}

// The same rows, each moved by one source word: a decoder may look at a word one step before or after it writes it.
std::vector<float> shifted(const std::vector<float>& weights, int64_t columns, int64_t by) {
  std::vector<float> out(weights.size(), 0.0f);
  auto n = static_cast<int64_t>(weights.size());
  for (int64_t i = 0; i < n; ++i) {
    int64_t column = i % columns + by;
    if (column >= 0 && column < columns) out[static_cast<size_t>(i + by)] = weights[static_cast<size_t>(i)];
  }
  return out;
}

// Gold alignments belong to the true translation, so the decoder gets it by teacher forcing.
void measure_alignment(const nn::Translator& translator, const HeldOut& set, SetFigures& f) {
  data::AlignmentCounts all, content, left, right;
  double mass = 0;
  for (const auto& gold : set.gold) {
    nn::Translation t = translator.align({gold.source, gold.target});
    auto rows = static_cast<int64_t>(gold.target.size()), columns = t.columns();
    auto found = [&](int64_t by) {
      auto weights = shifted(t.weights, columns, by);
      return data::hard_links(std::span(weights).first(static_cast<size_t>(rows * columns)), rows, columns);
    };
    auto here = found(0);
    auto gold_content = data::content_links(gold.links, gold.target_content);
    all.add(here, gold.links);
    content.add(data::content_links(here, gold.target_content), gold_content);
    left.add(data::content_links(found(-1), gold.target_content), gold_content);
    right.add(data::content_links(found(1), gold.target_content), gold_content);
    mass += data::alignment_mass(std::span(t.weights).first(static_cast<size_t>(rows * columns)), rows, columns, gold);
  }
  f.has_gold = true;
  f.error = content.error_rate();
  f.error_all = all.error_rate();
  f.shift_left = left.error_rate();
  f.shift_right = right.error_rate();
  f.mass = mass / static_cast<double>(set.gold.size());
}

report::Alignment alignment_of(const nn::Translation& t, const data::AlignedPair* gold) {
  report::Alignment a{.source = with_end(t.source), .target = with_end(t.target)};
  a.weights = matrix_of(t.weights, static_cast<size_t>(t.columns()));
  a.name = fmt::format("{}", fmt::join(t.source, " "));
  for (size_t i = 0; gold && i < gold->links.size(); ++i) {
    const data::Link& l = gold->links[i];
    (l.sure ? a.sure : a.possible).push_back({l.target, l.source});
  }
  return a;
}

}  // namespace

SetFigures measure(const nn::Translator& translator, const HeldOut& set) {
  SetFigures f{.name = set.name, .sentences = static_cast<int64_t>(set.pairs.size()), .by_family = {}};
  std::vector<std::vector<std::string>> sources;
  for (const auto& p : set.pairs) sources.push_back(p.source);
  auto translations = translator.translate(sources);
  std::vector<std::string> hypotheses, references;
  std::map<std::string, std::pair<int64_t, int64_t>> families;
  for (size_t i = 0; i < translations.size(); ++i) {
    bool exact = translations[i].target == set.pairs[i].target;
    f.exact += exact;
    hypotheses.push_back(fmt::format("{}", fmt::join(translations[i].target, " ")));
    references.push_back(fmt::format("{}", fmt::join(set.pairs[i].target, " ")));
    if (!set.gold.empty()) {
      auto& [right, total] = families[set.gold[i].family];
      right += exact;
      ++total;
    }
  }
  f.bleu = text::bleu(hypotheses, references, {.tokens = text::BleuTokens::none}).bleu;
  for (const auto& [family, counts] : families)
    f.by_family.emplace_back(family, static_cast<double>(counts.first) / static_cast<double>(counts.second));
  if (!set.gold.empty()) measure_alignment(translator, set, f);
  return f;
}

report::Lines draw(const nn::Translation& t, const std::string& title, const io::Console& console) {
  std::vector<std::string> rows = t.target;
  if (t.rows() > static_cast<int64_t>(rows.size())) rows.emplace_back(kEnd);
  return report::heat_map(matrix_of(t.weights, static_cast<size_t>(t.columns())), rows, with_end(t.source),
                          {.console = console, .title = title});
}

void write_report(const std::string& path, const ReportInput& in) {
  const auto& o = in.translator.model.as<nn::Bahdanau>()->options;
  report::Report page("heed translate", in.data.description);
  page.text("", fmt::format(
                    "A recurrent encoder reads the sentence, a decoder with additive attention writes its translation "
                    "(Bahdanau, Cho and Bengio, 2015). Hidden width {}, embeddings {}, {} source and {} target words, "
                    "{} training sentences.",
                    o.decoder.hidden, o.target.width, in.translator.parts.source.size(),
                    in.translator.parts.target.size(), in.data.train.size()));
  const bool has_gold =
      std::any_of(in.figures.begin(), in.figures.end(), [](const SetFigures& f) { return f.has_gold; });
  report::TablePanel table{.title = "On sentences it has not seen",
                           .text = "Exact match: every word right. BLEU is on tokens.",
                           .header = {""}};  // a column for each set, so that a narrow screen has all of them
  for (const auto& f : in.figures) table.header.push_back(f.name);
  auto row = [&](const std::string& name, const std::function<std::string(const SetFigures&)>& value) {
    table.rows.push_back({name});
    for (const auto& f : in.figures) table.rows.back().push_back(value(f));
  };
  auto percent = [](double share) { return fmt::format("{:.1f} %", 100 * share); };
  row("number", [](const SetFigures& f) { return std::to_string(f.sentences); });
  row("exact match", [&](const SetFigures& f) {
    return percent(static_cast<double>(f.exact) / static_cast<double>(std::max<int64_t>(f.sentences, 1)));
  });
  row("BLEU", [](const SetFigures& f) { return fmt::format("{:.1f}", f.bleu); });
  if (has_gold) {
    table.text +=
        " The alignment error (AER) compares the source word that each target word looked at most with the gold links: "
        "0 is perfect.";
    row("alignment error, content words", [&](const SetFigures& f) { return percent(f.error); });
    row("alignment error, all words", [&](const SetFigures& f) { return percent(f.error_all); });
  }
  page.table(table);
  report::Series train{.name = "training", .y = {}}, valid{.name = "validation", .y = {}};
  for (const auto& r : in.history) {
    train.y.push_back(r.train_loss);
    valid.y.push_back(r.valid_loss);
  }
  page.curves(
      {.title = "Loss",
       .text =
           "Mean negative log-likelihood of a target word after each epoch; training with dropout, validation without.",
       .x_label = "epoch",
       .y_label = "nats a word",
       .series = {train, valid},
       .log_y = true});
  std::vector<report::Alignment> alignments;
  for (size_t i = 0; i < in.data.showcase.size(); ++i) {
    const data::AlignedPair& gold = in.data.showcase[i];
    nn::Translation t = in.translator.align({gold.source, gold.target});
    report::Alignment a = alignment_of(t, &gold);
    if (!gold.links.empty()) {
      auto rows = static_cast<int64_t>(gold.target.size());
      auto links =
          data::hard_links(std::span(t.weights).first(static_cast<size_t>(rows * t.columns())), rows, t.columns());
      a.error = data::alignment_error_rate(data::content_links(links, gold.target_content),
                                           data::content_links(gold.links, gold.target_content));
    }
    if (i == 0 && !in.moments.empty()) {
      for (const Moment& m : in.moments)
        a.snapshots.push_back({.label = fmt::format("epoch {}", m.epoch),
                               .weights = matrix_of(m.weights, static_cast<size_t>(t.columns()))});
      page.alignment("Attention forms",
                     "One sentence while the model learns. Each row is a target word; its weights say which "
                     "source words it looked at.",
                     a);
      a.snapshots.clear();
    }
    alignments.push_back(std::move(a));
  }
  page.alignments("Alignments",
                  std::string("The decoder is given the true translation word by word.") +
                      (has_gold ? " Outlined cells are gold links." : ""),
                  alignments);
  for (const auto& f : in.figures) {
    if (f.by_family.empty()) continue;
    report::BarsPanel bars{.title = "Exact match by construction: " + f.name,
                           .y_label = "exact match",
                           .series = {{.name = "exact match", .values = {}}}};
    for (const auto& [family, share] : f.by_family) {
      bars.labels.push_back(family);
      bars.series[0].values.push_back(share);
    }
    page.bars(bars);
  }
  page.write(path);
}

std::string to_json(const std::vector<nn::EpochRecord>& history, const std::vector<Moment>& moments) {
  io::Json epochs = io::Json::array(), shots = io::Json::array();
  for (const auto& r : history)
    epochs.push(
        io::Json::object({{"epoch", r.epoch}, {"train", r.train_loss}, {"valid", r.valid_loss}, {"best", r.best}}));
  for (const auto& m : moments) {
    std::vector<double> weights(m.weights.begin(), m.weights.end());
    shots.push(io::Json::object({{"epoch", m.epoch}, {"weights", weights}}));
  }
  return io::Json::object({{"history", epochs}, {"moments", shots}}).dump();
}

void from_json(const std::string& text, const std::string& what, std::vector<nn::EpochRecord>& history,
               std::vector<Moment>& moments) {
  io::Json j = io::parse(text, what);
  for (const auto& r : j.list("history"))
    history.push_back({.epoch = r.integer("epoch"),
                       .train_loss = r.number("train"),
                       .valid_loss = r.number("valid"),
                       .best = r.boolean("best")});
  if (std::none_of(history.begin(), history.end(), [](const nn::EpochRecord& r) { return r.best; }))
    throw IoError(fmt::format("load: \"{}\": is damaged: its history must have a best epoch; got none of {} epochs",
                              what, history.size()));
  for (const auto& m : j.list("moments")) {
    Moment moment{m.integer("epoch"), {}};
    for (const auto& w : m.list("weights")) moment.weights.push_back(static_cast<float>(w.as_number()));
    moments.push_back(std::move(moment));
  }
}

}  // namespace heed::app
