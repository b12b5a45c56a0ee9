// A sentence with padding before it is the sentence alone, whichever stages of attention meet. padding_properties.cpp
// tries each stage by itself; here random stages of all kinds are joined, since a scope that reads places and a
// rotation of queries and keys can be right alone and wrong together.
//
// Every trial draws its stages from the registry, so a new row joins by itself. B sentences of at most 10 words, S
// places, W = 8 the width of the model.
#include <fmt/format.h>

#include <optional>
#include <random>

#include "autograd/modes.h"
#include "nn/cases/small_stages.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/support.h"

namespace heed::nn_test {
namespace {

using nn::Kind;
constexpr int64_t W = 8;

struct Dice {
  std::mt19937_64 draws;
  int64_t below(int64_t n) { return static_cast<int64_t>(draws() % static_cast<uint64_t>(n)); }
  bool one_in(int64_t n) { return below(n) == 0; }
};

// A stage of the kind, or none; never one whose row says that padding before the words moves it.
nn::StageOptions drawn(Kind kind, Dice& dice) {
  std::vector<nn::CatalogueEntry> rows = nn::stage_entries(kind);
  const nn::CatalogueEntry& row = rows[static_cast<size_t>(dice.below(std::ssize(rows)))];
  const bool is_stage = row.score || row.scope || row.normaliser || row.position || row.evaluator;
  if (dice.one_in(2) || !is_stage || row.exempt.contains("padded_before_is_alone")) return {};
  nn::StageOptions stage{.name = row.name};
  if (kind != Kind::evaluator)
    return nn::small_stage(kind, stage, {.query = W / 2, .most = 3, .hidden = 5, .longest = 32, .one_width = true});
  for (const nn::OptionField& setting : row.settings)
    for (const char* small : {"chunk", "landmarks", "parts"})
      if (setting.name == small) stage.settings[small] = 3;
  return stage;
}

nn::MultiHeadOptions drawn_heads(Dice& dice, bool causal) {
  nn::MultiHeadOptions o{.model = W, .heads = 2};
  o.score = drawn(Kind::score, dice), o.scope = drawn(Kind::scope, dice), o.position = drawn(Kind::position, dice);
  o.normaliser = drawn(Kind::normaliser, dice), o.evaluator = drawn(Kind::evaluator, dice);
  if (causal) o.scope.name = o.scope.name.empty() ? "causal" : "causal&" + nn::text_of(Kind::scope, o.scope);
  if (causal) o.scope.settings = {};
  if (dice.one_in(4)) o.kv_heads = 1;
  if (dice.one_in(4)) o.around = {{"query_key_norm"}};
  return o;
}

std::string text_of(const nn::MultiHeadOptions& o) {
  return fmt::format("score {}, scope {}, position {}, normaliser {}, evaluator {}, {} kv heads", o.score.name,
                     o.scope.name, o.position.name, o.normaliser.name, o.evaluator.name, o.kv_heads);
}

// Rows that end in their words: x [B, S, W], words bool [B, S].
struct Rows {
  std::vector<int64_t> lengths;
  Tensor x, words;
  int64_t S() const { return x.size(1); }
  Tensor alone(const Tensor& of, int64_t b) const {
    return of.slice(0, b, b + 1).slice(1, S() - lengths[size_t(b)], S()).contiguous();
  }
};
Rows drawn_rows(Dice& dice, DType dtype) {
  Rows rows;
  int64_t S = 0;
  for (int64_t b = 1 + dice.below(3); b > 0; --b) rows.lengths.push_back(1 + dice.below(10));
  for (int64_t length : rows.lengths) S = std::max(S, length);
  S += dice.below(8);
  const auto B = std::ssize(rows.lengths);
  rows.x = random({B, S, W}, dice.draws(), dtype), rows.words = Tensor::zeros({B, S}, DType::boolean);
  for (int64_t b = 0; b < B; ++b)
    for (int64_t s = S - rows.lengths[size_t(b)]; s < S; ++s) rows.words.set({b, s}, 1);
  return rows;
}

std::optional<nn::MultiHeadAttention> built(const nn::MultiHeadOptions& o, DType dtype) {
  try {
    auto m = make<nn::MultiHeadAttention>(o, 1);
    nn::convert(m, dtype);
    nn::set_training(m, false);
    return m;
  } catch (const ValueError&) { return {}; } catch (const ShapeError&) {
    return {};
  }
}

// The numbers of a call and the gradient of its input, with the same weights for the words alone.
struct Answer {
  Tensor output, gradient;
};
template <class F>
Answer answer(const F& f, const Tensor& x, const Tensor& weights) {
  Variable input = leaf(x), y = f(input);
  return {y.value(), grad({sum(y * Variable(weights))}, {input})[0].value()};
}

// Self-attention in pieces of random sizes, as a prompt and the words after it are decoded.
Variable in_pieces(const nn::MultiHeadAttention& m, const Variable& x, const Tensor& words, Dice dice) {
  NoGrad carries_none;
  auto memory = m.memory();
  nn::AlignmentState state;
  std::vector<Variable> outputs;
  for (int64_t begin = 0, end = 0; begin < x.size(1); begin = end) {
    end = std::min(x.size(1), begin + 1 + dice.below(4));
    Tensor kept = words.defined() ? words.slice(1, memory->kept_after(end - begin).first, end).contiguous() : words;
    outputs.push_back(m.extend(slice(x, 1, begin, end), *memory, {.words = kept, .state = &state}).output);
  }
  return concat(outputs, 1);
}

TEST_CASE("padding before the words: random stages together read the sentence alone") {
  Dice dice{std::mt19937_64(20)};
  int tried = 0, stepped = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const bool causal = dice.one_in(2);
    const DType dtype = dice.one_in(2) ? DType::f32 : DType::f64;
    const nn::MultiHeadOptions o = drawn_heads(dice, causal);
    const Rows rows = drawn_rows(dice, dtype);
    const auto m = built(o, dtype);
    if (!m || (!m->normaliser->row_wise() && rows.S() > 0)) continue;
    CAPTURE(trial);
    CAPTURE(text_of(o));
    CAPTURE(std::string(name_of(dtype)));
    CAPTURE(rows.S());
    const Tensor weights = masked_fill(random(rows.x.shape(), 7, dtype), logical_not(rows.words).unsqueeze(-1), 0);
    const Answer all =
        answer([&](const Variable& x) { return (*m)(x, {.words = rows.words}).output; }, rows.x, weights);
    const double bound = dtype == DType::f64 ? 1e-9 : 1e-3;
    ++tried;
    for (int64_t b = 0; b < rows.x.size(0); ++b) {
      CAPTURE(rows.lengths[size_t(b)]);
      const Answer one =
          answer([&](const Variable& x) { return (*m)(x).output; }, rows.alone(rows.x, b), rows.alone(weights, b));
      CHECK(relative_error(rows.alone(all.output, b), one.output) <= bound);
      CHECK(relative_error(rows.alone(all.gradient, b), one.gradient) <= 10 * bound);
    }
    if (!causal) continue;
    ++stepped;
    const Tensor pieces = in_pieces(*m, Variable(rows.x), rows.words, dice).value();
    for (int64_t b = 0; b < rows.x.size(0); ++b) {
      CAPTURE(rows.lengths[size_t(b)]);
      CHECK(relative_error(rows.alone(pieces, b), rows.alone(all.output, b)) <= bound);
    }
  }
  CHECK(tried > 300);
  CHECK(stepped > 150);
}

// The second layer reads the keys of the first at places that count from the same word.
TEST_CASE("padding before the words: a layer with shared keys reads them at their places") {
  NoGrad no_grad;
  Dice dice{std::mt19937_64(21)};
  for (const std::string scope : {"global", "window:2", "prefix:2", "block_local:3"})
    for (const std::string position : {"none", "alibi", "rope", "xpos"}) {
      CAPTURE(scope);
      CAPTURE(position);
      nn::TransformerLayerOptions layer{.model = W, .heads = 2, .inner = 5, .causal = true};
      layer.scope = nn::stage_from(Kind::scope, scope), layer.position = nn::stage_from(Kind::position, position);
      auto stack = make<nn::TransformerStack>({.layer = layer, .layers = 2, .shared_keys = 2}, 3);
      nn::convert(stack, DType::f64);
      const Rows rows = drawn_rows(dice, DType::f64);
      const Tensor all = stack(Variable(rows.x), {.self = {.words = rows.words}}).output.value();
      std::vector<nn::LayerCache> caches;
      std::vector<Variable> steps;
      for (int64_t t = 0; t < rows.S(); ++t)
        steps.push_back(
            stack(Variable(rows.x.slice(1, t, t + 1)), {.self = {.words = rows.words.slice(1, 0, t + 1)}}, &caches)
                .output);
      for (int64_t b = 0; b < rows.x.size(0); ++b) {
        const Tensor one = stack(Variable(rows.alone(rows.x, b))).output.value();
        CHECK(relative_error(rows.alone(all, b), one) <= 1e-9);
        CHECK(relative_error(rows.alone(concat(steps, 1).value(), b), one) <= 1e-9);
      }
    }
}

// Two sentences in one row, as packing makes them: nobody gives their places, so what reads places must be refused.
TEST_CASE("packed rows: random stages together read each sentence alone, or are refused") {
  NoGrad no_grad;
  Dice dice{std::mt19937_64(22)};
  int packed = 0, refused = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const nn::MultiHeadOptions o = drawn_heads(dice, false);
    nn::TransformerLayerOptions layer{.model = W, .heads = 2, .inner = 5, .causal = dice.one_in(2)};
    layer.score = o.score, layer.scope = o.scope, layer.position = o.position;
    layer.normaliser = o.normaliser, layer.evaluator = o.evaluator;
    std::optional<nn::TransformerStack> stack;
    try {
      stack.emplace(make<nn::TransformerStack>({.layer = layer, .layers = 1}, 3));
    } catch (const ValueError&) { continue; } catch (const ShapeError&) {
      continue;
    }
    nn::convert(*stack, DType::f64);
    nn::set_training(*stack, false);
    try {
      stack->require_distances("packed rows");
    } catch (const ValueError&) {
      ++refused;
      continue;
    }
    CAPTURE(trial);
    CAPTURE(text_of(o));
    CAPTURE(layer.causal);
    const int64_t first = 1 + dice.below(6), S = first + 1 + dice.below(6);
    const Tensor x = random({1, S, W}, dice.draws(), DType::f64);
    Tensor allowed = Tensor::zeros({1, S, S}, DType::boolean);
    for (int64_t t = 0; t < S; ++t)
      for (int64_t s = 0; s < S; ++s) allowed.set({0, t, s}, (t < first) == (s < first));
    Tensor all;
    try {
      all = (*stack)(Variable(x), {.self = {.allowed = allowed}}).output.value();
    } catch (const ValueError&) {  // an evaluator that reads no such mask
      ++refused;
      continue;
    }
    for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{0, first}, {first, S}}) {
      const Tensor one = (*stack)(Variable(x.slice(1, begin, end).contiguous())).output.value();
      CHECK(relative_error(all.slice(1, begin, end).contiguous(), one) <= 1e-9);
    }
    ++packed;
  }
  CHECK(packed > 200);
  CHECK(refused > 100);
}

}  // namespace
}  // namespace heed::nn_test
