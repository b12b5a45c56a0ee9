// The toy grammar: an English-French translator is trained, and its attention compared with the gold alignments.
//
// clang-format off
//   mass    how much weight content words (nouns, verbs, ..) put on the words they are linked to
//   AER     1 - (|A n S| + |A n P|) / (|A| + |S|), A: where each content word's largest weight is
//   moved   AER with all weights moved by one position: if lower, attention is off by one
// clang-format on
//
// The links are those of data/alignment.h.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <span>

#include "nn/data/grammar/toy_corpus.h"
#include "nn/models/translator.h"
#include "nn/train/fit.h"
#include "nn/train/progress.h"
#include "tutorials/report/report.h"

namespace bahdanau {

struct Figures {
  double exact = 0, mass = 0;     // exact: see exact(), in %; mass: a share
  std::array<double, 3> error{};  // AER with the weights moved by -1, 0, +1 place
};
struct Grammar {
  heed::data::ToyCorpus corpus;
  heed::data::AlignedPair agreement;  // the sentence on the European Economic Area
};

inline Grammar make_grammar(int train) {
  Grammar g{heed::data::toy_corpus({.train = train, .validation = 100, .test = 200, .combinations = 0}), {}};
  for (const auto& s : heed::data::showcase_sentences())
    if (s.pair.source.back() == "1992") g.agreement = s.pair;
  return g;
}

inline std::vector<heed::text::TokenPair> tokens_of(const std::vector<heed::data::AlignedPair>& pairs) {
  std::vector<heed::text::TokenPair> out;
  for (const auto& p : pairs) out.push_back({p.source, p.target});
  return out;
}

inline heed::report::Matrix matrix_of(const heed::nn::Translation& t) {
  return {static_cast<size_t>(t.rows()), static_cast<size_t>(t.columns()), {t.weights.begin(), t.weights.end()}};
}

struct Learned {
  heed::nn::Translator translator;
  std::vector<heed::report::Snapshot> snapshots = {};  // of `agreement`, after each epoch
  std::vector<std::array<double, 3>> errors = {};      // AER on the validation set after each epoch: see Figures
};

// The same rows, each moved by some places; what leaves the sentence is lost.
inline std::vector<float> moved(std::span<const float> weights, int64_t columns, int64_t by) {
  std::vector<float> out(weights.size(), 0.0f);
  for (int64_t i = 0; i < std::ssize(weights); ++i)
    if (int64_t c = i % columns + by; c >= 0 && c < columns)
      out[static_cast<size_t>(i + by)] = weights[static_cast<size_t>(i)];
  return out;
}

// Gold alignments belong to the true translation, so the decoder gets it by teacher forcing.
inline Figures figures_of(const heed::nn::Translator& translator, const std::vector<heed::data::AlignedPair>& pairs) {
  namespace data = heed::data;
  Figures f;
  std::array<data::AlignmentCounts, 3> counts;
  for (const data::AlignedPair& p : pairs) {
    if (!translator.model.attends()) break;
    heed::nn::Translation t = translator.align({p.source, p.target});
    auto rows = std::ssize(p.target);
    std::span<const float> weights = std::span(t.weights).first(static_cast<size_t>(rows * t.columns()));
    f.mass += data::alignment_mass(weights, rows, t.columns(), p) / static_cast<double>(pairs.size());
    for (int64_t by : {-1, 0, 1}) {
      auto found = data::hard_links(moved(weights, t.columns(), by), rows, t.columns());
      counts[static_cast<size_t>(by + 1)].add(data::content_links(found, p.target_content),
                                              data::content_links(p.links, p.target_content));
    }
  }
  for (size_t i = 0; i < 3; ++i) f.error[i] = counts[i].error_rate();
  return f;
}

// Sentences translated without any fault, in %.
inline double exact(const heed::nn::Translator& translator, const std::vector<heed::data::AlignedPair>& pairs) {
  std::vector<std::vector<std::string>> sources;
  for (const auto& p : pairs) sources.push_back(p.source);
  auto written = translator.translate(sources);
  double right = 0;
  for (size_t i = 0; i < pairs.size(); ++i) right += written[i].target == pairs[i].target;
  return 100 * right / static_cast<double>(pairs.size());
}

inline Learned learn_grammar(const std::string& name, const Grammar& g, const heed::nn::AnyPaper& paper,
                             const heed::nn::FitOptions& fitting) {
  using namespace heed;
  std::vector<std::vector<std::string>> source, target;
  for (const auto& p : g.corpus.train) source.push_back(p.source), target.push_back(p.target);
  Learned l{nn::Translator({{}, text::Vocabulary(source), text::Vocabulary(target)}, paper, fitting.seed)};
  auto train = l.translator.encode(tokens_of(g.corpus.train)),
       valid = l.translator.encode(tokens_of(g.corpus.validation));
  auto steps = static_cast<int64_t>(data::epoch_batches(train, fitting.batch_size, 1, 1).size()) * fitting.epochs;
  nn::Progress progress(steps, {.label = name, .unit = "words"});
  nn::FitWatcher watcher;
  watcher.on_step = [&](const nn::FitStep& s) { progress.step({.loss = s.loss, .items = s.tokens}); };
  watcher.on_epoch = [&](const nn::EpochRecord& e) {
    if (!l.translator.model.attends()) return;
    l.errors.push_back(figures_of(l.translator, g.corpus.validation).error);
    l.snapshots.push_back(
        {fmt::format("epoch {}", e.epoch), matrix_of(l.translator.align({g.agreement.source, g.agreement.target}))});
  };
  nn::fit(nn::fit_model(l.translator.model), train, valid, fitting, watcher);
  progress.finish();
  return l;
}

}  // namespace bahdanau
