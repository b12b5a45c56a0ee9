#include "tests/nn/parity/golden.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"
#include "tests/source_dir.h"

namespace heed::parity {

Golden::Golden(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {
  file_ = io::load_safetensors(source_dir() + "/tests/golden/" + name_ + ".safetensors");
}

Tensor Golden::tensor(const std::string& name) {
  const Tensor* found = file_.find(name);
  if (!found) throw IoError(fmt::format("golden: {} has no {}", name_, name));
  used_.insert(name);
  return is_float(found->dtype()) ? found->to(dtype_).clone() : *found;
}

Variable Golden::leaf(const std::string& name) { return {tensor("input." + name), Variable::kRequiresGrad}; }

std::string Golden::text(const std::string& option) const {
  auto found = file_.metadata.find(option);
  if (found == file_.metadata.end()) throw IoError(fmt::format("golden: {} has no option {}", name_, option));
  return found->second;
}
bool Golden::flag(const std::string& option) const {
  std::string value = text(option);
  if (value != "true" && value != "false") throw IoError(fmt::format("golden: {} is no flag: {}", option, value));
  return value == "true";
}
double Golden::number(const std::string& option) const { return std::stod(text(option)); }

io::SafeTensors Golden::parameters() {
  io::SafeTensors out;
  for (const auto& [name, t] : file_.tensors)
    if (name.rfind("param.", 0) == 0) out.tensors.emplace_back(name.substr(6), tensor(name));
  return out;
}

void Golden::compare(const std::string& name, const Tensor& ours) {
  INFO(fmt::format("{} in {}: {}", name_, name_of(dtype_), name));
  Tensor theirs = tensor(name).to(DType::f64);
  REQUIRE(ours.defined());
  REQUIRE(ours.dtype() == dtype_);
  REQUIRE(to_string(ours.shape()) == to_string(theirs.shape()));
  double largest = 1;
  for (double v : theirs.to_vector()) largest = std::max(largest, std::abs(v));
  double error = max_abs_difference(ours.to(DType::f64), theirs) / largest;
  CHECK(error <= (dtype_ == DType::f64 ? 1e-10 : 1e-5));
}

void Golden::check(const Named& outputs, const Named& inputs) {
  Variable total;
  for (const auto& [name, y] : outputs) {
    compare("output." + name, y.value());
    Variable part = sum(y * Variable(tensor("grad_output." + name)));
    total = total.defined() ? total + part : part;
  }
  backward(total);
  for (const auto& [name, x] : inputs) compare("grad." + name, x.grad());
}

void Golden::check_second_order(const std::string& output, const Variable& y, const Named& inputs) {
  compare("output." + output, y.value());
  Variable seed(tensor("grad_output." + output), Variable::kRequiresGrad);
  std::vector<Variable> xs, wanted;
  for (const auto& [name, x] : inputs) xs.push_back(x);
  std::vector<Variable> dx = grad({y}, xs, {.seeds = {seed}, .create_graph = true});
  Variable total;
  for (size_t i = 0; i < xs.size(); ++i) {
    compare("grad." + inputs[i].first, dx[i].value());
    Variable part = sum(dx[i] * Variable(tensor("grad_grad." + inputs[i].first)));
    total = total.defined() ? total + part : part;
  }
  wanted = xs;
  wanted.push_back(seed);
  std::vector<Variable> d2 = grad({total}, wanted, {.allow_unused = true});
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::string name = i < xs.size() ? "grad2." + inputs[i].first : "grad2.grad_output." + output;
    compare(name, d2[i].defined() ? d2[i].value() : Tensor::zeros(wanted[i].shape(), dtype_));
  }
}

void Golden::finish() const {
  for (const auto& entry : file_.tensors) {
    INFO(fmt::format("{}: {}", name_, entry.first));
    CHECK(used_.count(entry.first) == 1);
  }
}

}  // namespace heed::parity
