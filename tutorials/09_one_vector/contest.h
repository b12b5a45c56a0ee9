// The comparison: networks that differ in how they pool, and in when they receive the question.
#pragma once

#include <algorithm>

#include "tutorials/09_one_vector/train.h"

namespace onevector {

struct Entry {
  Reader reader;
  Outcome outcome;
};

enum class Entrants { few, all };

// `like`: the sizes that all networks share.
inline std::vector<Entry> hold_contest(const ReaderOptions& like, const Training& training, Entrants entrants) {
  struct Kind {
    std::string name, pooling;
    bool question_first = false, among_few = false;
  };
  const std::vector<Kind> kinds{{"last", "lasttoken"},
                                {"sum", "sum"},
                                {"mean", "mean", false, true},
                                {"weighted", "weightedmean"},
                                {"max", "max"},
                                {"attention, learned query", "attention", false, true},
                                {"mean, question first", "mean", true},
                                {"last, question first", "lasttoken", true},
                                {"attention, question as query", "asked", false, true}};
  std::vector<Entry> entries;
  for (const Kind& kind : kinds) {
    if (entrants == Entrants::few && !kind.among_few) continue;
    heed::Generator rng(training.seed, 1 << 20);  // the same seed for all
    ReaderOptions options = like;
    options.pooling = kind.pooling, options.question_first = kind.question_first;
    Reader reader(options, rng);
    Outcome outcome = learn(kind.name, reader, training);
    entries.push_back({std::move(reader), std::move(outcome)});
  }
  return entries;
}
inline Entry& find(std::vector<Entry>& entries, const std::string& name) {
  return *std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.outcome.name == name; });
}

}  // namespace onevector
