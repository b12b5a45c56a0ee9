// Positions inside a head: what tells words apart by their place where the score is made, and not in the embedding.
//
// clang-format off
//   none                     Nothing. Order must come from elsewhere: the embedding, a bias on the
//                            scores, or a causal mask, which is enough for a decoder (Haviv et al.,
//                            EMNLP Findings 2022; Kazemnejad et al., NeurIPS 2023). An encoder
//                            without any of these sees a bag of words.
//   rope, rope_interleaved   Rotate queries and keys by an angle that grows with position (rope.h).
//   shaw, shaw_keys          Add a vector of the distance to keys, and values (shaw.h).
// clang-format on
//
// Query t stands at first + t, key s at s. B batch, T queries, S keys, H heads, G heads of keys, K width of a head.
#pragma once

#include <memory>
#include <string>

#include "nn/module.h"

namespace heed::nn {

struct HeadPositionOptions {
  std::string name = "none";
  int64_t width = 0;          // K
  double base = 10000;        // rope: the slowest pair turns once in 2 pi base^(1 - 2/K) words
  int64_t max_distance = 16;  // shaw: what lies further counts as that far
};

struct HeadPosition : Module {
  virtual ~HeadPosition() = default;
  HeadPosition() = default;
  HeadPosition(HeadPosition&&) = default;
  HeadPosition& operator=(HeadPosition&&) = default;

  // Queries [B, T, H, K] or keys [B, S, G, K], the first of them at place `first`: before the score.
  virtual Variable turn(const Variable& x, int64_t) const { return x; }
  // Does it need scores and weights? Then only the dense evaluator can serve it, and calls these two.
  virtual bool needs_weights() const { return false; }
  // Added to the products of queries [B, H, T, K] and S keys -> [B, H, T, S], before they are scaled.
  virtual Variable score(const Variable&, int64_t, int64_t) const { return {}; }
  // Added to what weights [B, H, T, S] read -> [B, H, T, K]; undefined: nothing.
  virtual Variable read(const Variable&, int64_t) const { return {}; }
  virtual void visit(Visitor&) {}
};

// ValueError for a name that is not known, or what the scheme cannot do.
std::unique_ptr<HeadPosition> make_head_position(const HeadPositionOptions& options, Generator& rng);

}  // namespace heed::nn
