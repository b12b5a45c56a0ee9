// What only few nodes have: functions called with the gradient of an output, and gradients kept for the user.
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
  std::vector<Tensor> retained;  // .grad by output, where asked for
  std::vector<bool> wanted;

  static Hooks& of(Node& node);  // made if there are none
  // Calls the functions in the order of their registration; each may replace dy[index]. GradientShapeError if what it
  // gives does not fit.
  static void run(Node& node, std::vector<Variable>& dy);
  void retain(const std::vector<Variable>& dy);  // adds to the gradients that were asked for
};

}  // namespace heed
