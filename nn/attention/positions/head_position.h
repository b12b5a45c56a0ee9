// Positions inside attention: how a query and a key know how far apart they are, where the score is made and not in the
// embedding.
//
//   q' = turn_query(q, places)    k' = turn_key(k, places)          before the score: rotations
//   e_ts <- e_ts + bias(q, places)                                  a number for each pair: distances
//   c_t  <- c_t + read(w, places)                                   a vector for each pair, weighted like the values
//
// The registry lists all positions (nn/attention/registry_positions.cpp). B batch, T queries, S keys, H heads, G heads
// of keys, K width of a head.
#pragma once

#include <memory>

#include "nn/attention/stage.h"
#include "nn/module.h"

namespace heed::nn {

struct HeadPosition : Module {
  virtual ~HeadPosition() = default;
  HeadPosition() = default;
  HeadPosition(HeadPosition&&) = default;
  HeadPosition& operator=(HeadPosition&&) = default;

  virtual Variable turn_query(const Variable& q, const Places&) const { return q; }  // [B, T, H, K]
  virtual Variable turn_key(const Variable& k, const Places&) const { return k; }    // [B, S, G, K]
  // Added to the scores of q [B, H, T, K] -> broadcastable to [B, H, T, S]; undefined: nothing. `scale`: what the score
  // multiplies products of query and key by.
  virtual Variable bias(const Variable&, const Places&, double) const { return {}; }
  // Added to what weights [B, H, T, S] read -> [B, H, T, K]; undefined: nothing.
  virtual Variable read(const Variable&, const Places&) const { return {}; }

  virtual bool turns() const { return false; }
  virtual bool has_bias() const { return false; }
  virtual bool has_read() const { return false; }       // then only weights that are stored can serve it
  virtual bool needs_product() const { return false; }  // its bias is made of products: the score must be one too
  virtual bool shared() const { return false; }    // one for all layers of a stack: its bias depends on places alone
  virtual bool unscaled() const { return false; }  // made for products that are not divided by a root
  virtual void visit(Visitor&) {}
};

// ValueError for a name or a setting that the registry does not have, or what the scheme cannot do.
std::unique_ptr<HeadPosition> make_head_position(const HeadPositionOptions& options, Generator& rng);

}  // namespace heed::nn
