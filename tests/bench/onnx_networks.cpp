#include "tests/bench/onnx_networks.h"

#include <cmath>

namespace bench {
namespace {

using onnx::Attribute;
using onnx::Graph;
using onnx::kAny;
using onnx::Shape;
using onnx::Type;
using onnx::Value;

const Attribute kTransposed{"transB", 1};  // as heed and PyTorch keep the weight of a linear layer: [out, in]

// A graph of transformer layers under construction. Words are rows [B T, D] everywhere but in attention.
//
// ONNX Runtime can compute a layer by several sets of operators. These were compared with the ones used here, on one
// thread of an AMD EPYC (Zen 4) with ONNX Runtime 1.30, in the encoder rows and in decoding. The number is the time of
// the alternative divided by the time of what is used:
//
//   Attention of com.microsoft, with its projections    0.98 to 1.04
//   MultiHeadAttention of com.microsoft                 0.98 to 1.03
//   MatMul, Softmax, MatMul and transposed heads        0.99 to 1.04
//   one Gemm for queries, keys and values, then Split   1.00 to 1.04
//   SkipLayerNormalization of com.microsoft             1.13 to 1.16
//   ArgMax instead of TopK, in decoding                 1.02 to 1.04
//
// Activations are matrices [B T, D], so that a linear layer is one Gemm, into which ONNX Runtime fuses bias and ReLU.
struct Builder {
  Graph graph;
  Weights weights;
  int64_t B, D, H, F;
  float epsilon = 1e-5F;

  Value parameter(const std::string& name, const Shape& shape) { return graph.weight(shape, weights(name, shape)); }
  Value reshape(const Value& x, const Shape& shape) { return graph.node("Reshape", {x, graph.integers(shape)}); }

  Value linear(const Value& x, const std::string& name, int64_t in, int64_t out) {
    return graph.node("Gemm", {x, parameter(name + ".weight", {out, in}), parameter(name + ".bias", {out})},
                      {kTransposed});
  }
  Value norm(const Value& x, const std::string& name) {
    return graph.node("LayerNormalization", {x, parameter(name + ".weight", {D}), parameter(name + ".bias", {D})},
                      {{"epsilon", epsilon}});
  }
  Value add_and_norm(const Value& x, const Value& y, const std::string& name) {
    return norm(graph.node("Add", {x, y}), name);
  }
  Value feed_forward(const Value& x, const std::string& layer) {
    return linear(graph.node("Relu", {linear(x, layer + "linear1", D, F)}), layer + "linear2", F, D);
  }

  // The projection number `which` of a multi-head attention, whose weights are stacked: 0 queries, 1 keys, 2 values.
  Value project(const Value& x, const std::string& attention, int64_t which) {
    auto part = [&](const std::string& name, const Shape& shape, int64_t size) {
      Shape stacked = shape;
      stacked[0] *= 3;
      std::vector<float> all = weights(attention + name, stacked);
      return graph.weight(shape, {all.begin() + which * size, all.begin() + (which + 1) * size});
    };
    return graph.node("Gemm", {x, part("in_proj_weight", {D, D}, D * D), part("in_proj_bias", {D}, D)}, {kTransposed});
  }
  Value joined(const Value& y, const std::string& attention, int64_t T) {  // all heads -> [B T, D]
    return linear(reshape(y, {B * T, D}), attention + "out_proj", D, D);
  }
  Value self_attention(const Value& x, const std::string& name, int64_t T) {
    std::vector<Value> qkv;
    for (int64_t which : {0, 1, 2}) qkv.push_back(reshape(project(x, name, which), {B, T, D}));
    return joined(graph.node("Attention", qkv, {{"q_num_heads", H}, {"kv_num_heads", H}}), name, T);
  }
  Value encoder(Value x, int64_t T, int64_t layers, const std::string& name) {
    for (int64_t i = 0; i < layers; ++i) {
      std::string layer = name + "layers." + std::to_string(i) + ".";
      x = add_and_norm(x, self_attention(x, layer + "self_attn.", T), layer + "norm1");
      x = add_and_norm(x, feed_forward(x, layer), layer + "norm2");
    }
    return x;
  }
  // A block of nn/published/block.h.
  Value published_block(const Value& x, const std::string& name, int64_t T) {
    std::vector<Value> qkv;
    for (const char* part : {"q_proj", "k_proj", "v_proj"})
      qkv.push_back(reshape(linear(x, name + "self." + part, D, D), {B, T, D}));
    Value seen = graph.node("Attention", qkv, {{"q_num_heads", H}, {"kv_num_heads", H}});
    Value y = add_and_norm(x, joined(seen, name + "self.", T), name + "self_norm");
    Value h = graph.node("Gelu", {linear(y, name + "up", D, F)});
    return add_and_norm(y, linear(h, name + "down", F, D), name + "feed_norm");
  }

  // Words [..] -> [.., D]: their vectors times sqrt(D), plus positions [.., D].
  Value embedded(const Value& words, const Value& table, const Value& positions) {
    Value x = graph.node("Gather", {table, words});
    x = graph.node("Mul", {x, graph.weight({}, {std::sqrt(static_cast<float>(D))})});
    return graph.node("Add", {x, positions});
  }
  Value sines(int64_t places) {  // [places, D], as nn/attention/positions/sinusoidal.h has them
    std::vector<float> table;
    for (int64_t place = 0; place < places; ++place)
      for (int64_t d = 0; d < D; ++d) {
        double pair = static_cast<double>(d / 2 * 2) / static_cast<double>(D);
        double angle = static_cast<double>(place) * std::pow(1e4, -pair);
        table.push_back(static_cast<float>(d % 2 == 0 ? std::sin(angle) : std::cos(angle)));
      }
    return graph.weight({places, D}, table);
  }
};

std::string decoder_layer(int64_t i) { return "decoder.layers." + std::to_string(i) + "."; }
constexpr const char* kTable = "source_embedding.words.weight";  // the one matrix of all words, [V, D]

// ONNX orders the gates of W, R and B differently: gates[i] is the index in heed's order of ONNX's gate i.
Network recurrent(const char* operation, const Sizes& s, const Weights& weights, const std::vector<int64_t>& gates,
                  int64_t directions, std::vector<Attribute> how) {
  int64_t B = s[0], T = s[1], E = s[2], N = s[3], G = std::ssize(gates);
  std::vector<float> in, past, biases;
  auto append = [&](std::vector<float>& to, const std::string& name, const Shape& shape) {
    std::vector<float> all = weights(name, shape);
    std::ptrdiff_t size = std::ssize(all) / G;
    for (int64_t gate : gates) to.insert(to.end(), all.begin() + gate * size, all.begin() + (gate + 1) * size);
  };
  for (int64_t direction = 0; direction < directions; ++direction) {
    std::string suffix = direction == 0 ? "_l0" : "_l0_reverse";
    append(in, "weight_ih" + suffix, {G * N, E});
    append(past, "weight_hh" + suffix, {G * N, N});
    append(biases, "bias_ih" + suffix, {G * N});
    append(biases, "bias_hh" + suffix, {G * N});
  }
  Graph graph;
  how.push_back({"hidden_size", N});
  how.push_back({"direction", directions == 1 ? "forward" : "bidirectional"});
  Value x = graph.input("x", Type::f32, {T, B, E});
  Value y = graph.node(operation,
                       {x, graph.weight({directions, G * N, E}, in), graph.weight({directions, G * N, N}, past),
                        graph.weight({directions, 2 * G * N}, biases)},
                       how);
  graph.output(y, Type::f32, {T, directions, B, N});
  return {graph.model(), {x}, {y}};
}

}  // namespace

Network encoder_network(const Sizes& s, const Weights& weights) {
  int64_t B = s[0], T = s[1], D = s[2];
  Builder b{.graph = {}, .weights = weights, .B = B, .D = D, .H = s[3], .F = s[5]};
  Value x = b.graph.input("x", Type::f32, {B, T, D});
  Value y = b.reshape(b.encoder(b.reshape(x, {B * T, D}), T, s[4], ""), {B, T, D});
  b.graph.output(y, Type::f32, {B, T, D});
  return {b.graph.model(), {x}, {y}};
}

Network published_network(const Sizes& s, const Weights& weights) {
  int64_t B = s[0], T = s[1], V = s[2], D = s[3];
  Builder b{.graph = {}, .weights = weights, .B = B, .D = D, .H = s[4], .F = s[6], .epsilon = 1e-12F};
  Graph& g = b.graph;
  Value ids = g.input("ids", Type::i64, {B, T});
  std::vector<int64_t> places, kinds(static_cast<size_t>(T), 0);
  for (int64_t t = 0; t < T; ++t) places.push_back(t);
  Value x = g.node("Gather", {b.parameter("words.weight", {V, D}), ids});
  x = g.node("Add", {x, g.node("Gather", {b.parameter("kinds.weight", {2, D}), g.integers(kinds)})});
  x = g.node("Add", {x, g.node("Gather", {b.parameter("positions.weight", {kPlaces, D}), g.integers(places)})});
  x = b.reshape(b.norm(x, "embedding_norm"), {B * T, D});
  for (int64_t i = 0; i < s[5]; ++i) x = b.published_block(x, "blocks." + std::to_string(i) + ".", T);
  Value y = b.reshape(x, {B, T, D});
  g.output(y, Type::f32, {B, T, D});
  return {g.model(), {ids}, {y}};
}

Network lstm_network(const Sizes& s, const Weights& weights) {  // ONNX: i, o, f, c; heed: i, f, g, o
  return recurrent("LSTM", s, weights, {0, 3, 1, 2}, 1, {});
}
Network gru_network(const Sizes& s, const Weights& weights) {  // ONNX: z, r, h; heed: r, z, n
  return recurrent("GRU", s, weights, {1, 0, 2}, 2, {{"linear_before_reset", 1}});
}

Network source_network(const Sizes& s, const Weights& weights) {
  int64_t B = s[0], S = s[1], D = s[3], H = s[4];
  Builder b{.graph = {}, .weights = weights, .B = B, .D = D, .H = H, .F = s[6]};
  Value words = b.graph.input("words", Type::i64, {B, S});
  Value x = b.embedded(words, b.parameter(kTable, {s[2], D}), b.sines(S));
  Value m = b.norm(b.encoder(b.reshape(x, {B * S, D}), S, s[5], "encoder."), "encoder.norm");
  Network network{{}, {words}, {}};
  for (int64_t i = 0; i < s[5]; ++i)
    for (int64_t which : {1, 2}) {
      Value rows = b.project(m, decoder_layer(i) + "multihead_attn.", which);
      Value heads = b.graph.node("Transpose", {b.reshape(rows, {B, S, H, D / H})}, {{"perm", Shape{0, 2, 1, 3}}});
      b.graph.output(heads, Type::f32, {B, H, S, D / H});
      network.outputs.push_back(heads);
    }
  network.model = b.graph.model();
  return network;
}

Network step_network(const Sizes& s, const Weights& weights) {
  int64_t B = s[0], S = s[1], V = s[2], D = s[3], H = s[4], layers = s[5];
  Builder b{.graph = {}, .weights = weights, .B = B, .D = D, .H = H, .F = s[6]};
  Graph& g = b.graph;
  const Shape one{B, H, 1, D / H}, cache{B, H, kAny, D / H};
  Network n{{}, {g.input("words", Type::i64, {B}), g.input("place", Type::i64, {1})}, {}};
  std::vector<Value> source, before;  // keys and values of each layer
  for (int64_t i = 0; i < 2 * layers; ++i)
    source.push_back(g.input("source" + std::to_string(i), Type::f32, {B, H, S, D / H}));
  for (int64_t i = 0; i < 2 * layers; ++i) before.push_back(g.input("before" + std::to_string(i), Type::f32, cache));
  Value table = b.parameter(kTable, {V, D});
  Value x = b.embedded(n.inputs[0], table, g.node("Gather", {b.sines(kMaxWords), n.inputs[1]}));
  n.inputs.insert(n.inputs.end(), source.begin(), source.end());
  n.inputs.insert(n.inputs.end(), before.begin(), before.end());
  std::vector<Value> after;
  for (int64_t i = 0; i < layers; ++i) {
    std::string layer = decoder_layer(i), self = layer + "self_attn.", cross = layer + "multihead_attn.";
    auto k = static_cast<size_t>(2 * i);
    std::vector<Value> qkv;  // of one word, [B, H, 1, D/H] is a reshaped [B, D]
    for (int64_t which : {0, 1, 2}) qkv.push_back(b.reshape(b.project(x, self, which), one));
    qkv.insert(qkv.end(), {"", before[k], before[k + 1]});  // no mask
    std::vector<Value> seen = g.nodes(3, "Attention", qkv);
    after.insert(after.end(), seen.begin() + 1, seen.end());
    x = b.add_and_norm(x, b.joined(seen[0], self, 1), layer + "norm1");
    Value q = b.reshape(b.project(x, cross, 0), one);
    x = b.add_and_norm(x, b.joined(g.node("Attention", {q, source[k], source[k + 1]}), cross, 1), layer + "norm2");
    x = b.add_and_norm(x, b.feed_forward(x, layer), layer + "norm3");
  }
  Value logits = g.node("Gemm", {b.norm(x, "decoder.norm"), table, b.parameter("output.bias", {V})}, {kTransposed});
  Value next = b.reshape(g.nodes(2, "TopK", {logits, g.integers({1})}, {{"axis", 1}})[1], {B});
  g.output(next, Type::i64, {B});
  for (const Value& value : after) g.output(value, Type::f32, cache);
  n.outputs = {next};
  n.outputs.insert(n.outputs.end(), after.begin(), after.end());
  n.model = g.model();
  return n;
}

}  // namespace bench
