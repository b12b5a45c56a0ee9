#include "nn/observe.h"

#include "tensor/scope.h"

namespace heed::nn {
namespace {
Observe*& innermost() {
  thread_local Observe* observer = nullptr;
  return observer;
}
}  // namespace

Observe::Observe(Callback callback) : callback_(std::move(callback)), outer_(innermost()) { innermost() = this; }
Observe::~Observe() {  // not always the innermost: p = make_unique makes the new one first
  if (innermost() == this) innermost() = outer_;
  for (Observe* p = innermost(); p; p = p->outer_)
    if (p->outer_ == this) p->outer_ = outer_;
}
bool Observe::active() { return innermost() && innermost()->callback_; }
void Observe::report(const Tensor& weights, const Tensor& scores) {
  if (active()) innermost()->callback_({path_name(current_path()), weights, scores});
}

}  // namespace heed::nn
