#include "nn/attention/normalisers/normaliser.h"
#include "nn/attention/registry.h"

namespace heed::nn {

std::unique_ptr<Normaliser> make_normaliser(const NormaliserOptions& given, Generator& rng) {
  NormaliserOptions o = completed_stage(Kind::normaliser, given);
  return stage_entry(Kind::normaliser, o.name).normaliser(o, rng);
}

Variable Normaliser::operator()(const Variable& scores, StageContext& context) const {
  Call call(*this);
  return call.result("weights", weights(scores, context));
}

Variable Normaliser::operator()(const Variable& scores) const {
  StageContext none;
  return (*this)(scores, none);
}

}  // namespace heed::nn
