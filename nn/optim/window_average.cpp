#include "nn/optim/window_average.h"

#include <fmt/format.h>

#include "autograd/modes.h"
#include "nn/optim/fields.h"

namespace heed::nn {
namespace {

constexpr const char* kWindowKind = "WindowAverage";

// Summed in f64, so that the order of the copies does not change an f32 result.
Tensor mean_of(const std::deque<std::vector<Tensor>>& copies, size_t parameter) {
  const Tensor& last = copies.back()[parameter];
  std::vector<double> sum(static_cast<size_t>(last.count()), 0.0);
  for (const auto& copy : copies) {
    std::vector<double> values = copy[parameter].to_vector();
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  }
  for (double& s : sum) s /= static_cast<double>(copies.size());
  return Tensor::from(sum, last.shape()).to(last.dtype());
}

}  // namespace

WindowAverage::WindowAverage(std::vector<NamedVariable> parameters, const Options& options)
    : parameters_(std::move(parameters)), options_(options) {
  require_options(kWindowKind, fields_of(options_));
  require_leaves_once(kWindowKind, parameters_);
}

void WindowAverage::add() {
  require_trained(kWindowKind, "add", parameters_);
  for (size_t i = 0; i < parameters_.size() && !copies_.empty(); ++i)
    require_same_shape(kWindowKind, parameters_[i], copies_.back()[i]);
  std::vector<Tensor> copy;
  for (const auto& p : parameters_) copy.push_back(p.variable.value().contiguous().clone());
  copies_.push_back(std::move(copy));
  if (seen() > options_.size) copies_.pop_front();
}

WindowAverage::Scope::Scope(WindowAverage& average) : average_(average), holds_(kWindowKind, average.parameters_) {
  std::vector<Tensor> trained, means;  // all of them before a parameter is changed
  for (size_t i = 0; i < average_.parameters_.size(); ++i) {
    const NamedVariable& p = average_.parameters_[i];
    trained.push_back(p.variable.value());
    if (average_.copies_.empty()) continue;
    require_same_shape(kWindowKind, p, average_.copies_.back()[i]);
    means.push_back(mean_of(average_.copies_, i).to(p.variable.dtype()));
  }
  for (size_t i = 0; i < means.size(); ++i) average_.parameters_[i].variable.set_value(means[i]);
  average_.trained_ = std::move(trained);
}
WindowAverage::Scope::~Scope() {
  for (size_t i = 0; i < average_.parameters_.size(); ++i)
    average_.parameters_[i].variable.set_value(average_.trained_[i]);
  average_.trained_.clear();
}

io::SafeTensors WindowAverage::save_state() const {
  require_trained(kWindowKind, "save_state", parameters_);
  io::SafeTensors file;
  file.metadata = {
      {"average", kWindowKind}, {"size", std::to_string(options_.size)}, {"seen", std::to_string(copies_.size())}};
  for (size_t k = 0; k < copies_.size(); ++k)
    for (size_t i = 0; i < parameters_.size(); ++i)
      file.tensors.emplace_back(fmt::format("{}.{}", k, parameters_[i].name), copies_[k][i].clone());
  return file;
}

void WindowAverage::load_state(const io::SafeTensors& file, const std::string& what) {
  require_trained(kWindowKind, "load_state", parameters_);
  auto refuse = [&](const std::string& rule) { throw IoError(fmt::format("load: \"{}\": {}", what, rule)); };
  if (metadata_at(file, "average") != kWindowKind) refuse("holds no window of parameters");
  if (metadata_at(file, "size") != std::to_string(options_.size))
    refuse(fmt::format("the window must have the size {}; got \"{}\"", options_.size, metadata_at(file, "size")));
  int64_t seen = 0;
  OptionFields fields;
  fields("seen", seen, "copies");
  read_fields(file, what, "", fields.all);
  if (seen < 0 || seen > options_.size)
    refuse(fmt::format("the window must hold 0 to {} copies; got {}", options_.size, seen));
  std::deque<std::vector<Tensor>> copies;
  for (int64_t k = 0; k < seen; ++k) {
    copies.emplace_back();
    for (const auto& [name, variable] : parameters_) {
      const Tensor* t = file.find(fmt::format("{}.{}", k, name));
      if (!t) refuse(fmt::format("the tensor {}.{} is missing", k, name));
      if (!(t->shape() == variable.shape()) || t->dtype() != variable.dtype())
        refuse(fmt::format("{}.{} must be {} {}; got {} {}", k, name, name_of(variable.dtype()),
                           to_string(variable.shape()), name_of(t->dtype()), to_string(t->shape())));
      copies.back().push_back(t->contiguous().clone());
    }
  }
  if (file.tensors.size() != copies.size() * parameters_.size())
    refuse(fmt::format("the window must have {} tensors; got {}", copies.size() * parameters_.size(),
                       file.tensors.size()));
  copies_ = std::move(copies);
}

}  // namespace heed::nn
