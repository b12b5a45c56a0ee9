#include "nn/attention/scopes/adaptive_span.h"

#include "tensor/elementwise.h"

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/penalties.h"

namespace heed::nn {

AdaptiveSpanScope::AdaptiveSpanScope(const Options& o, Generator&)
    : settings(o.settings.as<Settings>()), span(zeros_parameter({o.heads})) {}

Variable AdaptiveSpanScope::spans() const { return sigmoid(span) * static_cast<double>(settings.window); }

Restriction AdaptiveSpanScope::operator()(const Variable& query, const Variable&, StageContext& context) const {
  Call call(*this);
  Variable z = call.result("spans", spans());
  if (settings.penalty > 0 && Penalties::active())
    Penalties::add_once(this, "adaptive_span", mean(z), settings.penalty);
  Tensor x = abs(distances(context.places).to(query.dtype()));            // [T, S] or [B, T, S]
  if (x.rank() == 2) x = x.unsqueeze(0);                                  // [1 or B, T, S]
  if (context.heads > 0) x = x.unsqueeze(1), z = reshape(z, {-1, 1, 1});  // [1 or B, 1, T, S], [H, 1, 1]
  const auto R = static_cast<double>(settings.ramp);
  Variable factor = clamp((z + R - Variable(x)) * (1 / R), 0, 1);
  return {.left = settings.window, .right = settings.window, .factor = factor, .renormalise = true};
}

Tensor AdaptiveSpanScope::picture(const Places& m) {
  Generator rng(1);
  AdaptiveSpanScope scope(chosen<AdaptiveSpanScope>({.window = 4, .ramp = 3, .penalty = 0}), rng);
  StageContext context{.places = m};
  Restriction seen = scope(Variable(Tensor::zeros({1, m.queries, 1})), {}, context);
  Tensor within = mask_of(seen, m).to(DType::f32);
  return mul(within, seen.factor.value()).reshape({m.queries, m.keys}).to(DType::f64);
}

}  // namespace heed::nn
