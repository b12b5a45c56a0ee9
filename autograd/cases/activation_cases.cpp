// Cases of autograd/ops_activation.h: every function at every usual shape, and each of its options.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;
const char* const kCorners = "at least 0.1 from every integer, so from the corners at 0 and 1";

CaseRow row(const std::string& name, const std::vector<std::vector<BaseCase>>& families) {
  CaseRow out = operation(name, {});
  for (const auto& bases : families)
    for (Case& c : over_layouts(bases)) out.cases.push_back(std::move(c));
  return out;
}
std::vector<BaseCase> smooth(const GradcheckFunction& f, const std::string& prefix = {}) {
  return each_shape(usual_shapes(), f, anywhere, {}, prefix);
}
std::vector<BaseCase> cornered(const GradcheckFunction& f, const std::string& prefix = {}) {
  return each_shape(usual_shapes(), f, off_integers, kCorners, prefix);
}

}  // namespace

std::vector<CaseRow> activation_cases() {
  return {row("leaky_relu", {cornered([](In in) { return leaky_relu(in[0]); }),
                             cornered([](In in) { return leaky_relu(in[0], 0.3); }, "slope 0.3 ")}),
          row("elu", {cornered([](In in) { return elu(in[0]); }),
                      cornered([](In in) { return elu(in[0], 0.7); }, "alpha 0.7 ")}),
          row("selu", {cornered([](In in) { return selu(in[0]); })}),
          row("gelu", {smooth([](In in) { return gelu(in[0]); }),
                       smooth([](In in) { return gelu(in[0], Gelu::tanh_form); }, "tanh form ")}),
          row("silu", {smooth([](In in) { return silu(in[0]); })}),
          row("mish", {smooth([](In in) { return mish(in[0]); })}),
          row("hardtanh", {cornered([](In in) { return hardtanh(in[0]); }),
                           cornered([](In in) { return hardtanh(in[0], 0, 1); }, "0 to 1 ")}),
          row("softplus", {smooth([](In in) { return softplus(in[0]); }),
                           smooth([](In in) { return softplus(in[0], {.beta = 2}); }, "beta 2 "),
                           cornered([](In in) { return softplus(in[0], {.beta = 20}); }, "a line from 1 on ")})};
}

}  // namespace heed
