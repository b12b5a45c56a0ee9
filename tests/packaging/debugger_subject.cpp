// Values for the debugger to show (debugger_test.sh), each in a state that a student meets.
#include <new>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops.h"

using namespace heed;

namespace {
// The memory of a Tensor, in which none has been constructed, or no longer one.
union Place {
  Place() : bytes{} {}
  ~Place() {}
  unsigned char bytes[sizeof(Tensor)];
  Tensor tensor;
};

[[gnu::noinline]] void stop_here() { asm volatile(""); }  // the script stops here and goes up one frame
}  // namespace

int main() {
  Tensor numbers = Tensor::from(std::vector<float>{0, 1.5, -2, 3, 4, 5}, {2, 3});
  Tensor turned = numbers.transpose(0, 1), column = numbers.slice(1, 1, 2), empty = Tensor::zeros({0, 3}), undefined;
  Tensor many = Tensor::arange(1000), mask = Tensor::from_bools({1, 0}, {2}), pi = Tensor::scalar(3.25, DType::f64);
  const Tensor& reference = numbers;
  [[maybe_unused]] Shape shape = turned.shape();
  Variable constant(pi), leaf(Tensor::ones({2}), Variable::kRequiresGrad),
      fresh(Tensor::ones({1}), Variable::kRequiresGrad);
  Variable product = leaf * 2, none;
  backward(sum(leaf * leaf));
  Place freed, wild;
  new (&freed.tensor) Tensor(Tensor::ones({4}));
  freed.tensor.~Tensor();
  for (unsigned char& byte : wild.bytes) byte = 0xA5;  // an object before its constructor has run
  stop_here();
  return static_cast<int>(reference.count() + pi.count()) * 0;
}
