// Layers that share keys and values with an earlier one.
#include "autograd/modes.h"
#include "nn/attention/registry.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr int64_t D = 8;

nn::TransformerStackOptions stack(int64_t shared, const std::string& scope, const std::string& position,
                                  int64_t groups) {
  nn::TransformerLayerOptions layer{.model = D, .heads = 4, .inner = 6, .causal = true, .kv_heads = groups};
  layer.scope = nn::stage_from(nn::Kind::scope, scope), layer.position.name = position,
  layer.around = {{"query_key_norm"}};
  return {.layer = layer, .layers = 4, .shared_keys = shared};
}

nn::TransformerStack made(const nn::TransformerStackOptions& o) {
  nn::TransformerStack m = make<nn::TransformerStack>(o, 3);
  nn::convert(m, kF64);
  return m;
}

}  // namespace

// The second of two layers is attention with the keys and values of the first.
TEST_CASE("shared keys: the second of two layers is attention with the keys and values of the first" *
          holds("second_layer_reads_the_first")) {
  nn::TransformerStack m = made(stack(2, "global", "rope", 2));
  Variable x(random({2, 5, D}, 1, kF64));
  nn::Passed passed;
  nn::HeadMasks masks{.passed = &passed};
  const nn::TransformerLayer &first = m.layers[0], &second = m.layers[1];
  nn::HeadMemory memory = first.self_attn->remember(x, x);
  (*first.self_attn)(x, masks);
  CHECK(max_abs_difference(passed.left["keys"].value(), memory.keys.value()) == 0);
  Variable y(random({2, 5, D}, 2, kF64));
  Tensor seen = (*second.self_attn)(y, masks).output.value();
  CHECK(max_abs_difference(seen, (*second.self_attn)(y, memory).output.value()) == 0);
  // The third has keys of its own again.
  CHECK(!m.layers[0].options.shared_keys);
  CHECK(m.layers[1].options.shared_keys);
  CHECK(!m.layers[2].options.shared_keys);
  const int64_t saved = 2 * (D / 2) * (D + 1) + 2;  // keys, values and their biases, the norm of keys
  CHECK(nn::count_parameters(made(stack(1, "global", "rope", 2))) - nn::count_parameters(m) == 2 * saved);
}

// Word by word gives what all words give, and the cache is smaller by the layers that share.
TEST_CASE("shared keys: word by word it is the whole, and the cache is smaller by the layers that share" *
          holds("shared_cache_is_the_whole")) {
  NoGrad off;
  for (const std::string scope : {"global", "window:2"})
    for (const std::string position : {"none", "rope", "shaw", "t5"}) {
      CAPTURE(scope);
      CAPTURE(position);
      nn::TransformerStack m = made(stack(3, scope, position, 4)), plain = made(stack(1, scope, position, 4));
      nn::set_training(m, false);
      Variable x(random({2, 7, D}, 1, kF64));
      Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1}, {2, 7});
      Tensor whole = m(x, {.self = {.words = words}}).output.value();
      std::vector<nn::LayerCache> caches, of_plain;
      for (int64_t t = 0; t < 7; t += t == 2 ? 2 : 1) {
        const int64_t n = t == 2 ? 2 : 1;
        nn::LayerInput in{.self = {.words = words.slice(1, 0, t + n).contiguous()}};
        Tensor step = m(slice(x, 1, t, t + n), in, &caches).output.value();
        CHECK(max_abs_difference(step.slice(0, 0, 1).contiguous(),
                                 whole.slice(0, 0, 1).slice(1, t, t + n).contiguous()) < 1e-10);
        plain(slice(x, 1, t, t + n), in, &of_plain);
      }
      auto bytes = [](const std::vector<nn::LayerCache>& all) {
        int64_t sum = 0;
        for (const nn::LayerCache& cache : all) sum += cache.self->bytes();
        return sum;
      };
      CHECK(2 * bytes(caches) == bytes(of_plain));  // layers 0 and 3 of four
      for (nn::LayerCache& cache : caches) cache.keep(Tensor::from(std::vector<int64_t>{1}, {1}));
      CHECK(caches[1].words() == 7);
    }
}

TEST_CASE("shared keys: the parameters of a transformer are counted") {
  nn::TransformerOptions o{.source_vocabulary = 9, .target_vocabulary = 9, .model = 8, .heads = 4, .inner = 6};
  o.kv_heads = 2, o.around["query_key_norm"].on = true, o.encoder_layers = 3, o.decoder_layers = 2, o.shared_keys = 2;
  CHECK(nn::count_parameters(make<nn::Transformer>(o, 1)) == nn::transformer_parameters(o));
}
