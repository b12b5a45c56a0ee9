// The episodes of a dynamic memory network ("Ask me anything", section 2.3): the facts are read several times with a
// question in mind.
//
//   z_s = [c; m; q; c * q; c * m; |c - q|; |c - m|; c . W_b q; c . W_b m]
//   g_s = sigmoid(W_2 tanh(W_1 z_s + b_1) + b_2)
//   h_s = g_s GRU(c_s, h_{s-1}) + (1 - g_s) h_{s-1},   episode = the last h
//   m  <- GRU'(episode, m),   m = q before the first pass
//
// z_s is made from the fact c = c_s, the memory m and the question q.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/stage.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/padding.h"
#include "nn/recurrent/gru.h"
#include "tensor/compare.h"

namespace heed::nn {

struct DynamicMemoryOptions {
  int64_t width;       // D
  int64_t passes = 3;  // number of episodes
  int64_t hidden = 0;  // N; 0: D
};

struct Episodes {
  Variable memory;    // m after the last pass [B, D]
  Variable episodes;  // [B, passes, D]
  Variable gates;     // g [B, passes, S]; 0 for padding
};

struct DynamicMemory : Module {
  static constexpr About about{
      .names = {"E26b", "dynamic_memory", "DMN", "episodic memory"},
      .formula =
          "h_s = g_s GRU(c_s, h_{s-1}) + (1 - g_s) h_{s-1},  g_s a small network of c_s, q and m;  m <- GRU'(h_S, m)",
      .paper = {"Kumar et al., ICML 2016", 2016, 4},
      .idea =
          "A question passes several times over a list of facts. In each pass a recurrent network reads the facts in "
          "their order, and a gate lets through those that matter. What a pass has found changes the gates of the "
          "next.",
      .wrong = "The gates are not a softmax. They need not sum to 1, and all of them may be closed.",
      .shapes = "facts [B, S, D], question [B, D] -> memory [B, D], gates [B, passes, S]",
      .cost = "passes S recurrent steps, one after the other; 13 D^2 + (7 D + 2) N parameters",
      .own = {"closed_gates_read_nothing", "gates_by_hand", "second_pass_knows_the_first", "order_of_facts_counts"},
      .exempt = {{"empty_row_reads_zero",
                  "it takes a padding mask, the same for all passes: closed_gates_read_nothing"},
                 {"rows_sum_to_one", "its gates are in (0, 1) one by one: a pass may read several facts or none"}},
      .cases = "DynamicMemory",
      .more =
          "the vector of --context every_step, and the decoder's first state; the question is learned, and the words "
          "are the facts",
  };

  using Options = DynamicMemoryOptions;
  DynamicMemory(const Options& o, Generator& rng)
      : options(o),
        similarity({.in = o.width, .out = o.width, .bias = false}, rng),
        hidden({.in = 7 * o.width + 2, .out = o.hidden > 0 ? o.hidden : o.width}, rng),
        gate({.in = o.hidden > 0 ? o.hidden : o.width, .out = 1}, rng),
        reader({.input = o.width, .hidden = o.width}, rng),
        writer({.input = o.width, .hidden = o.width}, rng) {}
  // facts [B, S, D], question [B, D], words bool [B, S]: which facts there are
  Episodes operator()(const Variable& facts, const Variable& question, const Tensor& words = {}) const {
    Call call(*this);
    Variable c = without_padding(facts, words), m = question;
    std::vector<Variable> episodes, gates;
    for (int64_t pass = 0; pass < options.passes; ++pass) {
      Variable g = gates_of(c, question, m);
      if (words.defined()) g = masked_fill(g, logical_not(words), 0);
      Variable h = m * 0;
      for (int64_t s = 0; s < c.size(1); ++s) {
        Variable open = slice(g, 1, s, s + 1);
        h = open * reader(select(c, 1, s), h) + (1 - open) * h;
      }
      m = writer(h, m);
      episodes.push_back(h), gates.push_back(g);
    }
    return {call.result("output", m), stack(episodes, 1), call.result("weights", stack(gates, 1))};
  }
  void visit(Visitor& v) {
    v.child("similarity", similarity), v.child("hidden", hidden), v.child("gate", gate);
    v.child("reader", reader), v.child("writer", writer);
  }
  Options options;
  Linear similarity, hidden, gate;  // W_b, W_1, W_2
  GRUCell reader, writer;           // GRU, GRU'

 private:
  Variable gates_of(const Variable& c, const Variable& question, const Variable& memory) const {  // -> [B, S]
    Variable q = expand(unsqueeze(question, 1), c.shape()), m = expand(unsqueeze(memory, 1), c.shape());
    Variable z = concat({c, m, q, c * q, c * m, abs(c - q), abs(c - m), sum(c * similarity(q), {-1}, true),
                         sum(c * similarity(m), {-1}, true)},
                        -1);
    return squeeze(sigmoid(gate(tanh(hidden(z)))), -1);
  }
};

}  // namespace heed::nn
