#include "autograd/ops_inplace.h"

#include <fmt/format.h>

#include "autograd/modes.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

Tensor writable(const char* operation, const Variable& v) {
  if (v.requires_grad() && grad_enabled())
    throw GraphError(fmt::format(
        "{}: cannot write into a value that needs a gradient; got {}; hint: use a NoGrad scope, or make a new value",
        describe(operation, current_path()), to_string(v.shape())));
  return v.value();
}

// The kernel signed with its own name; errors should say what the user wrote.
void sign(const Tensor& t, const char* operation) { t.storage().writer = operation; }

}  // namespace

void add_(const Variable& v, const Tensor& x, double scale) {
  Tensor t = writable("add_", v);
  add_into(t, x, scale);
  sign(t, "add_");
}
void mul_(const Variable& v, double s) {
  Tensor t = writable("mul_", v);
  scale_into(t, s);
  sign(t, "mul_");
}
void copy_(const Variable& v, const Tensor& x) {
  Tensor t = writable("copy_", v);
  copy_into(t, x);
  sign(t, "copy_");
}
void fill_(const Variable& v, double value) {
  Tensor t = writable("fill_", v);
  fill_into(t, value);
  sign(t, "fill_");
}

}  // namespace heed
