#include "tutorials/app/mine/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/error.h"
#include "tensor/random.h"

namespace heed::app {
namespace {

std::vector<Part>& parts() {
  static std::vector<Part> all;  // filled before main, by the objects of parts/
  return all;
}

// Values and gradients of sum v f(x) at the inputs, with fixed random v.
std::vector<Tensor> value_and_gradients(const GradcheckFunction& f, const std::vector<Tensor>& inputs) {
  std::vector<Variable> x;
  for (const Tensor& t : inputs) x.emplace_back(t.clone(), Variable::kRequiresGrad);
  Variable y = f(x);
  Generator rng(3);
  backward(sum(y * Variable(Tensor::normal(y.shape(), rng, 0, 1, y.dtype()))));
  std::vector<Tensor> all{y.value()};
  for (const Variable& v : x) all.push_back(v.grad());
  return all;
}

}  // namespace

void Comparison::refuse(const std::string& sentence) {
  if (difference_.empty()) difference_ = sentence;
}

void Comparison::value(const std::string& what, const std::vector<double>& mine, const std::vector<double>& library,
                       double allowed) {
  if (mine.size() != library.size())
    return refuse(fmt::format("{} has {} elements and should have {}", what, mine.size(), library.size()));
  double scale = 1;
  for (double v : library)
    if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
  for (size_t i = 0; i < mine.size(); ++i) {
    if (mine[i] == library[i]) continue;
    const double error = std::abs(mine[i] - library[i]) / scale;
    if (error <= allowed)
      error_ = std::max(error_, error);
    else
      refuse(fmt::format("{}{} is {:.6g} and should be {:.6g}", what, mine.size() > 1 ? fmt::format(" [{}]", i) : "",
                         mine[i], library[i]));
  }
}

void Comparison::value(const std::string& what, const Tensor& mine, const Tensor& library, double allowed) {
  if (!mine.defined()) return refuse(what + " was never given a value");
  if (mine.shape() != library.shape())
    return refuse(fmt::format("{} has the shape {} and should have {}", what, to_string(mine.shape()),
                              to_string(library.shape())));
  value(what, mine.to_vector(), library.to_vector(), allowed);
}

void Comparison::functions(const std::string& what, const GradcheckFunction& mine, const GradcheckFunction& library,
                           const std::vector<Tensor>& inputs) {
  std::vector<Tensor> ours = value_and_gradients(mine, inputs), theirs = value_and_gradients(library, inputs);
  value(what, ours[0], theirs[0]);
  for (size_t i = 1; i < ours.size(); ++i)
    value(fmt::format("the gradient of input {} of {}", i, what), ours[i], theirs[i]);
  GradcheckReport report = gradcheck(mine, inputs);
  gradients_ = true;
  against_differences_ = std::max(against_differences_, report.max_relative_error);
  if (!report.passed) refuse(fmt::format("{}: {}", what, report.diagnosis));
}

std::string Comparison::error() const {
  return error_ == 0 ? "exactly" : fmt::format("max relative error {:.0e}", error_);
}

std::string Comparison::summary() const {
  if (gradients_)
    return fmt::format("values and gradients agree with the library ({}; finite differences {:.0e})", error(),
                       against_differences_);
  return fmt::format("values agree with the library ({})", error());
}

Registered::Registered(Part part) {
  parts().push_back(std::move(part));
  std::ranges::sort(parts(), {}, [](const Part& p) { return std::pair(p.exercise, p.name); });
}

const std::vector<Part>& linked_parts() { return parts(); }

std::vector<Row> rows_of(char use) {
  std::vector<Row> rows{
#include "tutorials/app/mine/parts.inc"
  };
  std::erase_if(rows, [&](const Row& row) { return row.uses.find(use) == std::string::npos; });
  return rows;
}

std::string command_for(const std::string& exercise) {
  return fmt::format("./heed exercise {} {}", exercise.substr(0, 2), exercise.substr(3));
}

void require_first_derivative(bool recording, const char* operation) {
  if (recording)
    throw GraphError(fmt::format("{}: has no second derivative; got create_graph; hint: use the library's", operation));
}

}  // namespace heed::app
