// The scope of attention: which keys a query may attend to, and how much.
//
//   e <- e + bias, -inf where not allowed      before the normaliser ("restrict")
//   w <- w * factor (/ their sum)              after it ("modulate")
//
// A scope sees queries and keys, not only their places. The key padding mask comes from the caller and is combined with
// it. Scopes compose: causal&window:64 allows what both allow, window:2|dilated:8,gap=4 what either does. The registry
// lists all scopes (all.cpp).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "nn/attention/scopes/restriction.h"
#include "nn/module.h"

namespace heed::nn {

struct Scope : Module {
  using Stage = Scope;
  virtual ~Scope() = default;
  Scope() = default;
  Scope(Scope&&) = default;
  Scope& operator=(Scope&&) = default;

  // query [.., T, Q], keys [.., S, ..] as the score prepared them.
  virtual Restriction operator()(const Variable& query, const Variable& keys, StageContext& context) const = 0;
  // The maximum number of words between a query and an earlier key that it may attend to; none: unlimited. Decoding
  // keeps no more than that.
  virtual std::optional<int64_t> reach() const { return std::nullopt; }
  // True if it allows either all keys, or exactly those not after the query. Then its restriction is {} or
  // {.right = 0}, and running sums over the keys can serve it.
  virtual bool only_limits_order() const { return false; }
  virtual bool causal() const { return false; }    // does it hide all later keys?
  virtual bool by_place() const { return false; }  // true if it reads places themselves, and not only distances
  virtual bool needs_whole_source() const { return false; }  // true if it depends on the number of all keys
  virtual bool modulates() const { return false; }           // does it give a factor or a bias?
  virtual bool rows_sum_to_one() const { return true; }      // false: a row has less after its factor
  virtual void visit(Visitor&) {}
};

// How much query i may take of key j, in [0, 1], f64 [queries, keys]: the small picture of a scope that reads only
// places, drawn by the code that it is made of.
Tensor picture_of(const ScopeOptions& options, const Places& places);

// ValueError for a name or a setting that the registry does not have, or a value outside its range. The name may join
// several scopes, each with its settings: causal&window:64.
std::unique_ptr<Scope> make_scope(const ScopeOptions& options, Generator& rng);

}  // namespace heed::nn
