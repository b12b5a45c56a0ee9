// Cases of nn/recurrent/: the gates of a step, fused and composed, the cell, whole sequences.
#include "autograd/cases/layouts.h"
#include "nn/cases/build.h"
#include "nn/recurrent/gru.h"

namespace heed {
namespace {

using nn::In;
using nn::module_case;

using Gates = Variable (*)(const Variable&, const Variable&, const Variable&, const Tensor&);

CaseRow gates(const std::string& name, Gates f) {
  std::vector<BaseCase> bases;
  for (const Shape& h : {Shape{2, 3}, Shape{1, 1}, Shape{3, 5}, Shape{0, 2}})
    for (bool keep : {false, true}) {
      int64_t B = h[0], N = h[1];
      Tensor kept = Tensor::from_bools(std::vector<int>(static_cast<size_t>(B), 1), {B});
      if (B > 1) kept.set({1}, 0);
      bases.push_back({.label = to_string(h) + (keep ? " one row kept" : ""),
                       .shapes = {{B, 3 * N}, {B, 3 * N}, h},
                       .f = [f, keep, kept](In in) { return f(in[0], in[1], in[2], keep ? kept : Tensor()); }});
    }
  // One step of all, as a sequence cuts it out: rows stand apart.
  bases.push_back({.label = "step 1 of [2, 3, 6]", .shapes = {{2, 3, 6}, {2, 6}, {2, 2}}, .f = [f](In in) {
                     return f(unstack(in[0], 1)[1], in[1], in[2], {});
                   }});
  return nn::module_row(name, over_layouts(bases));
}

Variable cell_twice(nn::GRUCell& m, In in) { return m(in[0], m(in[0], in[1])); }

}  // namespace

std::vector<CaseRow> recurrent_cases() {
  std::vector<Case> cell{
      module_case<nn::GRUCell>("[2, 2], [2, 3]", {.input = 2, .hidden = 3}, {{2, 2}, {2, 3}},
                               [](nn::GRUCell& m, In in) { return m(in[0], in[1]); }),
      module_case<nn::GRUCell>("two steps with the same weights", {.input = 2, .hidden = 2}, {{2, 2}, {2, 2}},
                               cell_twice),
      module_case<nn::GRUCell>("no bias", {.input = 2, .hidden = 2, .bias = false}, {{2, 2}, {2, 2}}, cell_twice),
  };

  Tensor two = Tensor::from(std::vector<int64_t>{3, 1}, {2}), all;
  std::vector<Case> gru;
  for (int64_t layers : {1, 2})
    for (bool both : {false, true})
      for (bool lengths : {false, true})
        for (bool state : {false, true}) {
          nn::GRUOptions options{.input = 2, .hidden = 2, .layers = layers, .bidirectional = both};
          std::string label = std::string("[2, 3, 2]") + (layers == 2 ? " two layers" : "") +
                              (both ? " both directions" : "") + (lengths ? " lengths 3, 1" : "") +
                              (state ? " given state" : "");
          Tensor cut = lengths ? two : all;
          int64_t rows = layers * (both ? 2 : 1);
          std::vector<Shape> data{{2, 3, 2}};
          if (state) data.push_back({rows, 2, 2});
          gru.push_back(module_case<nn::GRU>(label, options, data, [cut, state](nn::GRU& m, In in) {
            auto [y, h] = m(in[0], cut, state ? in[1] : Variable());
            return nn::together({y, h});
          }));
        }
  gru.push_back(module_case<nn::GRU>("[2, 3, 2] two layers, dropout between",
                                     {.input = 2, .hidden = 2, .layers = 2, .dropout = 0.5}, {{2, 3, 2}},
                                     [](nn::GRU& m, In in) { return m(in[0]).annotations; }));
  gru.push_back(module_case<nn::GRU>("[3, 2, 2] transposed", {.input = 2, .hidden = 2}, {{3, 2, 2}},
                                     [](nn::GRU& m, In in) { return m(transpose(in[0], 0, 1)).annotations; }));

  return {gates("gru_gates", nn::gru_gates), gates("gru_gates_composed", nn::gru_gates_composed),
          nn::module_row("GRUCell", std::move(cell)), nn::module_row("GRU", std::move(gru))};
}

}  // namespace heed
