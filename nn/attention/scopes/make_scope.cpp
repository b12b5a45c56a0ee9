#include "nn/attention/registry.h"
#include "nn/attention/scopes/joined.h"
#include "nn/attention/scopes/scope.h"

namespace heed::nn {

std::unique_ptr<Scope> make_scope(const ScopeOptions& given, Generator& rng) {
  if (joins(given.name)) return std::make_unique<JoinedScope>(given, rng);
  ScopeOptions o = completed_stage(Kind::scope, given);
  return stage_entry(Kind::scope, o.name).scope(o, rng);
}

}  // namespace heed::nn
