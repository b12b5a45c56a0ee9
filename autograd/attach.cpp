#include "autograd/attach.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "tensor/elementwise.h"

namespace heed {

bool tracked(const Input* begin, const Input* end) {
  if (!grad_enabled()) return false;
  for (const Input* i = begin; i != end; ++i)
    if (i->variable.requires_grad()) return true;
  return false;
}

void connect(Node& node, const Input* begin, const Input* end) {
  for (const Input* i = begin; i != end; ++i) {
    Edge& edge = node.edges.grow();
    if (!i->variable.requires_grad()) continue;
    edge.node = i->variable.node();
    edge.index = i->variable.index();
    edge.may_broadcast = i->may_broadcast;
  }
}

std::string name_of_anomaly(double value) { return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"; }

// NaN is reported anywhere. An infinity only where every input was finite, and not from operations that write masks.
void check_anomaly(const char* name, const Input* begin, const Input* end, const Tensor& y) {
  std::string_view op(name);
  bool finite_inputs = op != "masked_fill" && op != "where";
  std::string shapes;
  for (const Input* i = begin; i != end; ++i) {
    if (!i->variable.defined()) continue;  // an optional input, such as a bias
    finite_inputs = finite_inputs && all_finite(i->variable.value());
    shapes += (shapes.empty() ? "" : ", ") + to_string(i->variable.shape());
  }
  int64_t at = first_not_finite(y, finite_inputs);
  if (at < 0) return;
  double bad = y.contiguous().view({y.count()}).at({at});
  throw GraphError(fmt::format("{}: gave {} at position {} of its result {}; got inputs {}",
                               describe(name, current_path()), name_of_anomaly(bad), at, to_string(y.shape()), shapes));
}

}  // namespace heed
