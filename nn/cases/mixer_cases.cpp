// Cases of nn/attention/mixers/: every row of the registry, so that a new mixer needs nothing here.
#include "nn/attention/mixers/mixer.h"
#include "nn/cases/build.h"
#include "nn/cases/small_stages.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;

struct Held : nn::Module {  // a mixer by its options
  using Options = nn::MixerOptions;
  Held(const Options& o, Generator& rng) : mixer(nn::make_mixer(o, rng)) {}
  void visit(nn::Visitor& v) { mixer->visit(v); }
  std::unique_ptr<nn::Mixer> mixer;
};

}  // namespace

// Every mixer of the registry: whole, with padding, with a sentence without words, and word by word where it is causal.
std::vector<CaseRow> mixer_cases() {
  auto both = [](const nn::Mixed& m) { return m.weights.defined() ? nn::together({m.output, m.weights}) : m.output; };
  auto whole = [both](nn::MixerInput how) { return [=](Held& m, In in) { return both((*m.mixer)(in[0], how)); }; };
  auto stepwise = [](Held& m, In in) {
    auto memory = m.mixer->memory();
    std::vector<Variable> outputs;
    for (int64_t t = 0; t < 3; ++t) outputs.push_back(m.mixer->extend(slice(in[0], 1, t, t + 1), *memory, {}).output);
    return concat(outputs, 1);
  };
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 3}), none = Tensor::from_bools({1, 0, 1, 0, 0, 0}, {2, 3});
  std::vector<CaseRow> rows;
  for (const nn::CatalogueEntry& entry : nn::entries_with_cases(nn::Kind::mixer)) {
    nn::MixerOptions o = nn::small_stage(nn::Kind::mixer, {.name = entry.name}, {.most = 2});
    o.query = o.key = 4, o.heads = 2;
    nn::MixerOptions causal = o;
    causal.causal = true;
    const std::vector<Shape> x{{2, 3, 4}};
    std::vector<Case> cases{module_case<Held>("words, weights shown", o, x, whole({.words = words, .weights = true})),
                            module_case<Held>("a sentence without words", o, x, whole({.words = none}))};
    if (!entry.exempt.contains(nn::kLaterWordsAreNotRead)) {
      cases.push_back(module_case<Held>("causal", causal, x, whole({})));
      cases.push_back(module_case<Held>("causal, word by word", causal, x, stepwise));
    }
    rows.push_back(nn::module_row(nn::own_case_row(entry), std::move(cases)));
  }
  return rows;
}

}  // namespace heed
