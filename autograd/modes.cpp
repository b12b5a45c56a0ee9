#include "autograd/modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tensor/elementwise.h"

namespace heed {
namespace {
std::string name_of_anomaly(const Tensor& t, int64_t at) {
  double value = t.contiguous().view({t.count()}).at({at});
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
}  // namespace

void check_anomaly(const char* operation, std::span<const Input> inputs, const Tensor& y) {
  std::string_view name(operation);
  bool finite = name != "masked_fill" && name != "where";
  std::string shapes;
  for (const Input& i : inputs) {
    if (!i.seen.defined()) continue;  // an optional input, such as a bias
    finite = finite && all_finite(i.seen.value());
    shapes += (shapes.empty() ? "" : ", ") + to_string(i.seen.shape());
  }
  int64_t at = first_not_finite(y, finite);
  if (at < 0) return;
  throw GraphError(fmt::format("{}: gave {} at position {} of its result {}; got inputs {}",
                               describe(operation, current_path()), name_of_anomaly(y, at), at, to_string(y.shape()),
                               shapes));
}

void check_anomaly(const Node& node, std::span<const Variable> dy, size_t i, const Tensor& dx) {
  bool finite = std::all_of(dy.begin(), dy.end(), [](auto& d) { return !d.defined() || all_finite(d.value()); });
  int64_t at = first_not_finite(dx, finite);
  if (at < 0) return;
  throw GraphError(fmt::format("backward of {}: gave {} at position {} of the gradient of input {}; got shape {}",
                               describe(node.name, node.path), name_of_anomaly(dx, at), at, i, to_string(dx.shape())));
}

}  // namespace heed
