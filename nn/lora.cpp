#include "nn/lora.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/init.h"

namespace heed::nn {
namespace {

// Does the name fit a pattern, in which * stands for any text? What follows the last * is tried at one place more each
// time that the name does not go on as the pattern.
bool fits_one(std::string_view name, std::string_view pattern) {
  constexpr size_t kNone = std::string_view::npos;
  size_t n = 0, p = 0, star = kNone, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*')
      star = p++, from = n;
    else if (p < pattern.size() && pattern[p] == name[n])
      ++p, ++n;
    else if (star != kNone)
      p = star + 1, n = ++from;
    else
      return false;
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::vector<std::string_view> patterns_of(std::string_view text) {  // between commas
  std::vector<std::string_view> all;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    if (end > at) all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

// The name without .weight, as patterns have it.
std::string matrix_name(const std::string& parameter) { return parameter.substr(0, parameter.rfind(".weight")); }

// The names of a model's matrices, a number in them as *: "decoder.blocks.*.self.q_proj, ..", six of them.
std::string examples_of(const detail::Collector& model) {
  std::vector<std::string> names;
  for (const NamedVariable& p : model.parameters) {
    if (p.variable.rank() != 2) continue;
    std::string name;
    for (char c : matrix_name(p.name)) {
      const bool digit = c >= '0' && c <= '9', part = digit && (name.ends_with('.') || name.ends_with('*'));
      if (!part)
        name += c;
      else if (!name.ends_with('*'))
        name += '*';
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  const size_t shown = std::min<size_t>(names.size(), 6);
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     names.size() > shown ? ", .." : "");
}

LoraOptions checked_lora(const LoraOptions& o) {
  if (o.rank < 1 || o.rank > std::min(o.in, o.out))
    throw ValueError(
        fmt::format("Lora: the rank must be from 1 to the smaller side of the matrix; got rank {} for [{}, {}]", o.rank,
                    o.out, o.in));
  return o;
}

}  // namespace

bool fits_pattern(const std::string& name, const std::string& patterns) {
  const std::vector<std::string_view> all = patterns_of(patterns);
  return std::any_of(all.begin(), all.end(), [&](std::string_view one) { return fits_one(name, one); });
}

Lora::Lora(const Options& o, Generator& rng)
    : options(checked_lora(o)),
      a(normal_parameter({o.rank, o.in}, 1 / std::sqrt(static_cast<double>(o.in)), rng)),  // A x is as large as x
      b(zeros_parameter({o.out, o.rank})) {}
Variable Lora::operator()(const Variable& x) const {
  Call call(*this);
  return call.result("output", linear(linear(x, a, {}), b, {}) * scale());
}
Variable Lora::product() const { return matmul(b, a) * scale(); }

LoraModel::LoraModel(const detail::Collector& model, const LoraChoice& choice, Generator& rng) {
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    const NamedVariable& p = model.parameters[i];
    const std::string name = matrix_name(p.name);
    if (p.variable.rank() != 2 || !fits_pattern(name, choice.where)) continue;
    if (fits_pattern(p.name, choice.train)) continue;  // it is trained whole
    auto is_this = [&](const Layer& one) { return one.frozen.same_as(p.variable); };
    if (std::any_of(layers_.begin(), layers_.end(), is_this)) continue;
    if (choice.rank > std::min(p.variable.size(0), p.variable.size(1)))
      throw ValueError(
          fmt::format("LoraModel: the rank must be at most the smaller side of every matrix that the pattern fits; got "
                      "rank {} and \"{}\", which fits {} {}; hint: a narrower pattern, such as {}",
                      choice.rank, choice.where, name, to_string(p.variable.shape()), LoraChoice().where));
    ParameterDType dtype(p.variable.dtype());
    layers_.push_back(
        {name,
         p.variable,
         {},
         Lora({.in = p.variable.size(1), .out = p.variable.size(0), .rank = choice.rank, .alpha = choice.alpha}, rng)});
  }
  std::vector<std::string_view> patterns = patterns_of(choice.where);
  if (patterns.empty()) patterns.push_back(choice.where);
  for (std::string_view one : patterns) {  // one that fits nothing is a slip, and less would be trained
    auto fits = [&](const NamedVariable& p) { return p.variable.rank() == 2 && fits_one(matrix_name(p.name), one); };
    if (layers_.empty() || std::none_of(model.parameters.begin(), model.parameters.end(), fits))
      throw ValueError(fmt::format("LoraModel: a pattern must fit the name of a matrix; got \"{}\"; hint: there are {}",
                                   one, examples_of(model)));
  }
  for (Layer& one : layers_)  // a tied matrix is in several places, whatever they are called
    for (size_t i = 0; i < model.parameters.size(); ++i)
      if (one.frozen.same_as(model.parameters[i].variable)) one.slots.push_back(model.members[i]);
  for (const NamedVariable& p : detail::unique(model.parameters)) {
    Variable parameter = p.variable;
    const bool wanted = fits_pattern(p.name, choice.train);
    parameter.set_requires_grad(wanted);
    if (wanted) others_.push_back({p.name, parameter});
  }
}

void LoraModel::set(Variable value, size_t layer) {
  for (Variable* slot : layers_[layer].slots) *slot = value;
}
void LoraModel::apply() {
  for (size_t i = 0; i < layers_.size(); ++i) set(layers_[i].frozen + layers_[i].lora.product(), i);
}
void LoraModel::merge() {
  NoGrad guard;
  apply();
}
void LoraModel::restore() {
  for (size_t i = 0; i < layers_.size(); ++i) set(layers_[i].frozen, i);
}

std::vector<NamedVariable> LoraModel::trained() const {
  std::vector<NamedVariable> all = named_parameters(const_cast<LoraModel&>(*this));  // visit only lists them
  all.insert(all.end(), others_.begin(), others_.end());
  return all;
}

void LoraModel::visit(Visitor& v) {
  for (Layer& one : layers_) v.child(one.name, one.lora);
}

}  // namespace heed::nn
