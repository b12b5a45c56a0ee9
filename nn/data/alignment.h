// Sentence pairs with word alignments, and how far a found alignment is from a gold one.
//
//   AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)        Och & Ney, "A systematic comparison of various statistical
//                                                      alignment models", Computational Linguistics 29(1), 2003
//
// A: links found. S: sure links, those that no annotator disputes. P: possible links, with S a subset of P: a found
// link in P \ S is no error, a missing one neither. 0 is perfect, 1 has nothing right.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed::data {

struct Link {
  int source = 0;    // position of a source token
  int target = 0;    // position of a target token
  bool sure = true;  // otherwise only possible
  bool operator==(const Link&) const = default;
};

// One sentence in two languages. A token is content (noun, verb, adjective, adverb, number) or function (the rest).
struct AlignedPair {
  std::vector<std::string> source, target;
  std::vector<bool> source_content, target_content;  // as long as source and target
  std::vector<Link> links;                           // by target position, then source position; each pair once
  std::string family;                                // the construction that made it, for figures by family
  std::vector<std::string> combinations;             // adjective+noun and verb+object, as English lemmas: "red+chair"
};

AlignedPair flipped(const AlignedPair& pair);  // source and target exchanged, links too

// Counts summed over sentences, since AER is a figure of a whole test set.
struct AlignmentCounts {
  int64_t found = 0;           // |A|
  int64_t sure = 0;            // |S|
  int64_t found_sure = 0;      // |A ∩ S|
  int64_t found_possible = 0;  // |A ∩ P|

  void add(std::span<const Link> found_links, std::span<const Link> gold);
  double error_rate() const;  // 0 when there is nothing to find and nothing was found
};
double alignment_error_rate(std::span<const Link> found, std::span<const Link> gold);

// Attention weights [T, S], row-major, to links: each target token to its heaviest source token (the first of equals).
std::vector<Link> hard_links(std::span<const float> weights, int64_t targets, int64_t sources);

// Only the links of content words: apply it to the found and to the gold links before counting. A content word linked
// to a function word stays (it is an error worth counting); targets past the end of the flags (an end mark) go.
std::vector<Link> content_links(std::span<const Link> links, const std::vector<bool>& target_content);

// The mean, over content target words with a gold link, of the attention weight on the source words linked to them
// (sure or possible). weights [T, S], row-major; the pair may be shorter than the matrix (end marks).
double alignment_mass(std::span<const float> weights, int64_t targets, int64_t sources, const AlignedPair& pair);

}  // namespace heed::data
