// The list of what can be around attention: one line each, the outermost first.
#include <fmt/format.h>

#include <algorithm>

#include "nn/attention/around/attention_gate.h"
#include "nn/attention/around/head_scale.h"
#include "nn/attention/around/pruned_heads.h"
#include "nn/attention/around/query_key_norm.h"
#include "nn/attention/around/score_residual.h"
#include "nn/attention/around/value_residual.h"
#include "tensor/error.h"

namespace heed::nn {
namespace {

template <class Wrapper>
AroundRow around() {
  AroundRow row{.about = &Wrapper::about,
                .help = Wrapper::help,
                .passes = false,
                .refuses_scopes = nullptr,
                .examples = {},
                .require = nullptr,
                .make = [](const AroundOptions& o, Generator& rng) -> std::unique_ptr<Around> {
                  if constexpr (requires { Wrapper::acts(o); })
                    if (!Wrapper::acts(o)) return nullptr;
                  return std::make_unique<Wrapper>(o, rng);
                }};
  if constexpr (requires { Wrapper::passes; }) row.passes = Wrapper::passes;
  if constexpr (requires { Wrapper::refuses_scopes; }) row.refuses_scopes = Wrapper::refuses_scopes;
  if constexpr (requires { Wrapper::examples; })
    row.examples = {Wrapper::examples.begin(), Wrapper::examples.end()}, row.require = Wrapper::require;
  return row;
}

}  // namespace

const std::vector<AroundRow>& around_rows() {
  static const std::vector<AroundRow> rows = {
      around<QueryKeyNorm>(),  around<AttentionGate>(), around<HeadScale>(),
      around<ValueResidual>(), around<ScoreResidual>(), around<PrunedHeads>(),
  };
  return rows;
}

const AroundRow& around_row(const std::string& name) {
  std::string known;
  for (const AroundRow& row : around_rows()) {
    if (row.about->name() == name) return row;
    known += (known.empty() ? "" : ", ") + std::string(row.about->name());
  }
  throw ValueError(fmt::format("around: nothing of this name; got `{}`; there are {}", name, known));
}

void require_alike(const char* owner, const std::string& name, bool differ) {
  if (const char* why = around_row(name).refuses_scopes; why && differ)
    throw ValueError(fmt::format("{}: {}; got {} in layers that differ (mixers)", owner, why, name));
}

std::vector<std::unique_ptr<Around>> make_arounds(const Arounds& chosen, AroundOptions options, Generator& rng) {
  std::vector<std::unique_ptr<Around>> made;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const ChosenAround& one = chosen[i];
    if (std::any_of(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const ChosenAround& before) { return before.name == one.name; }))
      throw ValueError(fmt::format("around: each name must be given once; got {} twice", one.name));
    if (!around_row(one.name).require && !one.text.empty())
      throw ValueError(fmt::format("around: {} takes no text; got `{}`", one.name, one.text));
    options.text = one.text;
    if (auto wrapper = around_row(one.name).make(options, rng)) made.push_back(std::move(wrapper));
  }
  return made;
}

}  // namespace heed::nn
