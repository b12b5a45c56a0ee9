// The output of a trained model under different searches, and its scores.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nn/decode/sampling.h"
#include "nn/io/file.h"
#include "nn/text/bleu.h"
#include "tutorials/13_search_and_score/bleu_by_hand.h"
#include "tutorials/13_search_and_score/writer.h"
#include "tutorials/report/report.h"

namespace heed {

struct Written {
  std::vector<Words> sentences;
  double log_p = 0, exact = 0, words = 0;  // mean log probability; % of sentences exactly right; mean length
};
// Searches for the output of sentence i, starting from `model`, and returns one hypothesis.
using SearchOne = std::function<nn::Hypothesis(nn::SearchModel& model, size_t i)>;
inline Written write(const nn::EncoderDecoder& model, const data::Task& task, const Pairs& pairs,
                     const SearchOne& search) {
  NoGrad guard;
  Written out;
  double count = static_cast<double>(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    data::Batch b = data::make_batch(pairs, {static_cast<int64_t>(i)});
    nn::Hypothesis h = search(*model.search(b.source, b.lengths), i);
    out.sentences.push_back(task.target.decode(h.tokens));
    out.log_p += h.log_probability / count;
    out.words += static_cast<double>(h.tokens.size()) / count;
    out.exact += 100 * static_cast<double>(h.tokens == pairs[i].target) / count;
  }
  return out;
}
inline SearchOne beam_of(int64_t beam, const nn::SearchOptions& o) {
  return [=](nn::SearchModel& model, size_t) { return nn::beam_search(model, beam, o).at(0); };
}

inline std::vector<Words> references_of(const data::Task& task, const Pairs& pairs) {
  std::vector<Words> out;
  for (const data::EncodedPair& p : pairs) out.push_back(task.target.decode(p.target));
  return out;
}
inline std::vector<std::string> lines_of(const std::vector<Words>& sentences) {
  std::vector<std::string> lines;
  for (const Words& words : sentences) lines.push_back(fmt::format("{}", fmt::join(words, " ")));
  return lines;
}
inline void write_lines(const std::string& path, const std::vector<Words>& sentences) {
  io::atomic_write(path, fmt::format("{}\n", fmt::join(lines_of(sentences), "\n")));
}
inline double library_bleu(const std::vector<Words>& hypotheses, const std::vector<Words>& references) {
  return text::bleu(lines_of(hypotheses), lines_of(references), {.tokens = text::BleuTokens::none}).bleu;
}

inline report::Series by_place(const std::string& name, const ByPlace& history) {
  report::Series series{.name = name};
  for (size_t t = 0; t < history.count.size(); ++t) series.y.push_back(100 * history.right[t] / history.count[t]);
  return series;
}

// BLEU by hand against the library: the largest differences over all outputs that were compared.
struct Bleu {
  double difference = 0, unclipped = 0, without_brevity = 0;
  void compare(const std::vector<Words>& hypotheses, const std::vector<Words>& references) {
    double wanted = library_bleu(hypotheses, references);
    auto take = [&](double& most, double by_hand) { most = std::max(most, std::abs(by_hand - wanted)); };
    take(difference, bleu_by_hand(hypotheses, references).score());
    take(unclipped, bleu_by_hand(hypotheses, references, {.clip = false}).score());
    take(without_brevity, bleu_by_hand(hypotheses, references).score({.brevity = false}));
  }
};

}  // namespace heed
