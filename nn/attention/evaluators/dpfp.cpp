#include "nn/attention/evaluators/dpfp.h"

#include "autograd/ops.h"

namespace heed::nn {

Features RolledProducts::of(const Variable& x, double, const Tensor&) const {
  Features r = in_rows(concat({relu(x), relu(-x)}, -1));
  std::vector<Variable> products;
  for (int64_t j = 1; j <= nu; ++j) products.push_back(r.part * roll(r.part, {j}, {-1}));
  return {r.log * 2, concat(products, -1)};
}

std::string DPFPEvaluator::refuses(const StageSet& stages) const {
  if (static_cast<const RolledProducts&>(*features).nu >= 2 * width)
    return "its setting nu must be less than twice the width of a head";
  return KernelEvaluator::refuses(stages);
}

}  // namespace heed::nn
