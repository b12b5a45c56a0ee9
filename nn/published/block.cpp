#include "nn/published/block.h"

#include <fmt/format.h>

#include <map>

#include "autograd/ops.h"
#include "nn/attention/around/query_key_norm.h"
#include "nn/made_if.h"

namespace heed::nn::published {
namespace {

const std::map<std::string, Variable (*)(const Variable&)>& activations() {
  static const std::map<std::string, Variable (*)(const Variable&)> all = [] {
    auto exact = [](const Variable& x) -> Variable { return gelu(x); };
    auto tanh_form = [](const Variable& x) -> Variable { return gelu(x, Gelu::tanh_form); };
    auto swish = [](const Variable& x) -> Variable { return silu(x); };
    return std::map<std::string, Variable (*)(const Variable&)>{
        {"gelu", exact},
        {"gelu_python", exact},
        {"gelu_new", tanh_form},
        {"gelu_fast", tanh_form},
        {"gelu_10", [](const Variable& x) -> Variable { return hardtanh(gelu(x), -10, 10); }},
        {"gelu_pytorch_tanh", tanh_form},
        {"quick_gelu", [](const Variable& x) -> Variable { return x * sigmoid(1.702 * x); }},
        {"silu", swish},
        {"swish", swish},
        {"relu", [](const Variable& x) -> Variable { return relu(x); }},
        {"relu2", [](const Variable& x) -> Variable { return square(relu(x)); }},
        {"relu6", [](const Variable& x) -> Variable { return hardtanh(x, 0, 6); }},
        {"mish", [](const Variable& x) -> Variable { return mish(x); }},
        {"tanh", [](const Variable& x) -> Variable { return tanh(x); }},
        {"sigmoid", [](const Variable& x) -> Variable { return sigmoid(x); }},
        {"linear", [](const Variable& x) { return x; }},
    };
  }();
  return all;
}

MultiHeadOptions attention_of(const BlockOptions& o, bool cross) {
  std::string scope = o.causal && !cross ? "causal" : default_stage(Kind::scope);
  if (o.window > 0 && !cross)
    scope = (o.causal ? std::string("causal&") : std::string()) + "window:" + std::to_string(o.window);
  MultiHeadOptions out{.model = o.model,
                       .heads = o.heads,
                       .dropout = o.attention_dropout,
                       .score = {.name = o.scaled ? "scaled_dot" : "dot"},
                       .scope = stage_from(Kind::scope, scope),
                       .kv_heads = o.kv_heads,
                       .head = o.head,
                       .apart = true};
  if (!cross) out.position = o.position;
  if (o.query_key_norm && !cross) out.around = {{.name = "query_key_norm"}};
  return out;
}

MultiHeadAttention attention_with(const BlockOptions& o, bool cross, Generator& rng) {
  MultiHeadAttention a(attention_of(o, cross), rng);
  if (!o.query_bias) a.q_proj_bias = a.k_proj_bias = a.v_proj_bias = Variable();
  if (o.out > 0) a.out_proj = Linear({.in = o.heads * a.options.head, .out = o.out}, rng);
  if (!o.output_bias) a.out_proj.bias = Variable();
  for (const auto& wrapper : a.around)
    if (auto* norm = dynamic_cast<QueryKeyNorm*>(wrapper.get()))
      norm->of_queries.options.eps = norm->of_keys->options.eps = o.eps;
  return a;
}

BlockOptions checked_block(BlockOptions o) {
  require_options("Block", fields_of(o));
  return o;
}

}  // namespace

void BlockOptions::fields(OptionFields& f) {
  const Range size{1, 1 << 24};
  f("model", model, "D, width of the model", size), f("heads", heads, "H, heads of queries", size);
  f("kv_heads", kv_heads, "G, heads of keys and values; 0: H", {0, 1 << 24});
  f("head", head, "K, width of a head; 0: D/H", {0, 1 << 24});
  f("inner", inner, "F, feed-forward width", size), f("out", out, "width of the output; 0: D", {0, 1 << 24});
  f("norm", norm, "of vectors", {"layer", "rms"}), f("eps", eps, "of the norms", {0, 1});
  f("norm_bias", norm_bias, "a bias in the norms");
  f("norm_first", norm_first, "norms before each part"), f("parallel", parallel, "both parts read the same input");
  f("attention_norm", attention_norm, "a norm before attention");
  std::vector<std::string> names;
  for (const auto& one : activations()) names.push_back(one.first);
  f("activation", activation, "f", names), f("gated", gated, "multiply f(W_g x) by W_1 x");
  f("query_bias", query_bias, "of the projections to queries, keys and values");
  f("output_bias", output_bias, "of the projection after attention"), f("feed_bias", feed_bias, "of W_1 and W_2");
  f("query_key_norm", query_key_norm, "queries and keys of one length");
  f("scaled", scaled, "divide products by sqrt(K)"), f("causal", causal, "attend to no later word");
  f("window", window, "largest distance of a key; 0: any", {0, 1 << 30}), f("cross", cross, "read an encoder");
  f("position", stage_place(Kind::position, &position), "position inside attention", stage_names(Kind::position));
  f("dropout", dropout, "of the parts' outputs", kFraction);
  f("attention_dropout", attention_dropout, "of attention weights", kFraction);
  f("inner_dropout", inner_dropout, "after f", kFraction);
}

bool is_activation(const std::string& name) { return activations().contains(name); }
Variable activation(const std::string& name, const Variable& x) { return activations().at(name)(x); }

AnyNorm norm_of(const BlockOptions& o, int64_t width, Generator& rng) {
  AnyNorm norm({.name = o.norm, .width = width, .eps = o.eps}, rng);
  if (auto* layer = std::get_if<LayerNorm>(&norm.norm); layer && !o.norm_bias) layer->bias = Variable();
  return norm;
}

Block::Block(const Options& o, Generator& rng)
    : options(checked_block(o)),
      self(attention_with(o, false, rng)),
      feed_norm(norm_of(o, o.wide(), rng)),
      up({.in = o.wide(), .out = o.inner, .bias = o.feed_bias}, rng),
      down({.in = o.inner, .out = o.wide(), .bias = o.feed_bias}, rng),
      gate(made_if<Linear>(o.gated, {.in = o.wide(), .out = o.inner, .bias = o.feed_bias}, rng)),
      widen(made_if<Linear>(o.out > 0, {.in = o.model, .out = o.out}, rng)),
      dropout({.p = o.dropout}, rng),
      inner_dropout({.p = o.inner_dropout}, rng) {
  if (o.attention_norm) self_norm.emplace(norm_of(o, o.model, rng));
  if (!o.cross) return;
  cross.emplace(attention_with(o, true, rng));
  cross_norm.emplace(norm_of(o, o.model, rng));
}

Variable Block::look(const Variable& x, BlockCall& call) const {
  MultiHeadOutput seen = call.memory ? self.extend(x, *call.memory, call.self) : self(x, call.self);
  call.weights = seen.weights;
  return seen.output;
}

Variable Block::look_at_source(const Variable& x, BlockCall& call) const {
  HeadMemory kept;
  HeadMemory& memory = call.kept_source ? *call.kept_source : kept;
  if (!memory.keys.defined()) memory = cross->remember(call.source, call.source, {}, call.cross.words);
  MultiHeadOutput seen = (*cross)(x, memory, call.cross);
  call.cross_weights = seen.weights;
  return seen.output;
}

Variable Block::feed(const Variable& x) const {
  Variable h = gate ? activation(options.activation, (*gate)(x)) * up(x) : activation(options.activation, up(x));
  return down(inner_dropout(h));
}

Variable Block::operator()(const Variable& input, BlockCall& called) const {
  Call call(*this);
  Variable x = input;
  if (options.parallel) {
    x = x + dropout(look((*self_norm)(x), called)) + dropout(feed(feed_norm(x)));
    return call.result("output", x);
  }
  auto around = [this](const Variable& before, const AnyNorm* norm, const auto& part, const Linear* to = nullptr) {
    if (options.norm_first) return (to ? (*to)(before) : before) + dropout(part(norm ? (*norm)(before) : before));
    return (*norm)(before + dropout(part(before)));
  };
  x = around(
      x, self_norm ? &*self_norm : nullptr, [&](const Variable& y) { return look(y, called); },
      widen ? &*widen : nullptr);
  if (cross) x = around(x, &*cross_norm, [&](const Variable& y) { return look_at_source(y, called); });
  return call.result("output", around(x, &feed_norm, [&](const Variable& y) { return feed(y); }));
}

void Block::visit(Visitor& v) {
  v.child("self", self);
  if (self_norm) v.child("self_norm", *self_norm);
  if (cross) v.child("cross", *cross), v.child("cross_norm", *cross_norm);
  if (gate) v.child("gate", *gate);
  if (widen) v.child("widen", *widen);
  v.child("up", up), v.child("down", down), v.child("feed_norm", feed_norm);
  v.child("dropout", dropout), v.child("inner_dropout", inner_dropout);
}

}  // namespace heed::nn::published
