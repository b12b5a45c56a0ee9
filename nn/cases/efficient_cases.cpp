// Cases of the later evaluators in nn/attention/evaluators/: kernels, parts of the keys, landmarks.
#include "nn/attention/structures/multi_head.h"
#include "nn/cases/examples.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;
using Heads = nn::MultiHeadAttention;

nn::MultiHeadOptions heads(const std::string& evaluator, const std::string& scope, int64_t groups = 2) {
  nn::MultiHeadOptions o{.model = 4, .heads = 2, .scope = {.name = scope}};
  o.kv_heads = groups, o.evaluator = nn::stage_from(nn::Kind::evaluator, evaluator);
  return o;
}
auto self(const nn::HeadMasks& masks) {
  return [masks](Heads& m, In in) { return both(m(in[0], masks)); };
}
const std::vector<Shape> kInput{{2, 3, 4}};

// A running state carries gradients.
Variable word_by_word(Heads& m, In in) {
  auto memory = m.memory();
  std::vector<Variable> outputs;
  for (int64_t t = 0; t < 3; ++t)
    outputs.push_back(m.extend(slice(in[0], 1, t, t + 1), *memory, {.words = words().slice(1, 0, t + 1)}).output);
  return concat(outputs, 1);
}

CaseRow kernels() {
  std::vector<Case> cases;
  for (const std::string name : {"performer:3", "random_features:3", "cosformer:8", "dpfp:2", "hedgehog:1"}) {
    std::string chunks = name + ",chunk=2";
    cases.push_back(module_case<Heads>(name + ", all words", heads(chunks, "global"), kInput, self({})));
    cases.push_back(module_case<Heads>(name + ", weights shown", heads(chunks, "global"), kInput,
                                       self({.words = no_words(), .weights = true})));
    cases.push_back(module_case<Heads>(name + ", causal, a group of keys", heads(chunks, "causal", 1), kInput,
                                       self({.words = words()})));
    cases.push_back(module_case<Heads>(name + ", causal, word by word", heads(chunks, "causal"), kInput, word_by_word));
  }
  return nn::module_row("kernel attention", std::move(cases));
}

CaseRow parts() {
  nn::MultiHeadOptions biased = heads("split:2", "causal");
  biased.position.name = "rope";
  auto with_bias = [](Heads& m, In in) { return m(in[0], {.bias = in[1]}).output; };
  return nn::module_row("split attention",
                        {module_case<Heads>("two parts, a sentence without words", heads("split:2", "global"), kInput,
                                            self({.words = no_words()})),
                         module_case<Heads>("a part for each key, causal, a group of keys",
                                            heads("split:5", "causal", 1), kInput, self({})),
                         module_case<Heads>("two parts, rope and a bias", biased, {{2, 3, 4}, {2, 3, 3}}, with_bias)});
}

CaseRow landmarks() {
  const std::string two = "nystrom:2,iterations=4";
  auto cross = [](Heads& m, In in) { return both(m(in[0], in[1], in[1], {.words = words(), .weights = true})); };
  return nn::module_row(
      "landmark attention",
      {module_case<Heads>("two landmarks", heads(two, "global"), kInput, self({})),
       module_case<Heads>("padding, weights shown", heads(two, "global"), kInput,
                          self({.words = words(), .weights = true})),
       module_case<Heads>("a sentence without words, a group of keys", heads(two, "global", 1), kInput,
                          self({.words = no_words()})),
       module_case<Heads>("other queries than keys", heads(two, "global"), {{2, 2, 4}, {2, 3, 4}}, cross)});
}

}  // namespace

std::vector<CaseRow> efficient_cases() { return {kernels(), parts(), landmarks()}; }

}  // namespace heed
