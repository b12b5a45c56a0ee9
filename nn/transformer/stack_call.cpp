#include "nn/transformer/stack_call.h"

#include <algorithm>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/positions/by_key_head.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {

StackCall::StackCall(const TransformerStack& s, const Variable& words, const LayerInput& given,
                     std::vector<LayerCache>* of_layers)
    : layer_input(given), stack(s), x(words), in(given), caches(of_layers) {
  if (caches && caches->empty()) caches->resize(stack.layers.size());
  if (passes_on()) layer_input.self.passed = &passed;
}

bool StackCall::one_word_at_a_time() const {
  if (!caches || x.rank() != 3 || x.size(1) <= 1) return false;
  for (size_t i = 0; i < stack.layers.size(); ++i)
    if (LayerCache& cache = caches->at(i); !cache.self) cache.self = stack.layers[i].memory();
  return std::any_of(caches->begin(), caches->end(),
                     [](LayerCache& cache) { return cache.self && cache.self->one_word_at_a_time(); });
}

bool StackCall::checkpoints() {
  if (stack.checkpoint <= 0 || !grad_enabled() || caches || in.self.state || in.cross.state) return false;
  add(bias(places_of(0)));
  return true;
}

size_t StackCall::next(size_t i) const {
  return std::min(i + static_cast<size_t>(stack.checkpoint), stack.layers.size());
}

const LayerInput& StackCall::of_layer(size_t i) {
  if (stack.position) {
    Places places = places_of(i);
    if (places.key_at.defined() || places.first_key != bias_first_key)
      shared_bias = bias(places), bias_first_key = places.first_key;
    add(shared_bias);
  }
  bool last = i + 1 == stack.layers.size();
  if (caches) layer_input.self.words = of_kept(in.self.words, kept(i));
  layer_input.self.weights = last && in.self.weights, layer_input.cross.weights = last && in.cross.weights;
  return layer_input;
}

bool StackCall::passes_on() const {
  const Arounds& around = stack.options.layer.around;
  return stack.options.shared_keys > 1 ||
         std::any_of(around.begin(), around.end(), [](const auto& one) { return around_row(one.name).passes; }) ||
         std::any_of(stack.layers.begin(), stack.layers.end(),
                     [](const auto& one) { return one.mixer && one.mixer->passes(); });
}

void StackCall::add(const Variable& bias) {
  if (bias.defined()) layer_input.self.bias = in.self.bias.defined() ? beside_heads(in.self.bias) + bias : bias;
}

Variable StackCall::bias(const Places& places) const {
  if (!stack.position) return {};
  return by_key_head(unsqueeze(x, 1), places, stack.options.layer.heads,
                     [&](const Variable& q, const Places& at) { return stack.position->bias(q, at, 1); });
}

Places StackCall::places_of(size_t i) const {
  Places places = in.self.places;
  places.queries = x.size(1), places.keys = x.size(1);
  if (!caches) return places;
  LayerCache& cache = caches->at(i);
  if (!cache.self) cache.self = stack.layers[i].memory();
  const KeptKeys keys = kept(i);
  places.keys = keys.count();
  return with_keys(places, keys, x.size(1));
}

KeptKeys StackCall::kept(size_t i) const {
  if (!stack.layers[i].options.shared_keys) return (*caches)[i].kept_after(x.size(1));
  return (*caches)[i - i % static_cast<size_t>(stack.options.shared_keys)].self->kept();  // it has appended already
}

}  // namespace heed::nn
