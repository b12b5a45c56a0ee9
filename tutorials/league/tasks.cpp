// The tasks of the league: drawn from nn/data, small enough for a minute.
#include <fmt/format.h>

#include <set>

#include "nn/data/grammar/toy_corpus.h"
#include "nn/data/tasks/recall.h"
#include "nn/data/tasks/sequences.h"
#include "tensor/error.h"
#include "tutorials/league/league.h"

namespace heed::league {
namespace {

constexpr data::Range kInside{3, 8}, kBeyond{9, 14};  // symbols
constexpr data::Range kSelective{6, 12}, kSelectiveBeyond{13, 18};
constexpr data::Range kPairs{2, 4}, kPairsBeyond{5, 7};

data::TaskParts training(const Sizes& s, uint64_t seed) {
  return {.train = s.steps * s.batch, .validation = s.asked, .test = 0, .seed = seed};
}
data::TaskParts longer(const Sizes& s, uint64_t seed) {
  return {.train = 0, .validation = 0, .test = s.asked, .seed = seed};
}

std::string from_to(const data::Range& r, const char* what) {
  return fmt::format("{} to {} {}", r.least, r.most, what);
}

// The words of the toy grammar; as many sentences as there are, so that a longer run sees them again.
LeagueTask translation(const Sizes& s, uint64_t seed) {
  data::ToyCorpus corpus = data::toy_corpus({.train = static_cast<int>(std::min<int64_t>(s.steps * s.batch, 20000)),
                                             .validation = static_cast<int>(s.asked),
                                             .test = 0,
                                             .combinations = static_cast<int>(s.asked),
                                             .seed = seed});
  std::set<std::string> source, target;
  for (const data::AlignedPair& pair : corpus.train) {
    source.insert(pair.source.begin(), pair.source.end());
    target.insert(pair.target.begin(), pair.target.end());
  }
  data::Task task{"translate",
                  data::Symbols({source.begin(), source.end()}),
                  data::Symbols({target.begin(), target.end()}),
                  std::move(corpus.train),
                  std::move(corpus.validation),
                  {}};
  return {"translate", std::move(task), std::move(corpus.test_combinations), "unseen sentences",
          "unseen combinations of words"};
}

}  // namespace

LeagueTask league_task(const std::string& name, const Sizes& s, uint64_t seed) {
  if (name == "translate") return translation(s, seed);
  if (name == "recall") {
    data::RecallOptions o{.keys = s.symbols, .values = s.symbols, .pairs = kPairs, .parts = training(s, seed)};
    data::Task task = data::associative_recall_task(o);
    o.pairs = kPairsBeyond, o.parts = longer(s, seed);
    return {name, std::move(task), data::associative_recall_task(o).test, from_to(kPairs, "pairs"),
            from_to(kPairsBeyond, "pairs")};
  }
  if (name == "selective-copy") {
    data::SelectiveCopyOptions o{.symbols = s.symbols, .lengths = kSelective, .parts = training(s, seed)};
    data::Task task = data::selective_copy_task(o);
    o.lengths = kSelectiveBeyond, o.parts = longer(s, seed);
    return {name, std::move(task), data::selective_copy_task(o).test, from_to(kSelective, "places"),
            from_to(kSelectiveBeyond, "places")};
  }
  data::Task (*make)(const data::SequenceOptions&) = nullptr;
  if (name == "copy") make = data::copy_task;
  if (name == "reverse") make = data::reverse_task;
  if (name == "sort") make = data::sort_task;
  if (!make)
    throw ValueError(
        fmt::format("league: the task must be one of {}; got \"{}\"", fmt::join(league_tasks(), ", "), name));
  data::SequenceOptions o{.symbols = s.symbols, .lengths = kInside, .parts = training(s, seed)};
  data::Task task = make(o);
  o.lengths = kBeyond, o.parts = longer(s, seed);
  return {name, std::move(task), make(o).test, from_to(kInside, "symbols"), from_to(kBeyond, "symbols")};
}

}  // namespace heed::league
