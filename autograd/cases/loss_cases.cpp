// Cases of autograd/ops_loss.h: every loss, reduction and option, with gradients towards the target too.
#include <cmath>
#include <functional>

#include "autograd/cases/layouts.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using Loss = std::function<Variable(const Variable& x, const Variable& target, Reduction)>;

std::vector<BaseCase> losses(const std::string& label, const Loss& f, Sampler sampler, const std::string& note = {}) {
  std::vector<BaseCase> bases;
  for (const Shape& shape : {Shape{}, Shape{4}, Shape{2, 3}, Shape{3, 3}, Shape{2, 2, 2}, Shape{0, 3}})
    for (const auto& [word, reduction] : reductions()) {
      if (element_count(shape) == 0 && reduction == Reduction::mean) continue;  // the mean over nothing is an error
      bases.push_back({.label = to_string(shape) + " " + word + label,
                       .shapes = {shape, shape},
                       .f = [f, r = reduction](In in) { return f(in[0], in[1], r); },
                       .sampler = sampler,
                       .note = note});
    }
  return bases;
}

// The first input is a multiple of 0.5 plus 0.2, the second a multiple of 0.5: |x - t| (0.2, 0.3, 0.7, ..) is never 0,
// 0.4 or 1.
Tensor on_two_grids(const Shape& shape, uint64_t number) {
  Tensor x = anywhere(shape, number);
  auto* p = x.data<double>();
  for (int64_t i = 0; i < x.count(); ++i) p[i] = std::floor(2 * p[i]) / 2 + (number == 0 ? 0.2 : 0);
  return x;
}
std::vector<BaseCase> on_grids(const std::string& label, const Loss& f) {
  return losses(label, f, on_two_grids, "x - t is a multiple of 0.5 plus 0.2: at least 0.2 from 0, 0.1 from 0.4 and 1");
}

Tensor probabilities(const Shape& shape, uint64_t number) {
  Generator rng(5000 + number);
  return Tensor::uniform(shape, rng, 0.1, 0.9, DType::f64);
}
const char* const kInside = "probabilities between 0.1 and 0.9";

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
  // One weight for all elements, or one per column.
  Tensor single = Tensor::scalar(2.5, DType::f64), columns = Tensor::from(std::vector<double>{0.5, 1.5, 2.5}, {3});
  auto weighted = [=](V x, V t, Reduction r) {
    Tensor w = x.rank() < 2 ? single : columns.slice(0, 0, x.size(-1));
    return bce_with_logits_loss(x, t, {.pos_weight = w.to(x.dtype()), .reduction = r});
  };
  std::vector<BaseCase> weighted_logits = losses(" weighted", weighted, anywhere);
  for (BaseCase& base : weighted_logits) base.constants = {base.shapes[0].rank() < 2 ? single : columns};
  return {operation("mse_loss", losses("", mse_loss, anywhere)),
          operation("l1_loss", on_grids("", l1_loss)),
          operation("huber_loss", joined({on_grids(" delta 1", huber(1)), on_grids(" delta 0.4", huber(0.4))})),
          operation("smooth_l1_loss", joined({on_grids(" beta 1", smooth(1)), on_grids(" beta 0.4", smooth(0.4)),
                                              on_grids(" beta 0", smooth(0))})),
          operation("bce_loss", losses("", bce_loss, probabilities, kInside)),
          operation("bce_with_logits_loss", joined({losses("", logits, anywhere), weighted_logits})),
          operation("kl_div", joined({losses("", kl(/*log_target=*/false), probabilities, kInside),
                                      losses(" log_target", kl(/*log_target=*/true), anywhere)}))};
}

}  // namespace heed
