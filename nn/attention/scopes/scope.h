// The scope of attention: which keys a query may look at.
//
//   allowed = restrict(i, j)        a mask, taken before the normaliser
//   w <- w * factor                 only local-p: what is far from the predicted place counts less
//
// The mask of the padding comes from the caller and is combined with this one. A scope is chosen by its name.
#pragma once

#include <memory>
#include <string>

#include "nn/module.h"

namespace heed::nn {

struct ScopeOptions {
  std::string name = "global";
  int64_t query = 0;    // local_p: the width of a query
  int64_t window = 10;  // D of window, dilated, local_m, local_p; the default is that of Luong et al.
  int64_t gap = 2;      // of dilated
};

// Where the queries of one call stand, and how long each source is.
struct Place {
  int64_t queries, keys;  // T, S
  int64_t first = 0;      // position of the first query: so many came before
  Tensor lengths = {};    // [B] i64; undefined: all S
};

struct Window {
  Tensor allowed = {};   // bool, broadcastable to [B, T, S]; undefined: everything
  Variable factor = {};  // [B, T, S], multiplied to the weights; undefined: none
};

struct Scope : Module {
  virtual ~Scope() = default;
  Scope() = default;
  Scope(Scope&&) = default;
  Scope& operator=(Scope&&) = default;

  virtual Window operator()(const Variable& query, const Place& place) const = 0;  // query [B, T, Q]
  virtual bool modulates() const { return false; }                                 // has it a factor?
  virtual void visit(Visitor&) {}
};

// ValueError for a name that is not known, or a window that is too small.
std::unique_ptr<Scope> make_scope(const ScopeOptions& options, Generator& rng);

}  // namespace heed::nn
