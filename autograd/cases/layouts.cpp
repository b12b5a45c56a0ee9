#include "autograd/cases/layouts.h"

#include <cmath>
#include <numeric>

#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed {

Tensor anywhere(const Shape& shape, uint64_t number) {
  Generator rng(1000 + number);
  return Tensor::uniform(shape, rng, -2, 2, DType::f64);
}
Tensor positive(const Shape& shape, uint64_t number) {
  Generator rng(2000 + number);
  return Tensor::uniform(shape, rng, 0.5, 2.5, DType::f64);
}
Tensor off_integers(const Shape& shape, uint64_t number) {
  Tensor x = anywhere(shape, number);
  auto* p = x.data<double>();
  for (int64_t i = 0; i < x.count(); ++i) p[i] = std::floor(p[i]) + 0.1 + 0.8 * (p[i] - std::floor(p[i]));
  return x;
}
Tensor all_distinct(const Shape& shape, uint64_t number) {
  Tensor x = Tensor::empty(shape, DType::f64);
  std::vector<int64_t> order(static_cast<size_t>(x.count()));
  std::iota(order.begin(), order.end(), -x.count() / 2);
  Generator(3000 + number).shuffle(order);
  auto* p = x.data<double>();
  for (int64_t i = 0; i < x.count(); ++i)
    p[i] = 0.3 * static_cast<double>(order[static_cast<size_t>(i)]) + 0.1 * static_cast<double>(number);
  return x;
}

namespace {

enum Arrangement { contiguous_, transposed, sliced, expanded };
constexpr Arrangement kArrangements[] = {contiguous_, transposed, sliced, expanded};

const char* name_of(Arrangement layout) {
  constexpr const char* names[] = {"contiguous", "transposed", "sliced", "expanded"};
  return names[layout];
}

bool allows(const Shape& shape, Arrangement layout) {
  if (layout == transposed) return shape.rank() > 1;
  if (layout == expanded) return shape.rank() > 0 && shape[0] != 1;
  return layout == contiguous_ || shape.rank() > 0;
}

Shape leaf_shape(Shape shape, Arrangement layout) {
  int last = shape.rank() - 1;
  if (layout == transposed) std::swap(shape[last], shape[last - 1]);
  if (layout == sliced) shape[last] = 2 * shape[last] + 1;
  if (layout == expanded) shape[0] = 1;
  return shape;
}

Variable view_of(const Variable& leaf, const Shape& shape, Arrangement layout) {
  if (layout == transposed) return transpose(leaf, -1, -2);
  if (layout == sliced) return slice(leaf, -1, 1, leaf.size(-1), 2);
  return layout == expanded ? expand(leaf, shape) : leaf;
}

Case with_layouts(const BaseCase& base, const std::vector<Arrangement>& layouts, const std::string& label) {
  auto views = [shapes = base.shapes, layouts](const std::vector<Variable>& leaves) {
    std::vector<Variable> inputs;
    for (size_t i = 0; i < leaves.size(); ++i) inputs.push_back(view_of(leaves[i], shapes[i], layouts[i]));
    return inputs;
  };
  auto copies = [views, f = base.f](const std::vector<Variable>& leaves) {
    std::vector<Variable> inputs;
    for (const Variable& v : views(leaves)) inputs.emplace_back(v.value().clone());
    return f(inputs);
  };
  auto make = [shapes = base.shapes, layouts, sampler = base.sampler] {
    std::vector<Tensor> leaves;
    for (size_t i = 0; i < shapes.size(); ++i) leaves.push_back(sampler(leaf_shape(shapes[i], layouts[i]), i));
    return leaves;
  };
  return {label,  make,      [views, f = base.f](const std::vector<Variable>& leaves) { return f(views(leaves)); },
          copies, base.note, base.constants};
}

}  // namespace

std::vector<Case> over_layouts(const BaseCase& base) {
  std::vector<Case> cases;
  size_t n = base.shapes.size();
  auto fits = [&](size_t i, Arrangement layout) {
    return allows(base.shapes[i], layout) && (layout != expanded || base.expandable);
  };
  for (Arrangement layout : kArrangements) {  // all inputs alike, those that cannot stay contiguous
    std::vector<Arrangement> chosen;
    bool any = layout == contiguous_;
    for (size_t i = 0; i < n; ++i) {
      chosen.push_back(fits(i, layout) ? layout : contiguous_);
      any = any || chosen.back() == layout;
    }
    if (any) cases.push_back(with_layouts(base, chosen, base.label + " " + name_of(layout)));
  }
  for (size_t turn = 1; n > 1 && turn <= 2; ++turn) {  // input i in layout turn, turn + 1, ...
    std::vector<Arrangement> chosen;
    for (size_t i = 0; i < n; ++i) {
      Arrangement layout = kArrangements[(turn + i) % 4];
      chosen.push_back(fits(i, layout) ? layout : contiguous_);
    }
    cases.push_back(with_layouts(base, chosen, base.label + " mixed " + std::to_string(turn)));
  }
  return cases;
}

std::vector<Case> over_layouts(const std::vector<BaseCase>& bases) {
  std::vector<Case> cases;
  for (const BaseCase& base : bases)
    for (Case& c : over_layouts(base)) cases.push_back(std::move(c));
  return cases;
}

std::vector<Shape> usual_shapes() { return {{}, {4}, {2, 3}, {2, 2}, {2, 3, 2}, {2, 1, 3}, {1}, {0}, {2, 0, 3}}; }

std::vector<std::vector<Shape>> broadcasting_pairs() {
  return {{{}, {}},     {{4}, {4}},    {{2, 3}, {2, 3}},    {{2, 2}, {2, 2}}, {{2, 3}, {}},
          {{}, {2, 3}}, {{2, 3}, {3}}, {{3}, {2, 3}},       {{2, 3}, {2, 1}}, {{2, 1, 3}, {4, 1}},
          {{1}, {3}},   {{0}, {0}},    {{2, 0, 3}, {1, 3}}, {{0, 3}, {}},     {{2, 3, 2}, {2, 1, 2}}};
}

std::vector<BaseCase> each_shape(const std::vector<Shape>& shapes, const GradcheckFunction& f, Sampler sampler,
                                 const std::string& note, const std::string& prefix) {
  std::vector<BaseCase> bases;
  for (const Shape& shape : shapes)
    bases.push_back({.label = prefix + to_string(shape), .shapes = {shape}, .f = f, .sampler = sampler, .note = note});
  return bases;
}

std::vector<BaseCase> each_pair(Variable (*f)(const Variable&, const Variable&), Sampler sampler,
                                const std::string& note) {
  std::vector<BaseCase> bases;
  for (const auto& pair : broadcasting_pairs())
    bases.push_back({.label = to_string(pair[0]) + " " + to_string(pair[1]),
                     .shapes = pair,
                     .f = [f](const std::vector<Variable>& in) { return f(in[0], in[1]); },
                     .sampler = sampler,
                     .note = note});
  return bases;
}

std::vector<std::pair<std::string, Reduction>> reductions() {
  return {{"mean", Reduction::mean}, {"sum", Reduction::sum}, {"none", Reduction::none}};
}

CaseRow operation(const std::string& name, const std::vector<BaseCase>& bases) {
  return {.name = name, .kind = "operation", .cases = over_layouts(bases)};
}
CaseRow without(Seam seam, const std::string& reason, CaseRow row) {
  row.without.emplace_back(seam, reason);
  return row;
}
std::vector<BaseCase> joined(const std::vector<std::vector<BaseCase>>& lists) {
  std::vector<BaseCase> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace heed
