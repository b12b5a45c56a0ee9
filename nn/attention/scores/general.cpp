#include "nn/attention/scores/general.h"

#include "autograd/ops.h"
#include "nn/attention/scores/dot.h"
#include "nn/init.h"

namespace heed::nn {

GeneralScore::GeneralScore(const Options& o, Generator& rng)
    : options(o), weight(uniform_parameter({o.query, o.key}, o.key, rng)) {}

Variable GeneralScore::prepare(const Variable& keys) const {
  Call call(*this);
  return call.result("keys", linear(keys, weight, {}));
}

Variable GeneralScore::scores(const Variable& query, const Variable& prepared, StageContext&) const {
  return inner_products(query, prepared);
}

}  // namespace heed::nn
