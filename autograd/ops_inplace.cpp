#include "autograd/ops_inplace.h"

#include <fmt/format.h>

#include "autograd/modes.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

// Runs a kernel on v's memory. The kernel records its own name as the writer, which is replaced by `operation`, the
// name of the function that the user called.
template <class F>
void write(const char* operation, const Variable& v, const F& kernel) {
  if (v.requires_grad() && grad_enabled())
    throw GraphError(fmt::format(
        "{}: cannot write into a value that needs a gradient; got {}; hint: use a NoGrad scope, or make a new value",
        describe(operation, current_path()), to_string(v.shape())));
  Tensor t = v.value();
  kernel(t);
  t.storage().writer = operation;
}

}  // namespace

void add_(const Variable& v, const Tensor& x, double scale) {
  write("add_", v, [&](Tensor& t) { add_into(t, x, scale); });
}
void mul_(const Variable& v, double s) {
  write("mul_", v, [=](Tensor& t) { scale_into(t, s); });
}
void copy_(const Variable& v, const Tensor& x) {
  write("copy_", v, [&](Tensor& t) { copy_into(t, x); });
}
void fill_(const Variable& v, double value) {
  write("fill_", v, [=](Tensor& t) { fill_into(t, value); });
}

}  // namespace heed
