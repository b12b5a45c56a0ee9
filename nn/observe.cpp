#include "nn/observe.h"

namespace heed::nn {
namespace {
Observe*& innermost() {
  thread_local Observe* observer = nullptr;
  return observer;
}
}  // namespace

Observe::Observe(Callback callback) : callback_(std::move(callback)), scope_(innermost(), this) {}
bool Observe::active() { return innermost() && innermost()->callback_; }
void Observe::report(const Tensor& weights, const Tensor& scores) {
  if (active()) innermost()->callback_({path_name(current_path()), weights, scores});
}

}  // namespace heed::nn
