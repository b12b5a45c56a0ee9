// Cases of autograd/ops_norm.h: one and two axes, with and without weight and bias.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;
using LayerNorm = Variable (*)(const Variable&, const Variable&, const Variable&, const NormOptions&);
using RmsNorm = Variable (*)(const Variable&, const Variable&, const NormOptions&);

struct Try {
  Shape x;
  int axes;
};
// More than two elements a row: of two, a layer norm without eps makes 1 and -1, whatever they are.
const std::vector<Try> kTries = {{{4}, 1},       {{2, 3}, 1}, {{3, 3}, 1}, {{2, 2, 3}, 1},
                                 {{2, 2, 3}, 2}, {{0, 3}, 1}, {{2, 0}, 1}};

// f(in, options) with the first `optional` of the optional inputs.
template <class F>
void add_cases(std::vector<BaseCase>& bases, size_t optional, const F& f) {
  const char* words[] = {"", " weight", " weight, bias"};
  for (const Try& t : kTries) {
    Shape row;
    for (int i = t.x.rank() - t.axes; i < t.x.rank(); ++i) row.push_back(t.x[i]);
    std::vector<Shape> shapes{t.x};
    shapes.insert(shapes.end(), optional, row);
    bases.push_back({.label = to_string(t.x) + " axes " + std::to_string(t.axes) + words[optional],
                     .shapes = shapes,
                     .f = [f, options = NormOptions{.axes = t.axes, .eps = 0.1}](In in) { return f(in, options); }});
  }
}

CaseRow layer(const std::string& name, LayerNorm f) {
  std::vector<BaseCase> bases;
  add_cases(bases, 0, [f](In in, const NormOptions& o) { return f(in[0], {}, {}, o); });
  add_cases(bases, 1, [f](In in, const NormOptions& o) { return f(in[0], in[1], {}, o); });
  add_cases(bases, 2, [f](In in, const NormOptions& o) { return f(in[0], in[1], in[2], o); });
  return operation(name, bases);
}

CaseRow rms(const std::string& name, RmsNorm f) {
  std::vector<BaseCase> bases;
  add_cases(bases, 0, [f](In in, const NormOptions& o) { return f(in[0], {}, o); });
  add_cases(bases, 1, [f](In in, const NormOptions& o) { return f(in[0], in[1], o); });
  return operation(name, bases);
}

}  // namespace

std::vector<CaseRow> norm_cases() {
  return {layer("layer_norm", layer_norm), layer("layer_norm_composed", layer_norm_composed), rms("rms_norm", rms_norm),
          rms("rms_norm_composed", rms_norm_composed)};
}

}  // namespace heed
