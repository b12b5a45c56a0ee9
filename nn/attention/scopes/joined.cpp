#include "nn/attention/scopes/joined.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/attention/registry.h"
#include "nn/attention/scopes/compares_keys.h"

namespace heed::nn {

JoinedScope::JoinedScope(const Options& o, Generator& rng) : options(o), all_(o.name.find('|') == std::string::npos) {
  if (!o.settings.empty())
    throw ValueError(
        fmt::format("scope: settings of joined scopes stand in their names; got `{}` and others beside it; "
                    "hint: causal&window:64",
                    o.name));
  char sign = all_ ? '&' : '|';
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = options.name.find(sign, begin);
    ScopeOptions part =
        stage_from(Kind::scope, options.name.substr(begin, end == std::string::npos ? end : end - begin));
    part.query = o.query, part.key = o.key, part.heads = o.heads, part.layer = o.layer, part.layers = o.layers;
    parts.push_back(make_scope(part, rng));
  }
  if (!all_ && modulates())
    throw ValueError(
        fmt::format("scope: | joins masks; got a scope that scales weights in `{}`; join it by &", o.name));
}

bool JoinedScope::causal() const {
  auto of = [](const auto& part) { return part->causal(); };
  return all_ ? std::any_of(parts.begin(), parts.end(), of) : std::all_of(parts.begin(), parts.end(), of);
}

bool compares_keys(const Scope& scope) {
  const auto* joined = dynamic_cast<const JoinedScope*>(&scope);
  if (!joined) return dynamic_cast<const ComparesKeys*>(&scope) != nullptr;
  return std::any_of(joined->parts.begin(), joined->parts.end(), [](const auto& part) { return compares_keys(*part); });
}

bool JoinedScope::by_place() const {
  return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part->by_place(); });
}

bool JoinedScope::needs_whole_source() const {
  return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part->needs_whole_source(); });
}

bool JoinedScope::modulates() const {
  return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part->modulates(); });
}

bool JoinedScope::rows_sum_to_one() const {
  return std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part->rows_sum_to_one(); });
}

bool JoinedScope::only_limits_order() const {
  return all_ && std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part->only_limits_order(); });
}

std::optional<int64_t> JoinedScope::reach() const {
  std::optional<int64_t> joined = parts[0]->reach();
  for (size_t i = 1; i < parts.size(); ++i) {
    std::optional<int64_t> next = parts[i]->reach();
    if (all_)
      joined = joined && next ? std::min(*joined, *next) : joined ? joined : next;
    else
      joined = joined && next ? std::optional(std::max(*joined, *next)) : std::nullopt;
  }
  return joined;
}

Restriction JoinedScope::operator()(const Variable& query, const Variable& keys, StageContext& context) const {
  Restriction joined = (*parts[0])(query, keys, context);
  for (size_t i = 1; i < parts.size(); ++i) {
    Restriction next = (*parts[i])(query, keys, context);
    joined = all_ ? all_of(joined, next) : any_of(joined, next, context.places);
  }
  return joined;
}

void JoinedScope::visit(Visitor& v) {
  for (size_t i = 0; i < parts.size(); ++i) v.child(fmt::format("{}", i), *parts[i]);
}

}  // namespace heed::nn
