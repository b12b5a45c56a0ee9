#include "nn/optim/average.h"

#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <unordered_set>

#include "autograd/modes.h"
#include "nn/optim/fields.h"
#include "nn/optim/pass.h"

namespace heed::nn {
namespace {
constexpr const char* kAverageKind = "ParameterAverage";

std::mutex mutex;                         // protects the set
std::unordered_set<const void*> holding;  // the parameters that hold averages, of all threads
}  // namespace

HoldsAverages::HoldsAverages(const char* kind, const std::vector<NamedVariable>& parameters) : parameters_(parameters) {
  require_trained(kind, "swap_in", parameters);
  std::lock_guard lock(mutex);
  for (const auto& p : parameters_) holding.insert(p.variable.identity());
}
HoldsAverages::~HoldsAverages() {
  std::lock_guard lock(mutex);
  for (const auto& p : parameters_) holding.erase(p.variable.identity());
}

void require_trained(const char* kind, const char* operation, const std::vector<NamedVariable>& parameters) {
  std::lock_guard lock(mutex);
  for (const auto& p : parameters)
    if (holding.count(p.variable.identity()))
      throw GraphError(
          fmt::format("{}: {} needs the trained parameters; got a model that holds their averages; hint: "
                      "end the scope of swap_in first",
                      kind, operation));
}

void require_leaves_once(const char* kind, const std::vector<NamedVariable>& parameters) {
  std::unordered_set<const void*> seen;
  for (const auto& p : parameters) {
    if (!p.variable.defined())
      throw ValueError(fmt::format("{}: a parameter must be defined; got {} undefined", kind, p.name));
    if (!p.variable.is_leaf())
      throw ValueError(fmt::format("{}: a parameter must be a leaf; got {}, which an operation made", kind, p.name));
    if (!seen.insert(p.variable.identity()).second)
      throw ValueError(fmt::format("{}: each parameter must be given once; got {} again", kind, p.name));
  }
}

void require_same_shape(const char* kind, const NamedVariable& parameter, const Tensor& average) {
  if (!(parameter.variable.shape() == average.shape()))
    throw ShapeError(fmt::format("{}: {} must keep its shape; got {}, averaged as {}", kind, parameter.name,
                                 to_string(parameter.variable.shape()), to_string(average.shape())));
}

ParameterAverage::ParameterAverage(std::vector<NamedVariable> parameters, const Options& options)
    : parameters_(std::move(parameters)), options_(options) {
  require_options(kAverageKind, fields_of(options_));
  require_leaves_once(kAverageKind, parameters_);
  for (const auto& p : parameters_) averages_.push_back(p.variable.value().contiguous().clone());
}

void ParameterAverage::update() {
  require_trained(kAverageKind, "update", parameters_);
  for (size_t i = 0; i < parameters_.size(); ++i) require_same_shape(kAverageKind, parameters_[i], averages_[i]);
  NoGrad guard;
  ++updates_;
  double d = options_.decay, fresh = 1 - d;
  if (options_.bias_corrected) fresh /= 1 - std::pow(d, static_cast<double>(updates_));
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor w = parameters_[i].variable.value().contiguous();
    Tensor& a = averages_[i];
    if (a.dtype() != w.dtype()) a = a.to(w.dtype());  // the model has been converted to another dtype
    dispatch_float(w.dtype(), kAverageKind, [&](auto zero) {
      using T = decltype(zero);
      T share = static_cast<T>(fresh);
      each_vector<T>(std::array<T*, 1>{a.data<T>()}, w.data<T>(), w.count(),
                     [=](auto& x, auto w_) { x[0] = share == 1 ? w_ : x[0] + share * (w_ - x[0]); });
    });
    a.mark_written("parameter average");
  }
}

void ParameterAverage::exchange() noexcept {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    Tensor w = parameters_[i].variable.value();
    parameters_[i].variable.set_value(averages_[i]);
    averages_[i] = w;
  }
}

ParameterAverage::Scope::Scope(ParameterAverage& average)
    : average_(average), holds_(kAverageKind, average.parameters_) {
  for (size_t i = 0; i < average_.averages_.size(); ++i)
    require_same_shape(kAverageKind, average_.parameters_[i], average_.averages_[i]);
  for (size_t i = 0; i < average_.averages_.size(); ++i) {  // the model may have been converted to another dtype
    Tensor& a = average_.averages_[i];
    if (DType now = average_.parameters_[i].variable.dtype(); a.dtype() != now) a = a.to(now);
  }
  average_.exchange();
}
ParameterAverage::Scope::~Scope() { average_.exchange(); }

namespace {
std::vector<OptionField> with_updates(ParameterAverage::Options& options, int64_t& updates) {
  OptionFields f;
  options.fields(f);
  f("updates", updates, "number of updates so far");
  return f.all;
}
}  // namespace

io::SafeTensors ParameterAverage::save_state() const {
  require_trained(kAverageKind, "save_state", parameters_);
  io::SafeTensors file;
  file.metadata["average"] = kAverageKind;
  ParameterAverage& self = const_cast<ParameterAverage&>(*this);  // save_fields only reads the fields
  save_fields(file, "", with_updates(self.options_, self.updates_));
  for (size_t i = 0; i < parameters_.size(); ++i)
    file.tensors.emplace_back("average." + parameters_[i].name, averages_[i].clone());
  return file;
}

void ParameterAverage::load_state(const io::SafeTensors& file, const std::string& what) {
  require_trained(kAverageKind, "load_state", parameters_);
  if (metadata_at(file, "average") != kAverageKind)
    throw IoError(fmt::format("load: \"{}\": holds no averages of parameters", what));
  int64_t updates = 0;
  Options options;
  const std::vector<OptionField> fields = with_updates(options, updates);
  load_or_restore(what, fields, [&] {
    read_fields(file, what, "", fields);
    require_options(kAverageKind, fields);
  });
  std::vector<Tensor> averages;
  std::unordered_set<const Tensor*> used;
  for (const auto& [name, variable] : parameters_) {
    const Tensor* t = file.find("average." + name);
    if (!t) throw IoError(fmt::format("load: \"{}\": the tensor average.{} is missing", what, name));
    if (!(t->shape() == variable.shape()) || !is_float(t->dtype()))
      throw IoError(fmt::format("load: \"{}\": average.{} must have the parameter's shape; got {} {} for {}", what,
                                name, name_of(t->dtype()), to_string(t->shape()), to_string(variable.shape())));
    used.insert(t);
    averages.push_back(t->to(variable.dtype()).contiguous().clone());
  }
  for (const auto& [name, t] : file.tensors)
    if (!used.count(&t)) throw IoError(fmt::format("load: \"{}\": the tensor {} belongs to no parameter", what, name));
  averages_ = std::move(averages);
  options_ = options;
  updates_ = updates;
}

}  // namespace heed::nn
