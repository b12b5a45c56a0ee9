// Cases of autograd/ops_norm.h: one and two axes, with and without weight and bias.
#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

// f(x, weight, bias, options), where the last inputs may be missing. Rows have more than two elements: a layer norm
// without eps turns any two into 1 and -1.
template <class F>
CaseRow norms(const std::string& name, size_t optional_inputs, const F& f) {
  const std::string words[] = {"", " weight", " weight, bias"};
  std::vector<BaseCase> bases;
  for (const auto& [x, axes] : {std::pair{Shape{4}, 1},
                                {Shape{2, 3}, 1},
                                {Shape{3, 3}, 1},
                                {Shape{2, 2, 3}, 1},
                                {Shape{2, 2, 3}, 2},
                                {Shape{0, 3}, 1},
                                {Shape{2, 0}, 1}})
    for (size_t given = 0; given <= optional_inputs; ++given) {
      Shape row;
      for (int i = x.rank() - axes; i < x.rank(); ++i) row.push_back(x[i]);
      BaseCase base{.label = to_string(x) + " axes " + std::to_string(axes) + words[given],
                    .shapes = {x},
                    .f = [f, options = NormOptions{.axes = axes, .eps = 0.1}](In in) {
                      return f(in[0], in.size() > 1 ? in[1] : Variable(), in.size() > 2 ? in[2] : Variable(), options);
                    }};
      base.shapes.insert(base.shapes.end(), given, row);
      bases.push_back(base);
    }
  return operation(name, bases);
}

}  // namespace

std::vector<CaseRow> norm_cases() {
  using V = const Variable&;
  auto rms = [](V x, V w, V, const NormOptions& o) { return rms_norm(x, w, o); };
  auto rms_composed = [](V x, V w, V, const NormOptions& o) { return rms_norm_composed(x, w, o); };
  return {norms("layer_norm", 2, layer_norm), norms("layer_norm_composed", 2, layer_norm_composed),
          norms("rms_norm", 1, rms), norms("rms_norm_composed", 1, rms_composed)};
}

}  // namespace heed
