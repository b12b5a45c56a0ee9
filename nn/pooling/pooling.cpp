#include "nn/pooling/pooling.h"

#include <fmt/format.h>

#include <map>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

PoolingOptions checked(PoolingOptions o) {
  if (o.modes.empty()) throw ValueError("Pooling: needs at least one mode; got none");
  if (o.width < 1) throw ValueError(fmt::format("Pooling: width must be at least 1; got {}", o.width));
  return o;
}

}  // namespace

std::unique_ptr<Pooler> make_pooler(const std::string& text, int64_t width, const ScoreOptions& score, Generator& rng) {
  StageOptions stage = stage_from(poolings(), text);
  return stage_entry(poolings(), stage.name)
      .pooling({.name = stage.name, .width = width, .settings = stage.settings, .score = score}, rng);
}

Pooling::Pooling(const Options& o, Generator& rng) : options(checked(o)) {
  for (const std::string& mode : options.modes) parts.push_back(make_pooler(mode, o.width, o.score, rng));
}

Variable Pooling::operator()(const Variable& x, const Tensor& words) const {
  Call call(*this);
  if (x.rank() != 3 || x.size(2) != options.width)
    throw ShapeError(fmt::format("Pooling: needs x [B, S, {}]; got {}", options.width, to_string(x.shape())));
  if (words.defined() && (words.dtype() != DType::boolean || words.shape() != Shape{x.size(0), x.size(1)}))
    throw ShapeError(fmt::format("Pooling: words must be bool [{}, {}], one for each word of x; got {} {}", x.size(0),
                                 x.size(1), name_of(words.dtype()), to_string(words.shape())));
  std::vector<Variable> all;
  for (const auto& part : parts) all.push_back((*part)(x, words));
  return call.result("output", all.size() == 1 ? all[0] : concat(all, -1));
}

int64_t Pooling::width() const {
  int64_t sum = 0;
  for (const auto& part : parts) sum += part->width();
  return sum;
}

void Pooling::visit(Visitor& v) {
  std::map<std::string, int> seen;
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string name = options.modes[i].substr(0, options.modes[i].find(':'));
    int which = ++seen[name];
    v.child(which == 1 ? name : fmt::format("{}_{}", name, which), *parts[i]);
  }
}

}  // namespace heed::nn
