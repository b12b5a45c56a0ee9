// The check of second derivatives, and what both checks share: the report as text, and planted faults.
#include <fmt/format.h>

#include "autograd/attach.h"
#include "autograd/backward.h"
#include "autograd/gradcheck.h"
#include "autograd/modes.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using Variables = std::vector<Variable>;

// (x.., v) -> all gradients of sum v f(x), concatenated. Recorded if the inputs require gradients.
GradcheckFunction gradient_of(const GradcheckFunction& f) {
  return [f](const Variables& given) {
    Variables x(given.begin(), given.end() - 1), flat;
    bool record = false;
    for (const Variable& v : given) record = record || v.requires_grad();
    for (Variable& v : x)  // grad needs every input to require a gradient; constants become leaves of this graph only
      if (!v.requires_grad()) v = Variable(v.value(), Variable::kRequiresGrad);
    Variables dx(x.size());
    {
      GradMode recording(true);
      if (Variable y = f(x); y.requires_grad())
        dx = grad({y}, x, {.seeds = {given.back()}, .create_graph = record, .allow_unused = true});
    }
    for (size_t i = 0; i < x.size(); ++i)
      flat.push_back(
          reshape(dx[i].defined() ? dx[i] : Variable(Tensor::zeros(x[i].shape(), x[i].dtype())), {x[i].count()}));
    return concat(flat, 0);
  };
}

}  // namespace

GradcheckReport gradgradcheck(const GradcheckFunction& f, const std::vector<Tensor>& inputs,
                              const GradcheckOptions& options) {
  std::vector<Tensor> extended = inputs;
  Shape shape;
  {
    NoGrad guard;
    shape = f(Variables(inputs.begin(), inputs.end())).shape();
  }
  Generator rng(options.seed + 1);
  extended.push_back(Tensor::uniform(shape, rng, 0.5, 1.5, DType::f64));
  GradcheckOptions inner = options;
  if (options.surrogate) inner.surrogate = gradient_of(options.surrogate);
  return gradcheck(gradient_of(f), extended, inner);
}

std::string to_string(const GradcheckReport& r) {
  if (r.passed)
    return fmt::format("passed: {} numbers, largest relative error {:.1e}", r.compared, r.max_relative_error);
  const GradcheckElement& w = r.worst;
  std::string where = "input " + std::to_string(w.input) + " at " + to_string(w.index);
  if (w.output.rank()) where = "output " + to_string(w.output) + " to " + where;
  return fmt::format("failed: worst at {}: analytic {:.8g}, numeric {:.8g}, absolute error {:.1e}, relative {:.1e}\n{}",
                     where, w.analytic + 0.0, w.numeric + 0.0, w.absolute, w.relative, r.diagnosis);
}

GradcheckFunction plant_fault(const GradcheckFunction& f, Fault fault) {
  return [f, fault](const Variables& given) {
    Variables inputs;
    for (const Variable& x : given)
      inputs.push_back(attach("planted", {x}, x.value(), [fault, n = x.count()](Grads& g, const Variable& dy) {
        if (fault == Fault::sign) g.add(0, -dy);
        if (fault == Fault::missing) g.add(0, dy * 0.0);
        if (fault == Fault::twice) g.add(0, dy * 2.0);
        if (fault == Fault::mean) g.add(0, dy / static_cast<double>(n));
        if (fault == Fault::transpose) g.add(0, dy.rank() > 1 ? transpose(dy, -1, -2) : dy);
      }));
    return f(inputs);
  };
}

}  // namespace heed
