#include "tutorials/course/drawings/sentence.h"

#include <algorithm>
#include <map>

#include "nn/data/grammar/toy_corpus.h"
#include "tensor/error.h"

namespace heed::course {
namespace {

const data::AlignedPair& pair_with(const std::string& word) {
  static const std::vector<data::ToyShowcase> all = data::showcase_sentences();
  for (const data::ToyShowcase& one : all)
    if (std::find(one.pair.source.begin(), one.pair.source.end(), word) != one.pair.source.end()) return one.pair;
  throw ValueError("drawing: no showcase sentence of the grammar contains " + word);
}

// Those of `words` that are asked for, with "…" for the others; `place` gets where each has gone.
std::vector<std::string> shortened(const std::vector<std::string>& words, const std::vector<std::string>& wanted,
                                   std::map<int, int>& place) {
  std::vector<std::string> out;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool kept = std::find(wanted.begin(), wanted.end(), words[i]) != wanted.end() && (i < 2 || i > 6);
    if (!kept && !out.empty() && out.back() == "…") continue;
    if (kept) place[static_cast<int>(i)] = static_cast<int>(out.size());
    out.push_back(kept ? words[i] : "…");
  }
  if (out.back() == "…") out.pop_back();
  return out;
}

}  // namespace

Excerpt agreement() {
  const data::AlignedPair& pair = pair_with("agreement");
  std::map<int, int> source, target;
  Excerpt out;
  out.source = shortened(pair.source, {"the", "agreement", "was", "signed"}, source);
  out.target = shortened(pair.target, {"l'", "accord", "a", "été", "signé"}, target);
  for (const data::Link& link : pair.links)
    if (source.contains(link.source) && target.contains(link.target))
      out.links.emplace_back(source[link.source], target[link.target]);
  return out;
}

std::vector<std::string> showcase_words(const std::string& word) { return pair_with(word).source; }

}  // namespace heed::course
