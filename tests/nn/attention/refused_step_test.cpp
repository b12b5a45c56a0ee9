// A step that is refused leaves no word in the memory: what is asked next gets the same bits as if nobody had asked.
//
// The subjects are made from the registry: every mixer, every stage of multi-head attention, and stacks of layers,
// whose later layers may refuse what the first has taken already. B = 2 sentences, W = 8 the width of the model.
#include "autograd/modes.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/cases/small_stages.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/support.h"

namespace heed::nn_test {
namespace {

using nn::Kind;
constexpr int64_t W = 8;
const nn::SmallSizes kSmallSizes{.query = W / 2, .most = 3, .hidden = 5, .longest = 16, .one_width = true};

// What continues a sequence: x [B, n, W], and what goes with it.
struct Reader {
  std::function<Tensor(const Variable& x, const nn::HeadMasks& masks)> step;
};
using NewReader = std::function<Reader()>;

// What no reader of 4 words may take, when 3 of them are there. A reader that has no use for a mask may refuse it for
// that.
struct Bad {
  const char* what;
  Tensor x;
  nn::HeadMasks masks;
};
std::vector<Bad> bad_steps() {
  const Tensor x = random({2, 1, W}, 8);
  auto mask = [](const Shape& shape) { return Tensor::full(shape, 1, DType::boolean); };
  return {{"a mask of too many words", x, {.words = mask({2, 9})}},
          {"a mask of too few words", x, {.words = mask({2, 1})}},
          {"a mask of another batch", x, {.words = mask({3, 4})}},
          {"a mask of numbers", x, {.words = Tensor::ones({2, 4})}},
          {"words that are too narrow", random({2, 1, W - 1}, 8), {}},
          {"words of another batch", random({3, 1, W}, 8), {}},
          {"no sequence", random({2, W}, 8), {}}};
}
std::vector<Bad> bad_steps_of_heads() {
  const Tensor x = random({2, 1, W}, 8);
  std::vector<Bad> all = bad_steps();
  all.push_back({"an attention mask of other words", x, {.allowed = Tensor::full({1, 9}, 1, DType::boolean)}});
  all.push_back({"a bias of other words", x, {.bias = Variable(Tensor::zeros({1, 9}))}});
  all.push_back({"factors of other heads", x, {.heads = Variable(Tensor::ones({5}))}});
  return all;
}

// The words after three, in one step and one more: of a reader that was asked the bad step in between, and of another.
void check(const NewReader& reader, const std::vector<Bad>& steps) {
  const Tensor x = random({2, 6, W}, 4);
  auto rest = [&](Reader& r) {
    return std::vector<Tensor>{r.step(Variable(x.slice(1, 3, 5)), {}), r.step(Variable(x.slice(1, 5, 6)), {})};
  };
  for (const Bad& bad : steps) {
    const std::string what = bad.what;
    CAPTURE(what);
    Reader undisturbed = reader(), asked = reader();
    undisturbed.step(Variable(x.slice(1, 0, 3)), {});
    asked.step(Variable(x.slice(1, 0, 3)), {});
    CHECK_THROWS_AS(asked.step(Variable(bad.x), bad.masks), Error);
    CHECK(same_bits(rest(asked), rest(undisturbed)));
  }
}

NewReader reader_of(const nn::MultiHeadAttention& m) {
  return [&m] {
    auto memory = std::shared_ptr<nn::AttentionMemory>(m.memory());
    auto state = std::make_shared<nn::AlignmentState>();
    return Reader{[&m, memory, state](const Variable& x, nn::HeadMasks masks) {
      masks.state = state.get();
      return m.extend(x, *memory, masks).output.value();
    }};
  };
}

TEST_CASE("a refused step leaves the memory as it was: mixers") {
  NoGrad no_grad;
  int tried = 0;
  for (const nn::CatalogueEntry& row : nn::stage_entries(Kind::mixer)) {
    if (row.exempt.contains(nn::kLaterWordsAreNotRead)) continue;
    CAPTURE(row.name);
    Generator rng(1);
    std::unique_ptr<nn::Mixer> m =
        nn::make_mixer({.name = row.name, .query = W, .key = W, .heads = 2, .causal = true}, rng);
    nn::set_training(*m, false);
    ++tried;
    check(
        [&] {
          auto memory = std::shared_ptr<nn::AttentionMemory>(m->memory());
          return Reader{[&m, memory](const Variable& x, const nn::HeadMasks& masks) {
            return m->extend(x, *memory, {.words = masks.words}).output.value();
          }};
        },
        bad_steps());
  }
  CHECK(tried > 15);
}

TEST_CASE("a refused step leaves the memory as it was: every stage of multi-head attention") {
  NoGrad no_grad;
  int tried = 0;
  for (Kind kind : {Kind::score, Kind::normaliser, Kind::scope, Kind::position, Kind::evaluator})
    for (const nn::CatalogueEntry& row : nn::stage_entries(kind)) {
      if (!row.score && !row.normaliser && !row.scope && !row.position && !row.evaluator) continue;
      CAPTURE(row.name);
      nn::MultiHeadOptions o{.model = W, .heads = 2, .scope = {.name = "causal"}};
      nn::StageOptions stage{.name = row.name};
      if (kind != Kind::evaluator) stage = nn::small_stage(kind, stage, kSmallSizes);
      if (kind == Kind::scope) o.scope.name = "causal&" + nn::text_of(kind, stage);
      if (kind == Kind::score) o.score = stage;
      if (kind == Kind::normaliser) o.normaliser = stage;
      if (kind == Kind::position) o.position = stage;
      if (kind == Kind::evaluator) o.evaluator = stage;
      std::unique_ptr<nn::MultiHeadAttention> m;
      try {
        m = std::make_unique<nn::MultiHeadAttention>(make<nn::MultiHeadAttention>(o, 1));
      } catch (const Error&) { continue; }  // never causal
      nn::set_training(*m, false);
      ++tried;
      check(reader_of(*m), bad_steps_of_heads());
    }
  CHECK(tried > 60);
}

TEST_CASE("a refused step leaves the memory as it was: stacks, where a later part refuses") {
  NoGrad no_grad;
  nn::TransformerLayerOptions layer{.model = W, .heads = 2, .inner = 5, .causal = true};
  nn::TransformerLayerOptions decoder = layer;
  decoder.cross = true;
  const auto mixed =
      make<nn::TransformerStack>({.layer = layer, .layers = 2, .mixers = {{}, {.mixer = {.name = "average"}}}}, 3);
  const auto shared = make<nn::TransformerStack>({.layer = layer, .layers = 2, .shared_keys = 2}, 3);
  const auto translating = make<nn::TransformerStack>({.layer = decoder, .layers = 2}, 3);
  const Variable source(random({2, 5, W}, 9));
  auto reader = [&](const nn::TransformerStack& stack, bool cross) -> NewReader {
    return [&stack, cross, source] {
      auto caches = std::make_shared<std::vector<nn::LayerCache>>();
      return Reader{[&stack, cross, source, caches](const Variable& x, const nn::HeadMasks& masks) {
        nn::LayerInput in{.self = masks};
        if (cross) in.memory = source;
        if (cross) in.cross.bias = masks.bias, in.self.bias = {};
        return stack(x, in, caches.get()).output.value();
      }};
    };
  };
  std::vector<Bad> refused = bad_steps_of_heads();
  refused.push_back({"a mask that a mixer does not take",
                     random({2, 1, W}, 8),
                     {.allowed = Tensor::full({1, 4}, 1, DType::boolean)}});
  check(reader(mixed, false), refused);
  check(reader(shared, false), bad_steps_of_heads());
  check(reader(translating, true), bad_steps_of_heads());
  // A layer by itself, whose cross-attention refuses.
  const nn::TransformerLayer& first = translating.layers[0];
  check(
      [&] {
        auto cache = std::make_shared<nn::LayerCache>();
        return Reader{[&first, source, cache](const Variable& x, const nn::HeadMasks& masks) {
          return first(x, {.memory = source, .cross = {.bias = masks.bias}}, cache.get()).output.value();
        }};
      },
      {{"a bias of other words", random({2, 1, W}, 8), {.bias = Variable(Tensor::zeros({1, 9}))}}});
}

}  // namespace
}  // namespace heed::nn_test
