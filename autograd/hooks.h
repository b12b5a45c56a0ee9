// Hooks, which few nodes have: functions called with the gradient of an output, and gradients kept by retain_grad.
#pragma once

#include <functional>
#include <vector>

#include "autograd/variable.h"

namespace heed {

struct Hooks {
  struct Call {
    uint32_t index;  // of the output
    std::function<Variable(const Variable&)> function;
  };
  std::vector<Call> calls;
  std::vector<Tensor> retained;  // .grad of each output for which it was requested
  std::vector<bool> wanted;

  static Hooks& of(Node& node);  // creates them if there are none
  // Calls the functions in the order of their registration; each may replace dy[index]. GradientShapeError if the new
  // gradient does not have the shape and dtype of the output.
  static void run(Node& node, std::vector<Variable>& dy);
  void retain(const std::vector<Variable>& dy);  // adds dy to the gradients that were requested
};

}  // namespace heed
