// Position schemes inside attention. They give the score the distance between query and key (or their positions), where
// an embedding would add positions to the words. A scheme can act in three ways:
//
//   q' = turn_query(q, places)    k' = turn_key(k, places)          before the score: query and key rotation
//   e_ts <- e_ts + bias(q, places)                                  a number for each pair: biases by distance
//   c_t  <- c_t + read(w, places)                                   a vector for each pair, weighted like the values
//
// A scheme that needs more than the queries is marked: it reads the keys (reads_keys.h), the scores (reads_scores.h),
// or the words of the layer (reads_words.h). The registry lists all schemes (all.cpp). B batch, T queries, S keys, H
// query heads, G key-value heads, K width of a head.
#pragma once

#include <memory>

#include "nn/attention/stage.h"
#include "nn/module.h"

namespace heed::nn {

struct HeadPosition : Module {
  using Stage = HeadPosition;
  virtual ~HeadPosition() = default;
  HeadPosition() = default;
  HeadPosition(HeadPosition&&) = default;
  HeadPosition& operator=(HeadPosition&&) = default;

  virtual Variable turn_query(const Variable& q, const Places&) const { return q; }  // [B, T, H, K]
  virtual Variable turn_key(const Variable& k, const Places&) const { return k; }    // [B, S, G, K]
  // A bias that is added to the scores of q [B, H, T, K]; must broadcast to [B, H, T, S]. Undefined: none. The third
  // argument is the score's product_scale, or 1 if it has none. A `shared` scheme gets the layer's input [B, 1, T, D]
  // as q.
  virtual Variable bias(const Variable&, const Places&, double) const { return {}; }
  // A term [B, H, T, V] (V = K) that is added to the context, given the weights [B, H, T, S]. Undefined: none.
  virtual Variable read(const Variable&, const Places&) const { return {}; }

  virtual bool turns() const { return false; }
  virtual bool widens() const { return false; }  // true: turned queries and keys are twice as wide
  virtual bool has_bias() const { return false; }
  virtual bool has_read() const { return false; }       // true: needs an evaluator that stores the weights
  virtual bool needs_product() const { return false; }  // true: the score must have a product_scale (dot, general, ..)
  virtual bool shared() const { return false; }         // true: all layers of a stack share one scheme
  virtual bool unscaled() const { return false; }       // true: made for scores that are not divided by a root
  virtual void visit(Visitor&) {}
};

// Throws ValueError for a name or a setting that is not in the registry, and for widths that the scheme cannot handle.
std::unique_ptr<HeadPosition> make_head_position(const HeadPositionOptions& options, Generator& rng);
void require_heads(const char* who, int64_t heads);  // ValueError unless there is one

struct NoPosition final : HeadPosition {
  static constexpr About about{
      .names = {"F10", "none", "no positional encoding (NoPE)"},
      .formula = "e_ts = q_t . k_s / sqrt(K), s <= t: only the causal mask distinguishes positions",
      .paper = {"Haviv et al., EMNLP Findings 2022; Kazemnejad et al., NeurIPS 2023", 2022, 1},
      .idea =
          "Nothing tells the model at which position a word is. A causal decoder can still find out how many words it "
          "may attend to, and so learn positions. An encoder without a mask cannot.",
      .wrong =
          "An encoder without positions sees a bag of words. A causal decoder does not, because its mask distinguishes "
          "earlier words from later ones.",
      .shapes = "x [B, T, D] -> [B, T, D]",
      .cost = "nothing",
      .own = {"a_bag_without_a_mask", "cache_is_the_parallel_pass"},
      .exempt = {{"gradient", "there is nothing to differentiate"}},
      .default_for = {Role::stage},
  };

  NoPosition(const HeadPositionOptions&, Generator&) {}
};

}  // namespace heed::nn
