// Sentence pairs with word alignments, and the alignment error rate (AER) of found links against gold links.
//
// clang-format off
//   AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)
// clang-format on
//
// Source: Och and Ney, "A systematic comparison of various statistical alignment models", Computational Linguistics
// 29(1), 2003.
//
// A is the set of links found, S the set of sure links, which no annotator disputes, and P the set of possible links,
// with S a subset of P. A found link in P \ S is no error, and neither is a missing one. An AER of 0 is perfect; at 1
// no found link is right.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed::data {

struct Link {
  int source = 0;    // position of a source token
  int target = 0;    // position of a target token
  bool sure = true;  // false: only possible
  bool operator==(const Link&) const = default;
};

// One sentence in two languages. A token is either a content word (noun, verb, adjective, adverb, number) or a function
// word (all others).
struct AlignedPair {
  std::vector<std::string> source, target;
  std::vector<bool> source_content, target_content;  // as long as source and target
  std::vector<Link> links;                           // by target position, then source position; each pair once
  std::string family;                                // the construction that generated it, for results by family
  std::vector<std::string> combinations;             // adjective+noun and verb+object, as English lemmas: "red+chair"
};

AlignedPair flipped(const AlignedPair& pair);  // exchanges source and target, in the links too

// Counts summed over sentences, because AER is defined over a whole test set.
struct AlignmentCounts {
  int64_t found = 0;           // |A|
  int64_t sure = 0;            // |S|
  int64_t found_sure = 0;      // |A ∩ S|
  int64_t found_possible = 0;  // |A ∩ P|

  void add(std::span<const Link> found_links, std::span<const Link> gold);
  double error_rate() const;  // 0 if there are no links to find and none was found
};
double alignment_error_rate(std::span<const Link> found, std::span<const Link> gold);

// Turns attention weights [T, S], row-major, into links: each target token is linked to the source token with the
// maximum weight (the first one if several are equal).
std::vector<Link> hard_links(std::span<const float> weights, int64_t targets, int64_t sources);

// Keeps only the links of content words. Apply it to the found and to the gold links before counting. A link from a
// content word to a function word stays, because it is an error that should count. Targets beyond the end of the flags
// (an end mark) are removed.
std::vector<Link> content_links(std::span<const Link> links, const std::vector<bool>& target_content);

// The mean, over the content target words with a gold link, of the attention weight on the source words linked to them
// (sure or possible). weights [T, S] is row-major; the pair may be shorter than the matrix, which includes end marks.
double alignment_mass(std::span<const float> weights, int64_t targets, int64_t sources, const AlignedPair& pair);

}  // namespace heed::data
