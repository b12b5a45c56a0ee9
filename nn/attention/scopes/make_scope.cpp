#include "nn/attention/registry.h"
#include "nn/attention/scopes/joined.h"
#include "nn/attention/scopes/scope.h"
#include "tensor/elementwise.h"

namespace heed::nn {

Tensor picture_of(const ScopeOptions& options, const Places& m) {
  Generator rng(1);
  StageContext context{.places = m};
  Variable query(Tensor::zeros({1, m.queries, 1}));
  Tensor allowed = mask_of((*make_scope(options, rng))(query, {}, context), m);
  if (!allowed.defined()) return Tensor::ones({m.queries, m.keys}, DType::f64);
  return allowed.reshape({m.queries, m.keys}).to(DType::f64);
}

std::unique_ptr<Scope> make_scope(const ScopeOptions& given, Generator& rng) {
  if (joins(given.name)) return std::make_unique<JoinedScope>(given, rng);
  ScopeOptions o = completed_stage(Kind::scope, given);
  return stage_entry(Kind::scope, o.name).scope(o, rng);
}

}  // namespace heed::nn
