// One file of reference values from PyTorch (tests/golden/README.md), read in f64 or f32, and compared with ours:
//
//   |ours - theirs| <= tol * max(1, max |theirs|)        tol = 1e-10 in f64, 1e-5 in f32
//
// A case remembers which tensors of the file were used: finish() fails if one was left unread.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autograd/variable.h"
#include "nn/module.h"

namespace heed::parity {

using Named = std::vector<std::pair<std::string, Variable>>;

class Golden {
 public:
  Golden(std::string name, DType dtype);

  // "gru_bi": a tensor of the file; floats in the case's dtype.
  Tensor tensor(const std::string& name);
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  // input.NAME as a leaf whose gradient is wanted; ids and targets as they are.
  Variable leaf(const std::string& name);
  Tensor ids(const std::string& name) { return tensor("input." + name); }

  bool has_option(const std::string& option) const { return file_.metadata.contains(option); }
  bool flag(const std::string& option) const;       // "true"
  double number(const std::string& option) const;   // "0.1"
  int64_t integer(const std::string& option) const  // "4"
  {
    return static_cast<int64_t>(number(option));
  }
  std::string text(const std::string& option) const;

  // param.NAME into the module, under PyTorch's own names: none missing, none left over, all shapes as PyTorch's.
  template <class M>
  void load(M& module) {
    nn::convert(module, dtype_);
    nn::load_state(module, parameters(), name_);
  }

  // Checks output.NAME of each output; runs backward from the sum of grad_output * output; checks grad.NAME of each of
  // `inputs` (parameters too) and that the file knows no other gradient.
  void check(const Named& outputs, const Named& inputs);
  // Also the gradients of gradients, where the file has them: grad2.NAME and grad2.grad_output.NAME. One output.
  void check_second_order(const std::string& output, const Variable& y, const Named& inputs);
  template <class M>
  void check_module(M& module, const Named& outputs, Named inputs) {
    for (auto& p : nn::named_parameters(module)) inputs.emplace_back(p.name, p.variable);
    check(outputs, inputs);
  }

  void compare(const std::string& name, const Tensor& ours);  // with the tensor `name` of the file
  void finish() const;                                        // everything in the file was used

 private:
  io::SafeTensors parameters();
  std::string name_;
  DType dtype_;
  io::SafeTensors file_;
  std::set<std::string> used_;
};

// The same case in both precisions.
template <class F>
void in_both_precisions(const std::string& name, const F& run) {
  for (DType dtype : {DType::f64, DType::f32}) {
    Golden golden(name, dtype);
    run(golden, dtype);
    golden.finish();
  }
}

}  // namespace heed::parity
