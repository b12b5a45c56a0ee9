// Everything that backward reads is watched. Between the forward and the backward pass each input, parameter, mask,
// output and handed-out tensor is overwritten in turn; the gradient must then be the right one, or an error that says
// "overwritten". A wrong number in silence is the one thing that must not happen. Both passes are tried: the plain one
// (fused kernels) and the recorded one (create_graph, which replays the composed form).
#include <fmt/format.h>

#include "nn/attention/attend.h"
#include "nn/attention/attention_pooling.h"
#include "nn/attention/normalisers/hard.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/readers/hard.h"
#include "nn/attention/scores/additive_score.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/cases/cases.h"
#include "nn/models/attention_decoder.h"
#include "nn/pool.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"
#include "nn/recurrent/side_by_side.h"
#include "tensor/compare.h"
#include "tests/nn/module_support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

struct Made {
  std::vector<Variable> outputs;
  std::vector<Tensor> handed_out = {};  // beside the outputs: attention weights
};
using Leaves = const std::vector<Variable>&;
using Masks = const std::vector<Tensor>&;

struct Operation {
  std::string name;
  std::vector<Shape> inputs;
  std::vector<Tensor> masks;
  std::function<Made(Leaves, Masks)> call;
};

void overwrite(Tensor t) {
  if (t.dtype() == DType::boolean)
    copy_into(t, logical_not(t));
  else if (t.dtype() == DType::i64)
    fill_into(t, 1);
  else
    fill_into(t, 0.375);
}

// The gradients of all leaves, under fixed seeds; what `spoil` does happens between the two passes.
template <class Spoil>
std::vector<Tensor> gradients_of(const Operation& op, bool recorded, const Spoil& spoil) {
  std::vector<Variable> leaves;
  for (size_t i = 0; i < op.inputs.size(); ++i) leaves.push_back(leaf(op.inputs[i], 10 + i, DType::f64));
  std::vector<Tensor> masks;
  for (const Tensor& m : op.masks) masks.push_back(m.clone());
  Made made = op.call(leaves, masks);
  std::vector<Tensor> places;
  for (const Variable& x : leaves) places.push_back(x.value());
  for (const Tensor& m : masks) places.push_back(m);
  for (const Variable& y : made.outputs) places.push_back(y.value());
  for (const Tensor& t : made.handed_out) places.push_back(t);
  std::vector<Variable> seeds;
  for (size_t k = 0; k < made.outputs.size(); ++k)
    seeds.emplace_back(random(made.outputs[k].shape(), 50 + k, DType::f64));
  spoil(places);
  std::vector<Tensor> out;
  for (const Variable& g : grad(made.outputs, leaves, {.seeds = seeds, .create_graph = recorded, .allow_unused = true}))
    out.push_back(g.defined() ? g.value().clone() : Tensor());
  return out;
}

bool agree(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].defined() != b[i].defined()) return false;
    if (a[i].defined() && !(relative_error(a[i], b[i]) <= 1e-12)) return false;
  }
  return true;
}

// Overwrites each place in turn; how many of them the engine refused.
int refusals(const Operation& op, bool recorded) {
  CAPTURE(op.name);
  CAPTURE(recorded);
  size_t count = 0;
  std::vector<Tensor> right = gradients_of(op, recorded, [&](Masks places) { count = places.size(); });
  int refused = 0;
  for (size_t k = 0; k < count; ++k) {
    CAPTURE(k);  // inputs, masks, outputs, handed-out tensors, in this order
    try {
      std::vector<Tensor> got = gradients_of(op, recorded, [&](Masks places) { overwrite(places[k]); });
      CHECK(agree(got, right));
    } catch (const GraphError& error) {
      CHECK(std::string(error.what()).find("overwritten") != std::string::npos);
      ++refused;
    }
  }
  return refused;
}

Tensor bools(const std::vector<int>& values, const Shape& shape) { return Tensor::from_bools(values, shape); }

// x [3, 2, 2], the weights, the biases, the parts of the first state.
Operation sequence(const char* name, nn::SequenceStates (*run)(const nn::SequenceInputs&), int64_t G, size_t parts,
                   bool backwards) {
  std::vector<Shape> inputs{{3, 2, 2}, {G * 3, 2}, {G * 3, 3}, {G * 3}, {G * 3}};
  inputs.insert(inputs.end(), parts, Shape{2, 3});
  return {name, inputs, {bools({1, 1, 1, 0, 1, 0}, {3, 2})}, [=](Leaves in, Masks masks) {
            auto [outputs, last] =
                run({in[0], in[1], in[2], in[3], in[4], {in.begin() + 5, in.end()}, masks[0], backwards});
            last.push_back(outputs);
            return Made{last};
          }};
}

Operation heads(const char* evaluator, const nn::HeadMasks& which) {
  nn::MultiHeadOptions o{.model = 4, .heads = 2, .evaluator = nn::stage_from(nn::Kind::evaluator, evaluator)};
  std::vector<Tensor> masks{bools({1, 1, 1, 1, 1, 0}, {2, 3}), bools({1, 0, 1, 1, 1, 0, 1, 1, 1}, {3, 3}),
                            random({2, 1, 3, 3}, 5, DType::f64)};
  return {fmt::format("MultiHeadAttention {}", evaluator),
          {{2, 3, 4}, {12, 4}, {12}, {4, 4}, {4}},
          masks,
          [=](Leaves in, Masks given) {
            Generator rng(1);
            nn::MultiHeadAttention m(o, rng);
            m.in_proj_weight = in[1], m.in_proj_bias = in[2], m.out_proj.weight = in[3], m.out_proj.bias = in[4];
            nn::HeadMasks use = which;
            if (which.words.defined()) use.words = given[0];
            if (which.allowed.defined()) use.allowed = given[1];
            if (which.bias.defined()) use.bias = given[2];
            nn::MultiHeadOutput seen = m(in[0], use);
            if (seen.weights.defined()) return Made{{seen.output, seen.weights}};
            return Made{{seen.output}};
          }};
}

std::vector<Operation> heads_of(const char* evaluator) {
  Tensor some = bools({1}, {1});
  return {heads(evaluator, {}), heads(evaluator, {.words = some}), heads(evaluator, {.allowed = some}),
          heads(evaluator, {.words = some, .allowed = some, .bias = Variable(some)})};
}

std::vector<Operation> operations() {
  std::vector<Operation> all;
  for (bool backwards : {false, true}) {
    all.push_back(sequence("rnn_tanh_sequence", nn::rnn_tanh_sequence, 1, 1, backwards));
    all.push_back(sequence("rnn_relu_sequence", nn::rnn_relu_sequence, 1, 1, backwards));
    all.push_back(sequence("gru_sequence", nn::gru_sequence, 3, 1, backwards));
    all.push_back(sequence("lstm_sequence", nn::lstm_sequence, 4, 2, backwards));
  }
  Tensor row = bools({1, 0}, {2});
  all.push_back({"gru_gates", {{2, 9}, {2, 9}, {2, 3}}, {row}, [](Leaves in, Masks masks) {
                   return Made{{nn::gru_gates(in[0], in[1], in[2], masks[0])}};
                 }});
  all.push_back({"lstm_gates", {{2, 12}, {2, 12}, {2, 3}, {2, 3}}, {row}, [](Leaves in, Masks masks) {
                   auto [h, c] = nn::lstm_gates(in[0], in[1], {in[2], in[3]}, masks[0]);
                   return Made{{h, c}};
                 }});
  all.push_back({"RNNCell", {{2, 3}, {2, 3}, {3, 3}}, {row}, [](Leaves in, Masks masks) {
                   Generator rng(1);
                   nn::RNNCell cell({.input = 3, .hidden = 3, .bias = false}, rng);
                   cell.weight_hh = in[2];
                   return Made{{cell.apply_state(in[0], in[1], masks[0])}};
                 }});
  all.push_back(
      {"side_by_side", {{3, 2, 2}, {3, 2, 2}}, {bools({1, 1, 1, 0, 1, 0}, {3, 2})}, [](Leaves in, Masks masks) {
         return Made{{nn::side_by_side({in[0], in[1]}, masks[0])}};
       }});
  all.push_back({"additive_score", {{2, 2, 3}, {2, 3, 3}, {3}}, {}, [](Leaves in, Masks) {
                   return Made{{nn::additive_score(in[0], in[1], in[2])}};
                 }});
  all.push_back({"attention_decoder",
                 {{2, 2, 2}, {2, 2}, {2, 3, 3}, {2, 3, 2}, {2, 2}, {2}, {6, 5}, {6, 2}, {6}, {6}},
                 {bools({1, 1, 1, 1, 1, 0}, {2, 1, 3})},
                 [](Leaves in, Masks masks) {
                   nn::DecoderOutputs out = nn::attention_decoder(
                       {in[0], in[1], in[2], in[3], masks[0], in[4], in[5], in[6], in[7], in[8], in[9]});
                   return Made{{out.joined}, {out.weights}};
                 }});
  all.push_back({"rotate_pairs", {{2, 3, 2, 4}}, {}, [](Leaves in, Masks) {
                   return Made{{nn::rotate_pairs(in[0], {.first = 3})}};
                 }});
  all.push_back({"straight_through", {{2, 3}}, {}, [](Leaves in, Masks) {
                   return Made{{nn::straight_through(softmax(in[0], -1))}};
                 }});
  all.push_back({"read_chosen",
                 {{2, 2, 3}, {2, 3, 2}},
                 {Tensor::from(std::vector<int64_t>{2, 0, 0, 1}, {2, 2})},
                 [](Leaves in, Masks masks) {
                   nn::HardRead seen = nn::read_chosen(softmax(in[0], -1), in[1], masks[0]);
                   return Made{{seen.context, seen.log_probability, seen.entropy}};
                 }});
  all.push_back({"attend", {{2, 2, 3}, {2, 3, 2}}, {bools({1, 1, 0, 1, 0, 1}, {2, 1, 3})}, [](Leaves in, Masks masks) {
                   nn::Attended seen = nn::attend(in[0], in[1], masks[0]);
                   return Made{{seen.context, seen.weights}};
                 }});
  for (const char* name : {"mean", "max", "lasttoken"})
    all.push_back({fmt::format("pool {}", name),
                   {{2, 3, 2}},
                   {bools({1, 1, 1, 1, 1, 0}, {2, 3})},
                   [name](Leaves in, Masks masks) { return Made{{nn::pool(name, in[0], masks[0])}}; }});
  all.push_back({"AttentionPooling",
                 {{2, 3, 3}, {2, 3, 2}, {2, 3}},
                 {bools({1, 1, 1, 1, 1, 0}, {2, 3})},
                 [](Leaves in, Masks masks) {
                   Generator rng(1);
                   nn::AttentionPooling m({.score = {.name = "dot", .query = 3, .key = 3}, .rows = 2}, rng);
                   m.query = in[2];
                   nn::Attended seen = m(in[0], in[1], masks[0]);
                   return Made{{seen.context, seen.weights}};
                 }});
  Tensor some = bools({1}, {1});
  for (const char* evaluator : {"dense", "chunked:2"})
    for (Operation& op : heads_of(evaluator)) all.push_back(std::move(op));
  all.push_back(heads("tiled", {}));
  all.push_back(heads("dense", {.words = some, .weights = true}));
  return all;
}

}  // namespace

TEST_CASE("overwritten: every fused operation watches what its gradient reads") {
  for (const Operation& op : operations())
    for (bool recorded : {false, true}) {
      int refused = refusals(op, recorded);
      CAPTURE(op.name);
      if (op.name.ends_with("_sequence") || op.name.ends_with("_gates") || op.name.starts_with("a")) CHECK(refused > 0);
    }
}

TEST_CASE("overwritten: tiled attention with masks and a bias") {
  for (const Operation& op : heads_of("tiled"))
    for (bool recorded : {false, true}) refusals(op, recorded);
}

TEST_CASE("overwritten: every row of the modules' case table, each leaf in turn") {
  for (const CaseRow& row : heed::module_cases())
    for (const Case& c : row.cases) {
      std::vector<Shape> shapes;
      for (const Tensor& t : c.leaves()) shapes.push_back(t.shape());
      Operation op{row.name + " " + c.label, shapes, {}, [&c](Leaves in, Masks) { return Made{{c.f(in)}}; }};
      for (bool recorded : {false, true})
        if (!recorded || row.second_order == CaseRow::full) refusals(op, recorded);
    }
}

// What a hook is shown is what the module goes on with.
TEST_CASE("overwritten: every result that a module shows to its hooks") {
  for (const ModuleCase& c : nn_test::module_cases()) {
    CAPTURE(c.name);
    auto run = [&](size_t spoilt, size_t* count) {
      auto made = c.make(1);
      AnyModule& m = *made;
      std::vector<Tensor> shown;
      for (nn::Module* child : nn::detail::collect(m).modules)
        child->output_hooks = {[&shown](std::string_view, const Variable& value) {
          shown.push_back(value.value());
          return Variable();
        }};
      Variable loss = m.loss(DType::f32);
      if (count) *count = shown.size();
      if (spoilt < shown.size()) overwrite(shown[spoilt]);
      backward(loss);
      return gradients(m);
    };
    size_t count = 0;
    std::vector<Tensor> right = run(SIZE_MAX, &count);
    for (size_t k = 0; k < count; ++k) {
      CAPTURE(k);
      try {
        std::vector<Tensor> got = run(k, nullptr);
        CHECK(same_bits(got, right));
      } catch (const GraphError& error) { CHECK(std::string(error.what()).find("overwritten") != std::string::npos); }
    }
  }
}
