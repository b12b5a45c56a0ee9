#include "nn/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "tensor/elementwise.h"

namespace heed::nn {

void Visitor::enter(std::string_view name, Module& module) {
  lengths_.push_back(prefix_.size());
  if (!name.empty()) prefix_ += std::string(name) + ".";
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

namespace {

// "a, b, c and 7 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 5;
  std::vector<std::string> first(names.begin(), names.begin() + static_cast<int64_t>(std::min(kMost, names.size())));
  std::string more = names.size() > kMost ? fmt::format(" and {} more", names.size() - kMost) : "";
  return fmt::format("{}{}", fmt::join(first, ", "), more);
}

// Floats convert to floats of another width; integers and booleans must match exactly.
bool converts(DType from, DType to) { return from == to || (is_float(from) && is_float(to)); }

class StateLoader {
 public:
  StateLoader(const Collector& into, io::SafeTensors& file, const std::string& what) : what_(what) {
    for (auto& [name, tensor] : file.tensors) by_name_[name] = std::move(tensor);
    std::vector<std::string> names;
    for (const auto& p : into.parameters) names.push_back(p.name);
    for (const auto& b : into.buffers) names.push_back(b.first);
    check_names(names, file);
  }
  // The tensor in the model's dtype. Wrong shapes and dtypes are collected for one error message.
  Tensor take(const std::string& name, const Tensor& now) {
    Tensor t = std::move(by_name_.at(name));
    if (!(t.shape() == now.shape()))
      shapes_.push_back(fmt::format("{} {} for {}", name, to_string(t.shape()), to_string(now.shape())));
    else if (!converts(t.dtype(), now.dtype()))
      dtypes_.push_back(fmt::format("{} {} for {}", name, name_of(t.dtype()), name_of(now.dtype())));
    else if (t.dtype() != now.dtype())
      return t.to(now.dtype());
    else
      return t.storage().owners() == 1 ? t.contiguous() : t.clone();  // a tensor with other owners is copied
    return {};
  }
  void finish() const {
    if (!shapes_.empty()) refuse("tensors must have the shapes of the model's", listed(shapes_));
    if (!dtypes_.empty()) refuse("tensors must have the element types of the model's", listed(dtypes_));
  }

 private:
  [[noreturn]] void refuse(const std::string& rule, const std::string& got) const {
    throw IoError(fmt::format("load: \"{}\": {}; got {}", what_, rule, got));
  }
  void check_names(const std::vector<std::string>& names, const io::SafeTensors& file) const {
    std::vector<std::string> missing, unexpected;
    std::unordered_set<std::string_view> known(names.begin(), names.end());
    for (const std::string& name : names)
      if (!by_name_.count(name)) missing.push_back(name);
    for (const auto& [name, t] : file.tensors)
      if (!known.count(name)) unexpected.push_back(name);
    if (missing.empty() && unexpected.empty()) return;
    std::string hint = "; hint: was it saved from another kind of model?";
    if (unexpected.empty()) refuse("no tensor of the model may be missing", "no " + listed(missing) + hint);
    if (missing.empty()) refuse("each tensor must belong to the model", listed(unexpected) + hint);
    refuse("the tensors must be those of the model",
           fmt::format("{} in place of {}{}", listed(unexpected), listed(missing), hint));
  }
  std::string what_;
  std::unordered_map<std::string_view, Tensor> by_name_;
  std::vector<std::string> shapes_, dtypes_;
};

}  // namespace

void load(const Collector& into, io::SafeTensors file, const std::string& what) {
  // Check everything before changing anything, so that a refused file leaves the model as it was.
  StateLoader loader(into, file, what);
  std::vector<Tensor> values, buffers;
  for (const auto& p : into.parameters) values.push_back(loader.take(p.name, p.variable.value()));
  for (const auto& [name, buffer] : into.buffers) buffers.push_back(loader.take(name, *buffer));
  loader.finish();
  for (size_t i = 0; i < values.size(); ++i)
    if (int64_t at = first_not_finite(values[i], true); at >= 0)
      throw IoError(fmt::format("load: \"{}\": weights must be finite; got {} in {}", what,
                                values[i].contiguous().reshape({values[i].count()}).at({at}), into.parameters[i].name));
  std::unordered_map<const void*, size_t> tied;  // identity -> index of the first parameter with it
  for (size_t i = 0; i < values.size(); ++i) {
    auto [first, fresh] = tied.emplace(into.parameters[i].variable.identity(), i);
    if (!fresh && !bit_equal(values[first->second], values[i]))
      throw IoError(fmt::format("load: \"{}\": {} and {} are one tied parameter and must be equal", what,
                                into.parameters[first->second].name, into.parameters[i].name));
  }
  for (const auto& [identity, i] : tied) Variable(into.parameters[i].variable).set_value(values[i]);
  for (size_t i = 0; i < buffers.size(); ++i) *into.buffers[i].second = buffers[i];
}

io::SafeTensors save_generators(const Collector& from) {
  io::SafeTensors file;
  for (const auto& [name, g] : from.generators) file.metadata[name] = fmt::format("{} {}", g->seed(), g->offset());
  return file;
}

void load_generators(const Collector& into, const io::SafeTensors& file, const std::string& what) {
  std::vector<Generator> values;
  for (const auto& [name, unused] : into.generators) {
    auto found = file.metadata.find(name);
    if (found == file.metadata.end())
      throw IoError(fmt::format("load: \"{}\": the generator {} is missing", what, name));
    const std::string& text = found->second;
    uint64_t seed = 0, offset = 0;
    const char* end = text.data() + text.size();
    auto first = std::from_chars(text.data(), end, seed);
    bool good = first.ec == std::errc() && first.ptr != end && *first.ptr == ' ';
    if (good) {
      auto second = std::from_chars(first.ptr + 1, end, offset);
      good = second.ec == std::errc() && second.ptr == end;
    }
    if (!good)
      throw IoError(
          fmt::format("load: \"{}\": the generator {} must be a seed and an offset; got \"{}\"", what, name, text));
    values.emplace_back(seed, offset);
  }
  if (file.metadata.size() != values.size())
    throw IoError(fmt::format("load: \"{}\": the generators must be those of the model, {}; got {}", what,
                              values.size(), file.metadata.size()));
  for (size_t i = 0; i < values.size(); ++i) *into.generators[i].second = values[i];
}

void convert(const Collector& c, DType dtype) {
  if (!is_float(dtype)) throw DTypeError(fmt::format("convert: a model is f32 or f64; got {}", name_of(dtype)));
  for (auto p : unique(c.parameters)) p.variable.set_value(p.variable.value().to(dtype));
  for (const auto& [name, buffer] : c.buffers)
    if (is_float(buffer->dtype())) *buffer = buffer->to(dtype);
}

void copy_values(const Collector& from, const Collector& to) {
  std::unordered_map<const void*, size_t> first;  // where a tied parameter is met first
  for (size_t i = 0; i < from.parameters.size(); ++i) {
    if (auto [tied, is_new] = first.emplace(from.parameters[i].variable.identity(), i); !is_new) {
      *to.members[i] = *to.members[tied->second];
      continue;
    }
    Variable target = to.parameters[i].variable;
    target.set_value(from.parameters[i].variable.value().clone());
    target.set_requires_grad(from.parameters[i].variable.requires_grad());  // frozen parameters stay frozen
  }
  for (size_t i = 0; i < from.buffers.size(); ++i) *to.buffers[i].second = from.buffers[i].second->clone();
  for (size_t i = 0; i < from.generators.size(); ++i) *to.generators[i].second = *from.generators[i].second;
  for (size_t i = 0; i < from.modules.size(); ++i) to.modules[i]->training = from.modules[i]->training;
}

}  // namespace detail
}  // namespace heed::nn
