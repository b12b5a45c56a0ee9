#include "autograd/saved.h"

#include <fmt/format.h>

#include "autograd/ops_reduce.h"

namespace heed {
namespace {
void require_unchanged(const Node& node, const Tensor& t, uint32_t version, bool replaced) {
  if (t.version() == version && !replaced) return;
  const Storage& s = t.storage();
  std::string how = replaced ? "replaced by set_value"
                             : fmt::format("overwritten by {}; got version {}, saved at {}",
                                           describe(s.writer, s.writer_path), s.version, version);
  throw GraphError(fmt::format("backward of {}: a value that it saved was {}; hint: compute on a clone()",
                               describe(node.name, node.path), how));
}
}  // namespace

const Variable& unchanged(const Node& node, const Saved& saved) {
  require_unchanged(node, saved.variable.value(), saved.version, saved.variable.epoch() != saved.epoch);
  return saved.variable;
}
const Tensor& unchanged(const Node& node, const SavedOutput& saved) {
  require_unchanged(node, saved.value, saved.version, /*replaced=*/false);
  return saved.value;
}

void sum_repeated(const Output& y, const Edge& edge, Variable& dy, const Node* from) {
  const Shape &got = dy.shape(), &want = y.shape();
  if (dy.dtype() == y.dtype && got == want) return;
  int lead = got.rank() - want.rank();
  bool repeated = edge.may_broadcast && dy.dtype() == y.dtype && lead >= 0;
  for (int i = 0; repeated && i < want.rank(); ++i) repeated = want[i] == 1 || want[i] == got[lead + i];
  if (!repeated)
    throw GradientShapeError(
        fmt::format("{}: a gradient must have the shape and dtype of its value; got {} {} for {} {} of {}",
                    from ? "backward of " + describe(from->name, from->path) : std::string("backward"),
                    name_of(dy.dtype()), to_string(got), name_of(y.dtype), to_string(want),
                    describe(edge.node->name, edge.node->path)),
        got, want);
  dy = sum_to(dy, want);
}

}  // namespace heed
