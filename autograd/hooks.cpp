#include "autograd/hooks.h"

#include "autograd/saved.h"
#include "tensor/elementwise.h"

namespace heed {

Hooks& Hooks::of(Node& node) {
  if (!node.hooks) {
    node.hooks = std::make_unique<Hooks>();
    node.hooks->retained.resize(node.outputs().size());
    node.hooks->wanted.resize(node.outputs().size(), false);
  }
  return *node.hooks;
}

void Hooks::run(Node& node, std::vector<Variable>& dy) {
  for (size_t h = 0; h < node.hooks->calls.size(); ++h) {
    Call call = node.hooks->calls[h];  // a copy: a hook may register another
    if (!dy[call.index].defined()) continue;
    Variable changed = call.function(dy[call.index]);
    if (!changed.defined()) continue;
    fit_gradient({Ref<Node>(&node), call.index}, changed, nullptr);
    dy[call.index] = std::move(changed);
  }
}

void Hooks::retain(const std::vector<Variable>& dy) {
  for (size_t k = 0; k < dy.size(); ++k)
    if (wanted[k] && dy[k].defined())
      retained[k] = retained[k].defined() ? add(retained[k], dy[k].value()) : dy[k].value().clone();
}

}  // namespace heed
