// Cases of the structures in nn/attention/structures/ that have a memory of their own, read two sequences, or read
// sets.
#include "autograd/cases/layouts.h"
#include "nn/attention/structures/hopfield.h"
#include "nn/attention/structures/memory_network.h"
#include "nn/attention/structures/ntm_head.h"
#include "nn/attention/structures/set_transformer.h"
#include "nn/attention/structures/slot_attention.h"
#include "nn/cases/build.h"
#include "nn/zoo/attention_over_attention.h"
#include "nn/zoo/bidaf.h"
#include "nn/zoo/coattention.h"
#include "nn/zoo/decomposable.h"
#include "nn/zoo/dnc.h"
#include "nn/zoo/graph_attention.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;

// Two stories of three sentences, one of which is shorter; ids 1 .. 4, and 0 for padding.
CaseRow memory_network() {
  auto call = [](nn::MemoryNetwork& m, In) {
    Tensor story = Tensor::from(std::vector<int64_t>{1, 2, 3, 4, 2, 0, 4, 1, 3, 0, 0, 0}, {2, 3, 2});
    nn::MemoryAnswer y = m(story, Tensor::from(std::vector<int64_t>{3, 1, 2, 0}, {2, 2}));
    return nn::together({y.logits, y.weights});
  };
  using M = nn::MemoryNetwork;
  return nn::module_row(
      "MemoryNetwork",
      {module_case<M>("adjacent", {.vocabulary = 5, .width = 3, .hops = 2, .sentences = 3}, {}, call),
       module_case<M>("layer-wise, bags of words",
                      {.vocabulary = 5, .width = 2, .hops = 2, .sentences = 0, .layer_wise = true, .bag = true}, {},
                      call)});
}

// Two steps: a head that writes, then the same head reads what it wrote.
CaseRow ntm_head() {
  auto call = [](nn::NTMHead& m, In in) {
    Variable before(Tensor::full({2, 4}, 0.25, DType::f64));
    nn::NTMControl c = m.control(in[0]);
    Variable w = m.address(c, in[1], before), memory = nn::ntm_written(w, in[1], c.erase, c.add);
    Variable again = m(in[0] * 2, memory, w);
    return nn::together({w, memory, again, nn::ntm_read(again, memory)});
  };
  return nn::module_row("NTMHead", {module_case<nn::NTMHead>("N 4, W 2", {.controller = 3, .width = 2, .writes = true},
                                                             {{2, 3}, {2, 4, 2}}, call)});
}

// Two steps: what is written in the first is linked in the second.
CaseRow dnc() {
  auto call = [](nn::DNCMemory& m, In in) {
    nn::DNCState state = m.begin(2);
    state.usage = state.usage + Variable(Tensor::from(std::vector<double>{0.1, 0.3, 0.2}, {1, 3}));  // no ties
    state.memory = state.memory + in[1];  // an empty cell has no direction
    for (const Variable& h : unstack(in[0], 1)) state = m.step(h, state);
    return nn::together({state.memory, state.usage, state.link, state.vectors});
  };
  return nn::module_row("DNCMemory", {module_case<nn::DNCMemory>("N 3, W 2, two heads",
                                                                 {.controller = 2, .cells = 3, .width = 2, .reads = 2},
                                                                 {{2, 2, 2}, {2, 3, 2}}, call)});
}

Tensor text_words() { return Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 3}); }
Tensor question_words() { return Tensor::from_bools({1, 1, 1, 0}, {2, 2}); }
const std::vector<Shape> kTwo{{2, 3, 2}, {2, 2, 2}};

CaseRow bidaf() {
  using M = nn::BiDAF;
  auto call = [](bool masked) {
    return [masked](M& m, In in) {
      nn::BiDAFOutput y = m(in[0], in[1], masked ? text_words() : Tensor(), masked ? question_words() : Tensor());
      return nn::together({y.output, y.question, y.text});
    };
  };
  return nn::module_row("BiDAF", {module_case<M>("T 3, S 2", {.width = 2}, kTwo, call(false)),
                                  module_case<M>("T 3, S 2, masked", {.width = 2}, kTwo, call(true))});
}

CaseRow coattention() {
  using M = nn::Coattention;
  auto call = [](M& m, In in) {
    nn::CoattentionOutput y = m(in[0], in[1], text_words(), question_words());
    return nn::together({y.output, y.question, y.document});
  };
  return nn::module_row("Coattention",
                        {module_case<M>("with sentinels", {.width = 2}, kTwo, call),
                         module_case<M>("without sentinels", {.width = 2, .sentinel = false}, kTwo, call)});
}

CaseRow attention_over_attention() {
  std::vector<BaseCase> bases;
  for (bool masked : {false, true})
    bases.push_back({.label = masked ? "T 3, S 2, masked" : "T 3, S 2", .shapes = kTwo, .f = [masked](In in) {
                       nn::DocumentPointer y = nn::attention_over_attention(
                           in[0], in[1], masked ? text_words() : Tensor(), masked ? question_words() : Tensor());
                       return nn::together({y.places, y.question});
                     }});
  return nn::module_row("attention_over_attention", over_layouts(bases));
}

CaseRow decomposable() {
  using M = nn::DecomposableAttention;
  auto call = [](M& m, In in) {
    nn::DecomposableOutput y = m(in[0], in[1], text_words(), question_words());
    return nn::together({y.logits, y.of_a, y.of_b});
  };
  return nn::module_row("DecomposableAttention",
                        {module_case<M>("T 3, S 2", {.width = 2, .hidden = 3, .classes = 2}, kTwo, call)});
}

CaseRow slot_attention() {
  using M = nn::SlotAttention;
  auto call = [](M& m, In in) {
    nn::Attended y = m(in[0], text_words());
    return nn::together({y.context, y.weights});
  };
  return nn::module_row(
      "SlotAttention",
      {module_case<M>("R 2, S 3", {.input = 3, .width = 2, .slots = 2, .iterations = 2}, {{2, 3, 3}}, call)});
}

CaseRow hopfield() {
  std::vector<BaseCase> bases{
      {.label = "two steps", .shapes = kTwo, .f = [](In in) {
         nn::Retrieved y = nn::hopfield_retrieve(
             in[0], in[1], {.beta = 2, .steps = 2, .tolerance = -1, .allowed = question_words().unsqueeze(1)});
         return nn::together({y.state, y.weights, nn::hopfield_energy(in[0], in[1], 2)});
       }}};
  return nn::module_row("hopfield_retrieve", over_layouts(bases));
}

CaseRow graph_attention() {
  using M = nn::GraphAttention;
  auto call = [](M& m, In in) {
    nn::Attended y = m(in[0], Tensor::from_bools({0, 1, 0, 1, 0, 0, 1, 1, 0}, {3, 3}));
    return nn::together({y.context, y.weights});
  };
  return nn::module_row(
      "GraphAttention",
      {module_case<M>("two heads", {.input = 2, .width = 2, .heads = 2}, {{2, 3, 2}}, call),
       module_case<M>("gatv2, the mean of two heads, no self-loops",
                      {.input = 2, .width = 2, .heads = 2, .v2 = true, .average = true, .self_loops = false},
                      {{2, 3, 2}}, call)});
}

CaseRow set_block() {
  using M = nn::SetBlock;
  auto call = [](M& m, In in) {
    nn::Attended y = m(in[0], text_words());
    return nn::together({y.context, y.weights});
  };
  return nn::module_row("SetBlock",
                        {module_case<M>("SAB", {.model = 2, .heads = 1}, {{2, 3, 2}}, call),
                         module_case<M>("ISAB", {.model = 2, .heads = 1, .inducing = 2}, {{2, 3, 2}}, call)});
}

}  // namespace

std::vector<CaseRow> memory_cases() {
  std::vector<CaseRow> rows{
      memory_network(), ntm_head(),       dnc(),      bidaf(),           coattention(), attention_over_attention(),
      decomposable(),   slot_attention(), hopfield(), graph_attention(), set_block()};
  return rows;
}

}  // namespace heed
