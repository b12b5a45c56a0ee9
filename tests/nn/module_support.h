// One small instance of every type of module, with a loss that uses all of it and the closed formula of its size.
// A new module joins the generic tests by one more block in module_support.cpp. They see it through AnyModule, so that
// a test is compiled once, not once a type.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/nn/support.h"

namespace heed::nn_test {

// A module of any type. named_parameters, collect, set_training, ... take it as they take the module itself.
struct AnyModule {
  virtual ~AnyModule() = default;
  virtual operator nn::Module&() = 0;  // the root
  virtual void visit(nn::Visitor& visitor) = 0;
  virtual Variable loss(DType dtype) = 0;  // a scalar; a function of the parameters and the module's generators
  virtual std::unique_ptr<AnyModule> clone() = 0;
};

struct ModuleCase {
  std::string name;
  int64_t parameters;  // by the formula
  std::function<std::unique_ptr<AnyModule>(uint64_t seed)> make;
};
std::vector<ModuleCase> module_cases();

}  // namespace heed::nn_test
