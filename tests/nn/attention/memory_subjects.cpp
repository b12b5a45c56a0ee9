// Subjects of the structures that have a memory of their own, and of those that read two or more sequences.
#include "autograd/ops.h"
#include "nn/attention/structures/hopfield.h"
#include "nn/attention/structures/memory_network.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/attention/structures/set_transformer.h"
#include "nn/attention/structures/slot_attention.h"
#include "nn/transformer/recurrent_memory.h"
#include "nn/zoo/attention_over_attention.h"
#include "nn/zoo/bidaf.h"
#include "nn/zoo/coattention.h"
#include "nn/zoo/decomposable.h"
#include "nn/zoo/dnc.h"
#include "nn/zoo/graph_attention.h"
#include "tests/nn/attention/memory_properties.h"

namespace heed::nn_test {
namespace {

Seen run_hop(const Ask& ask) {
  nn::Attended seen = nn::memory_read(ask.query, ask.keys, ask.values, allowed_by(ask));
  return {seen.context, seen.weights};
}

// The keys are the memory, each query is a state of the controller, and the weights before are even.
Seen run_ntm(const Ask& ask) {
  auto m = made<nn::NTMHead>({.controller = kWidth, .width = kWidth}, ask.keys.dtype());
  int64_t N = ask.keys.size(1);
  Variable before(Tensor::full({ask.keys.size(0), N}, 1.0 / static_cast<double>(N), ask.keys.dtype()));
  std::vector<Variable> read, weights;
  for (int64_t t = 0; t < ask.query.size(1); ++t) {
    weights.push_back(m(select(ask.query, 1, t), ask.keys, before));
    read.push_back(nn::ntm_read(weights.back(), ask.keys));
  }
  return {stack(read, 1), stack(weights, 1), nn::named_parameters(m)};
}

// The same for a DNC whose memory holds the keys: the reads of one step.
Seen run_dnc(const Ask& ask) {
  int64_t N = ask.keys.size(1);
  auto m = made<nn::DNCMemory>({.controller = kWidth, .cells = N, .width = kWidth}, ask.keys.dtype());
  std::vector<Variable> read, weights;
  for (int64_t t = 0; t < ask.query.size(1); ++t) {
    nn::DNCState state = m.begin(ask.keys.size(0));
    state.memory = ask.keys;
    state = m.step(select(ask.query, 1, t), state);
    read.push_back(select(state.vectors, 1, 0)), weights.push_back(select(state.read, 1, 0));
  }
  return {stack(read, 1), stack(weights, 1), nn::named_parameters(m)};
}

// What takes a padding mask [B, S] for the keys.
Tensor words_by(const Ask& ask) {
  Tensor allowed = allowed_by(ask);
  return allowed.defined() ? allowed.squeeze(1) : Tensor();
}

Seen run_bidaf(const Ask& ask) {
  auto m = made<nn::BiDAF>({.width = kWidth}, ask.keys.dtype());
  nn::BiDAFOutput y = m(ask.query, ask.keys, {}, words_by(ask));
  return {y.output, y.question, nn::named_parameters(m)};
}
Seen run_coattention(const Ask& ask) {
  auto m = made<nn::Coattention>({.width = kWidth, .sentinel = false}, ask.keys.dtype());
  nn::CoattentionOutput y = m(ask.query, ask.keys, {}, words_by(ask));
  return {y.output, y.question, nn::named_parameters(m)};
}
Seen run_decomposable(const Ask& ask) {
  auto m = made<nn::DecomposableAttention>({.width = kWidth, .hidden = 5, .classes = 3}, ask.keys.dtype());
  nn::DecomposableOutput y = m(ask.query, ask.keys, {}, words_by(ask));
  return {matmul(y.of_a, nn::without_padding(ask.keys, words_by(ask))), y.of_a, nn::named_parameters(m)};
}
// The keys are the document; one distribution over it, shown for each query.
Seen run_pointer(const Ask& ask) {
  nn::DocumentPointer y = nn::attention_over_attention(ask.keys, ask.query, words_by(ask));
  Variable w = expand(unsqueeze(y.places, 1), {ask.keys.size(0), ask.query.size(1), ask.keys.size(1)});
  return {matmul(w, nn::without_padding(ask.values, words_by(ask))), w};
}

Seen run_slots(const Ask& ask) {
  auto m = made<nn::SlotAttention>({.input = kWidth, .width = kWidth, .slots = 3}, ask.keys.dtype());
  nn::Attended seen = m(ask.keys, words_by(ask));
  return {seen.context, seen.weights, nn::named_parameters(m)};
}
Seen run_hopfield(const Ask& ask) {
  nn::Retrieved seen = nn::hopfield_retrieve(ask.query, ask.keys, {.steps = 2, .allowed = allowed_by(ask)});
  return {seen.state, seen.weights};
}
// One block MAB: the queries read the keys.
Seen run_set(const Ask& ask) {
  auto m = made<nn::MultiHeadBlock>({.model = kWidth, .heads = 2}, ask.keys.dtype());
  nn::Attended seen = m(ask.query, ask.keys, words_by(ask));
  return {seen.context, mean(seen.weights, {1}), nn::named_parameters(m)};
}
// The nodes are the queries, then the keys, and each query may read the keys that are allowed.
Seen run_graph(const Ask& ask) {
  auto m = made<nn::GraphAttention>({.input = kWidth, .width = kWidth, .self_loops = false}, ask.keys.dtype());
  int64_t B = ask.keys.size(0), T = ask.query.size(1), S = ask.keys.size(1);
  Tensor allowed = allowed_by(ask), none = Tensor::zeros({B, T + S, T}, DType::boolean);
  Tensor to_keys = allowed.defined() ? allowed.expand({B, T, S}).contiguous() : Tensor::ones({B, T, S}, DType::boolean);
  Tensor edges = concat({none, concat({to_keys, Tensor::zeros({B, S, S}, DType::boolean)}, 1)}, 2);
  nn::Attended seen = m(concat({ask.query, ask.keys}, 1), edges);
  Variable weights = slice(slice(select(seen.weights, 1, 0), 1, 0, T), 2, T, T + S);
  return {slice(seen.context, 1, 0, T), weights, nn::named_parameters(m)};
}

// A whole model, which shows no weights; it is exempt from what asks for them.
Seen run_recurrent_memory(const Ask& ask) {
  const nn::TransformerLayerOptions layer{.model = kWidth, .heads = 2, .inner = 3};
  auto m = made<nn::RecurrentMemory>({.stack = {.layer = layer, .layers = 1}, .memories = 1, .segment = 2},
                                     ask.keys.dtype());
  return {m(ask.keys), {}, nn::named_parameters(m)};
}

}  // namespace

Subject memory_subject_of(const nn::CatalogueEntry& entry) {
  if (entry.id == "E9") return run_hop;
  if (entry.id == "E10") return run_ntm;
  if (entry.id == "E26d") return run_dnc;
  if (entry.id == "E11") return run_bidaf;
  if (entry.id == "E11b") return run_coattention;
  if (entry.id == "E11c") return run_pointer;
  if (entry.id == "E11d") return run_decomposable;
  if (entry.id == "E12") return run_set;
  if (entry.id == "E14") return run_slots;
  if (entry.id == "E21") return run_hopfield;
  if (entry.id == "E23") return run_graph;
  if (entry.id == "K6") return run_recurrent_memory;
  return other_keys_subject_of(entry);
}

}  // namespace heed::nn_test
