#include "nn/module.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "tensor/elementwise.h"

namespace heed::nn {

void Visitor::enter(std::string_view name, Module& module) {
  lengths_.push_back(prefix_.size());
  prefix_ += std::string(name) + ".";
  module_entered(module);
}
void Visitor::leave() {
  prefix_.resize(lengths_.back());
  lengths_.pop_back();
}

Variable Module::Call::result(std::string_view name, Variable value) const {
  for (const OutputHook& hook : module_.output_hooks)
    if (Variable other = hook(name, value); other.defined()) value = other;
  return value;
}

namespace detail {

std::vector<NamedVariable> unique(std::vector<NamedVariable> all) {
  std::vector<NamedVariable> out;
  std::unordered_set<const void*> seen;
  for (auto& p : all)
    if (seen.insert(p.variable.identity()).second) out.push_back(std::move(p));
  return out;
}

void PathGiver::module_entered(Module& m) {
  std::string at = full("");
  m.path = root_;
  size_t begin = 0;
  for (size_t dot = at.find('.'); dot != std::string::npos; begin = dot + 1, dot = at.find('.', begin))
    m.path = extend_path(m.path, std::string_view(at).substr(begin, dot - begin));
}

io::SafeTensors save(const Collector& from) {
  io::SafeTensors file;
  for (const auto& p : from.parameters) file.tensors.emplace_back(p.name, p.variable.value().clone());
  for (const auto& [name, buffer] : from.buffers) file.tensors.emplace_back(name, buffer->clone());
  return file;
}

void load(const Collector& into, const io::SafeTensors& file, const std::string& what) {
  std::unordered_map<std::string_view, const Tensor*> by_name;
  for (const auto& [name, tensor] : file.tensors) by_name[name] = &tensor;
  auto take = [&](const std::string& name, const Tensor& now) -> const Tensor& {
    auto found = by_name.find(name);
    if (found == by_name.end())
      throw IoError(fmt::format(
          "load: \"{}\": the tensor {} is missing; hint: was it saved from another kind of model?", what, name));
    const Tensor& t = *found->second;
    if (!(t.shape() == now.shape()))
      throw IoError(fmt::format("load: \"{}\": {} must have the model's shape; got {} for {}", what, name,
                                to_string(t.shape()), to_string(now.shape())));
    by_name.erase(found);
    return t;
  };
  // Look at everything before changing anything: a refused file leaves the model as it was.
  std::unordered_map<const void*, std::pair<std::string, Tensor>> tied;
  std::vector<std::pair<Variable, Tensor>> values;
  for (const auto& p : into.parameters) {
    Tensor t = take(p.name, p.variable.value()).to(p.variable.dtype());
    auto [at, first] = tied.try_emplace(p.variable.identity(), p.name, t);
    if (first)
      values.emplace_back(p.variable, t);
    else if (!bit_equal(at->second.second, t))
      throw IoError(fmt::format("load: \"{}\": {} and {} are one tied parameter and must be equal", what,
                                at->second.first, p.name));
  }
  std::vector<std::pair<Tensor*, Tensor>> buffers;
  for (const auto& [name, buffer] : into.buffers) buffers.emplace_back(buffer, take(name, *buffer).to(buffer->dtype()));
  for (const auto& [name, t] : file.tensors)
    if (by_name.count(name))
      throw IoError(fmt::format("load: \"{}\": the tensor {} does not belong to this model ({} such)", what, name,
                                by_name.size()));
  for (auto& [p, t] : values) p.set_value(t.clone());
  for (auto& [buffer, t] : buffers) *buffer = t.clone();
}

void convert(const Collector& c, DType dtype) {
  if (!is_float(dtype)) throw DTypeError(fmt::format("convert: a model is f32 or f64; got {}", name_of(dtype)));
  for (auto p : unique(c.parameters)) p.variable.set_value(p.variable.value().to(dtype));
  for (const auto& [name, buffer] : c.buffers)
    if (is_float(buffer->dtype())) *buffer = buffer->to(dtype);
}

void copy_values(const Collector& from, const Collector& to) {
  for (size_t i = 0; i < from.parameters.size(); ++i) {
    Variable target = to.parameters[i].variable;
    target.set_value(from.parameters[i].variable.value().clone());
    target.set_requires_grad(from.parameters[i].variable.requires_grad());  // what was frozen stays frozen
  }
  for (size_t i = 0; i < from.buffers.size(); ++i) *to.buffers[i].second = from.buffers[i].second->clone();
  for (size_t i = 0; i < from.generators.size(); ++i) *to.generators[i].second = *from.generators[i].second;
  for (size_t i = 0; i < from.modules.size(); ++i) to.modules[i]->training = from.modules[i]->training;
}

}  // namespace detail
}  // namespace heed::nn
