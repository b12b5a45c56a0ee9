#include "nn/attention/scopes/adaptive_span.h"

#include "tensor/elementwise.h"

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/penalties.h"

namespace heed::nn {

AdaptiveSpanScope::AdaptiveSpanScope(const Options& o, Generator&)
    : largest(o.settings.whole("window")),
      ramp(o.settings.number("ramp")),
      penalty(o.settings.number("penalty")),
      span(zeros_parameter({o.heads})) {}

Variable AdaptiveSpanScope::spans() const { return sigmoid(span) * static_cast<double>(largest); }

Restriction AdaptiveSpanScope::operator()(const Variable& query, const Variable&, StageContext& context) const {
  Call call(*this);
  Variable z = call.result("spans", spans());
  if (penalty > 0 && Penalties::active()) Penalties::add_once(this, "adaptive_span", mean(z), penalty);
  Tensor x = abs(distances(context.places).to(query.dtype()));            // [T, S] or [B, T, S]
  if (x.rank() == 2) x = x.unsqueeze(0);                                  // [1 or B, T, S]
  if (context.heads > 0) x = x.unsqueeze(1), z = reshape(z, {-1, 1, 1});  // [1 or B, 1, T, S], [H, 1, 1]
  Variable factor = clamp((z + ramp - Variable(x)) * (1 / ramp), 0, 1);
  return {.left = largest, .right = largest, .factor = factor, .renormalise = true};
}

Tensor AdaptiveSpanScope::picture(const Places& m) {
  Generator rng(1);
  AdaptiveSpanScope scope({.settings = {{"window", 4}, {"ramp", 3}, {"penalty", 0}}}, rng);
  StageContext context{.places = m};
  Restriction seen = scope(Variable(Tensor::zeros({1, m.queries, 1})), {}, context);
  Tensor within = mask_of(seen, m).to(DType::f32);
  return mul(within, seen.factor.value()).reshape({m.queries, m.keys}).to(DType::f64);
}

}  // namespace heed::nn
