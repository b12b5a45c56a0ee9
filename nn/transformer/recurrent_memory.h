// The recurrent memory transformer, RMT ("Recurrent memory transformer", section 3.3): a transformer reads a long text
// in segments, and m vectors pass from each segment to the next through all of its layers. i: the number of a segment
//
//   [_; y_i; M_(i+1)] = stack([M_i; x_i; M_i])      m, n and m rows; M_0 is learned, N(0, 0.02^2) at first
//
// The m rows in front are read by the words; those behind them read the words, and what the last layer makes of them is
// the memory of the next segment. In a causal stack those in front see no word of the segment and those behind see all
// of them. The gradient passes through the memory into earlier segments unless `detached`; the authors' program means
// to cut it after some segments, but never does. The authors draw M_0 with the deviation of the model's embeddings,
// which is 0.02 in GPT-2; here there are none. The layers themselves do not change. Positions: those of the stack,
// which count the memory's rows too.
//
// Only its entry of the catalogue and tests/nn/attention/long_context_properties.cpp use it. B batch, T words, n words
// of a segment, D width of the model.
#pragma once

#include <algorithm>

#include "autograd/ops.h"
#include "nn/about.h"
#include "nn/init.h"
#include "nn/transformer/transformer.h"

namespace heed::nn {

struct RecurrentMemoryOptions {
  TransformerStackOptions stack;
  int64_t memories = 10;  // m
  int64_t segment = 128;  // n
  bool detached = false;  // no gradient into earlier segments
};

struct RecurrentMemory : Module {
  static constexpr About about{
      .names = {"K6", "recurrent_memory", "RMT", "Recurrent Memory Transformer"},
      .formula = "[_; y_i; M_(i+1)] = transformer([M_i; x_i; M_i]) for the segments x_0, x_1, ..",
      .paper = {"Bulatov, Kuratov and Burtsev, NeurIPS 2022", 2022, 4},
      .idea =
          "A few memory vectors are added to the words of each segment, and the transformer reads them like words. "
          "What it makes of them is given to the next segment. So an unchanged transformer reads a text of any length, "
          "one segment at a time.",
      .wrong =
          "In a causal model vectors in front of the words cannot take anything in, and vectors behind them cannot be "
          "read. So the memory is there twice: in front to be read, behind to be written.",
      .shapes = "x [B, T, D], M [B, m, D] -> [B, T, D], M [B, m, D]",
      .cost = "that of the stack for T / n segments of n + 2 m words; m D parameters; decoding keeps m D numbers more",
      .own = {"no_memory_reads_segments_alone", "memory_is_further_words", "memory_carries_gradients"},
      .exempt = {{"empty_row_reads_zero", "it is a whole model, whose words have residual connections"},
                 {"masked_keys_are_absent", "it is a whole model; its stack takes the key padding mask"},
                 {"padding_is_never_read", "it is a whole model; its stack takes the key padding mask"},
                 {"rows_sum_to_one", "it is a whole model, and shows no weights"},
                 {"weights_depend_on_keys", "it is a whole model, and shows no weights"}},
      .cases = "RecurrentMemory",
      .more = "a model for a program of your own, in C++; no option of heed train has it",
  };

  using Options = RecurrentMemoryOptions;
  RecurrentMemory(const Options& o, Generator& rng)
      : options(o), stack(o.stack, rng), first(normal_parameter({o.memories, o.stack.layer.model}, 0.02, rng)) {}

  struct Segment {
    Variable output, memory;  // [B, n, D], [B, m, D]
  };
  // One segment x [B, n, D] after those that left `memory`; undefined: it is the first. words bool [B, n].
  Segment read(const Variable& x, const Variable& memory = {}, const Tensor& words = {}) const {
    Call call(*this);
    const int64_t B = x.size(0), n = x.size(1), m = options.memories;
    Variable M = memory.defined() ? memory : expand(unsqueeze(first, 0), {B, m, x.size(2)});
    LayerInput in;
    if (words.defined()) {
      const Tensor there = Tensor::full({B, m}, 1, DType::boolean);
      in.self.words = concat({there, words, there}, 1);
    }
    Variable y = stack(concat({M, x, M}, 1), in).output;
    return {call.result("output", slice(y, 1, m, m + n)), call.result("memory", slice(y, 1, m + n, 2 * m + n))};
  }
  // A text x [B, T, D] in segments, the last of which may be shorter. words bool [B, T] -> [B, T, D]
  Variable operator()(const Variable& x, const Tensor& words = {}) const {
    std::vector<Variable> outputs;
    Variable memory;
    for (int64_t t = 0, T = x.size(1); t < T; t += options.segment) {
      const int64_t end = std::min(t + options.segment, T);
      Segment one = read(slice(x, 1, t, end), memory, words.defined() ? words.slice(1, t, end).contiguous() : Tensor());
      outputs.push_back(one.output);
      memory = options.detached ? one.memory.detach() : one.memory;
    }
    return concat(outputs, 1);
  }
  void visit(Visitor& v) {
    v.child("stack", stack);
    v.parameter("first", first);
  }
  Options options;
  TransformerStack stack;
  Variable first;  // M_0 [m, D]
};

}  // namespace heed::nn
