// Cases of autograd/ops_loss.h: every loss, reduction and option, with gradients towards the target too.
#include <cmath>
#include <functional>

#include "autograd/cases/layouts.h"
#include "autograd/ops.h"
#include "tensor/elementwise.h"

namespace heed {
namespace {

using In = const std::vector<Variable>&;
using Loss = std::function<Variable(const Variable& x, const Variable& target, Reduction)>;

const std::vector<std::pair<std::string, Reduction>> kReductions = {
    {"mean", Reduction::mean}, {"sum", Reduction::sum}, {"none", Reduction::none}};

std::vector<BaseCase> losses(const std::string& label, const Loss& f, Sampler sampler, const std::string& note = {}) {
  std::vector<BaseCase> bases;
  for (const Shape& shape : {Shape{}, Shape{4}, Shape{2, 3}, Shape{3, 3}, Shape{2, 2, 2}, Shape{0, 3}})
    for (const auto& [word, reduction] : kReductions) {
      if (element_count(shape) == 0 && reduction == Reduction::mean) continue;  // the mean over nothing is an error
      bases.push_back({.label = to_string(shape) + " " + word + label,
                       .shapes = {shape, shape},
                       .f = [f, r = reduction](In in) { return f(in[0], in[1], r); },
                       .sampler = sampler,
                       .note = note});
    }
  return bases;
}

std::vector<BaseCase> joined(std::vector<BaseCase> a, const std::vector<BaseCase>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The first input is at a tenth below the second's grid, so that |x - t| is k + 0.5 or so: never at 0, 0.4 or 1.
Tensor on_two_grids(const Shape& shape, uint64_t number) {
  Tensor x = anywhere(shape, number);
  auto* p = x.data<double>();
  for (int64_t i = 0; i < x.count(); ++i) p[i] = std::floor(2 * p[i]) / 2 + (number == 0 ? 0.2 : 0);
  return x;
}
const char* const kGrids = "x - t is a multiple of 0.5 plus 0.2: at least 0.2 from 0, 0.1 from 0.4 and 1";

Tensor probabilities(const Shape& shape, uint64_t number) {
  Generator rng(5000 + number);
  return Tensor::uniform(shape, rng, 0.1, 0.9, DType::f64);
}
const char* const kInside = "probabilities between 0.1 and 0.9";

CaseRow likelihood() {
  struct Try {
    std::string label;
    Shape log_p;
    std::vector<int64_t> targets;  // -100 is ignored
  };
  std::vector<BaseCase> bases;
  for (const Try& t : {Try{"[4]", {4}, {2}}, Try{"[3, 4]", {3, 4}, {1, 3, 1}},
                       Try{"[2, 2, 3]", {2, 2, 3}, {0, 2, 1, 0}}, Try{"[3, 3] one ignored", {3, 3}, {1, -100, 2}},
                       Try{"[2, 3] all ignored", {2, 3}, {-100, -100}}, Try{"[0, 3]", {0, 3}, {}}})
    for (const auto& [word, reduction] : kReductions) {
      Shape shape = t.log_p;
      shape.erase(shape.rank() - 1);
      bases.push_back({.label = t.label + " " + word,
                       .shapes = {t.log_p},
                       .f = [r = reduction, targets = Tensor::from(t.targets, shape)](In in) {
                         return nll_loss(in[0], targets, {.reduction = r});
                       }});
    }
  return operation("nll_loss", bases);
}

}  // namespace

std::vector<CaseRow> loss_cases() {
  using V = const Variable&;
  auto huber = [](double delta) {
    return [delta](V x, V t, Reduction r) { return huber_loss(x, t, {.delta = delta, .reduction = r}); };
  };
  auto smooth = [](double beta) {
    return [beta](V x, V t, Reduction r) { return smooth_l1_loss(x, t, {.beta = beta, .reduction = r}); };
  };
  auto kl = [](bool log_target) {
    return [log_target](V x, V t, Reduction r) { return kl_div(x, t, {.log_target = log_target, .reduction = r}); };
  };
  auto logits = [](V x, V t, Reduction r) { return bce_with_logits_loss(x, t, {.reduction = r}); };
  auto weighted = [](V x, V t, Reduction r) {  // one weight for all, or one a column
    Tensor w = x.rank() < 2 ? Tensor::scalar(2.5, x.dtype())
                            : add(Tensor::arange(0, static_cast<double>(x.size(-1)), 1, x.dtype()), 0.5);
    return bce_with_logits_loss(x, t, {.pos_weight = w, .reduction = r});
  };
  return {
      operation("mse_loss", losses("", mse_loss, anywhere)),
      operation("l1_loss", losses("", l1_loss, on_two_grids, kGrids)),
      operation("huber_loss", joined(losses(" delta 1", huber(1), on_two_grids, kGrids),
                                     losses(" delta 0.4", huber(0.4), on_two_grids, kGrids))),
      operation("smooth_l1_loss", joined(joined(losses(" beta 1", smooth(1), on_two_grids, kGrids),
                                                losses(" beta 0.4", smooth(0.4), on_two_grids, kGrids)),
                                         losses(" beta 0", smooth(0), on_two_grids, kGrids))),
      operation("bce_loss", losses("", bce_loss, probabilities, kInside)),
      operation("bce_with_logits_loss", joined(losses("", logits, anywhere), losses(" weighted", weighted, anywhere))),
      operation("kl_div", joined(losses("", kl(/*log_target=*/false), probabilities, kInside),
                                 losses(" log_target", kl(/*log_target=*/true), anywhere))),
      likelihood(),
  };
}

}  // namespace heed
