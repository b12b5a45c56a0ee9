// The attention layer of a Memorizing Transformer (section 3.1 of the paper): besides the words of its own segment,
// each query reads the K best keys of all earlier segments.
//
//   local_t  = softmax over the words s <= t of the segment of (q_t . k_s / sqrt(W)), times their values
//   memory_t = the same over the K stored keys with the largest scores, of all segments before
//   c_t      = b memory_t + (1 - b) local_t,   b = sigmoid(gate), one for each head
//
// Stored keys and values have no gradient and no position. A memory of any length costs one search per query. While it
// is empty, local_t alone is read. Simplified: queries and keys are not normalised, and the local part has no relative
// bias.
//
// In the zoo: only its entry of the catalogue and tests/nn/attention/past_properties.cpp use it.
#pragma once

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/scopes/masks.h"
#include "nn/attention/stage.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/zoo/knn.h"

namespace heed::nn {

struct MemorizingOptions {
  int64_t model, heads;     // D, H
  int64_t neighbours = 32;  // K
};

struct StoredWords {
  Variable keys = {}, values = {};  // [B, H, N, W]; undefined before the first segment
};

struct MemorizingAttention : Module {
  static constexpr About about{
      .names = {"E20b", "memorizing", "Memorizing Transformer"},
      .formula =
          "c = b memory + (1 - b) local, b = sigmoid(gate);  memory reads the K best stored keys, without gradient",
      .paper = {"Wu et al., ICLR 2022", 2022, 4},
      .idea =
          "One layer of a transformer stores the keys and values of all earlier segments. Each query reads only the "
          "few that match it best, and a gate for each head mixes what it reads there with its own segment. So the "
          "memory can be very long at the price of a search.",
      .wrong =
          "The stored keys were made by older weights and get no gradient. They are useful as long as the weights "
          "change slowly.",
      .shapes = "x [B, T, D], stored [B, H, N, W] -> [B, T, D], local weights [B, H, T, T]",
      .cost = "4 T D^2 + 2 T^2 D + T N D products and a selection of K of N keys",
      .own = {"closed_gate_is_local_attention", "memory_of_all_words_is_attention", "stored_words_get_no_gradient",
              "only_the_best_stored_words_are_read"},
      .exempt = {{"empty_row_reads_zero", "it takes no mask, and every word sees itself"},
                 {"masked_keys_are_absent", "it takes no mask: its segments have no padding"},
                 {"padding_is_never_read", "it takes no mask: its segments have no padding"}},
      .cases = "MemorizingAttention",
      .more = "a layer for a model of your own, in C++; no option of heed train has it",
  };

  using Options = MemorizingOptions;
  MemorizingAttention(const Options& o, Generator& rng)
      : options(o),
        input({.in = o.model, .out = 3 * o.model, .bias = false}, rng),
        output({.in = o.model, .out = o.model, .bias = false}, rng),
        gate(zeros_parameter({o.heads, 1, 1})) {}
  // x [B, T, D] -> [B, T, D], and the local weights [B, H, T, T]. Reads the memory, then appends the segment to it.
  Attended operator()(const Variable& x, StoredWords& memory) const {
    Call call(*this);
    int64_t B = x.size(0), T = x.size(1), H = options.heads, W = options.model / H;
    std::vector<Variable> parts = chunk(input(x), 3, -1);
    for (Variable& part : parts) part = transpose(reshape(part, {B, T, H, W}), 1, 2);
    const Variable q = parts[0] / std::sqrt(static_cast<double>(W)), &k = parts[1], &v = parts[2];
    Tensor past = causal_mask({.queries = T, .keys = T});
    Attended local = attend(matmul(q, transpose(k, 2, 3)), v, AttendOptions{.allowed = past});
    Variable context = local.context;
    if (memory.keys.defined()) {
      Variable e = largest_only(matmul(q, transpose(memory.keys, 2, 3)), options.neighbours), b = sigmoid(gate);
      context = b * attend(e, memory.values).context + (1 - b) * context;
    }
    auto appended = [](const Variable& old, const Variable& now) {
      return old.defined() ? Variable(concat({old.value(), now.value()}, 2)) : Variable(now.value());
    };
    memory = {appended(memory.keys, k), appended(memory.values, v)};
    Variable y = output(reshape(transpose(context, 1, 2), {B, T, options.model}));
    return {call.result("context", y), call.result("weights", local.weights)};
  }
  void visit(Visitor& visitor) {
    visitor.child("input", input), visitor.child("output", output);
    visitor.parameter("gate", gate);
  }
  Options options;
  Linear input, output;  // W_q, W_k, W_v stacked; W_o
  Variable gate;         // [H, 1, 1]
};

}  // namespace heed::nn
