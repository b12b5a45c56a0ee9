// Losses at the ends of their domains: a logit or a log-probability may be infinite, a probability 0. There formulas
// read 0 log 0 or 0 times infinity, and the value is the limit from within. So is each derivative that has one.
//
// The limit is measured in f64 beside the end: at 1e300 for infinity, at 1e-307 for 0.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "autograd/backward.h"
#include "autograd/ops.h"

using namespace heed;

namespace {

struct Loss {
  std::string name;
  std::function<Variable(const Variable& x, const Variable& t)> f;  // of [n] and [n], element by element
  std::vector<double> x, t;                                         // places, ends among them
};

double beside(double end) { return std::isinf(end) ? std::copysign(1e300, end) : end == 0 ? 1e-307 : end; }

// The loss at (x, t), then its derivatives with respect to x and t (NaN if there is none), then those of their sum.
std::vector<double> derivatives(const Loss& loss, double x, double t, DType dtype) {
  auto leaf = [dtype](double v) { return Variable(Tensor::full({1}, v, dtype), Variable::kRequiresGrad); };
  Variable in = leaf(x), target = leaf(t), y = loss.f(in, target);
  std::vector<double> out{y.value().to_vector()[0]};
  std::vector<Variable> first;
  for (const Variable& d : grad({sum(y)}, {in, target}, {.create_graph = true, .allow_unused = true})) {
    out.push_back(d.defined() ? d.item() : 0);
    if (d.defined() && d.requires_grad()) first.push_back(sum(d));
  }
  if (first.empty()) return out;
  for (const Variable& d : grad(first, {in, target}, {.allow_unused = true})) out.push_back(d.defined() ? d.item() : 0);
  return out;
}

std::vector<Loss> losses() {
  const double inf = INFINITY;
  const std::vector<double> logits{-inf, inf, 0.75}, shares{0, 1, 0.25}, logs{-inf, -0.5};
  auto with_weight = [](double w) {
    return [w](const Variable& x, const Variable& t) {
      return bce_with_logits_loss(x, t, {.pos_weight = Tensor::full({1}, w, x.dtype()), .reduction = Reduction::none});
    };
  };
  auto kl = [](bool log_target) {
    return [=](const Variable& x, const Variable& t) {
      return kl_div(x, t, {.log_target = log_target, .reduction = Reduction::none});
    };
  };
  // Two classes with the logits x and 0; the second has the weight 0, or the target its whole weight.
  auto classes = [](const Variable& x) { return stack({x, Variable(Tensor::zeros({1}, x.dtype()))}, -1); };
  auto soft = [=](auto entropy) {
    return [=](const Variable& x, const Variable& t) {
      Tensor share = t.value().unsqueeze(-1);
      return entropy(classes(x), concat({share, sub(1, share)}, -1), {.reduction = Reduction::none});
    };
  };
  auto weighted = [=](auto entropy) {
    return [=](const Variable& x, const Variable&) {
      Tensor weight = Tensor::from(std::vector<double>{0, 1}, {2}).to(x.dtype());
      return entropy(classes(x), Tensor::zeros({1}, DType::i64), {.reduction = Reduction::none, .weight = weight});
    };
  };
  auto distance = [](auto f) { return [f](const Variable& x, const Variable& t) { return f(x, t, Reduction::none); }; };
  return {
      {"bce_with_logits_loss",
       [](const Variable& x, const Variable& t) { return bce_with_logits_loss(x, t, {.reduction = Reduction::none}); },
       logits, shares},
      {"bce_with_logits_loss, sum",
       [](const Variable& x, const Variable& t) {
         return reshape(bce_with_logits_loss(x, t, {.reduction = Reduction::sum}), {1});
       },
       logits, shares},
      {"bce_with_logits_loss, mean",
       [](const Variable& x, const Variable& t) { return reshape(bce_with_logits_loss(x, t), {1}); }, logits, shares},
      {"bce_with_logits_loss, pos_weight 3", with_weight(3), logits, shares},
      {"bce_with_logits_loss, pos_weight 0", with_weight(0), logits, shares},
      {"bce_loss", distance(bce_loss), {0.25, 0.75}, shares},
      {"kl_div", kl(false), logs, {0, 0.25, 1}},
      {"kl_div of logs", kl(true), logs, {-inf, -0.25, 0}},
      {"cross_entropy", soft(cross_entropy), logits, shares},
      {"cross_entropy_composed", soft(cross_entropy_composed), logits, shares},
      {"cross_entropy, weight 0", weighted(cross_entropy), logits, {0}},
      {"cross_entropy_composed, weight 0", weighted(cross_entropy_composed), logits, {0}},
      {"mse_loss", distance(mse_loss), logits, {0.25}},
      {"l1_loss", distance(l1_loss), logits, {0.25}},
      {"huber_loss",
       [](const Variable& x, const Variable& t) { return huber_loss(x, t, {.reduction = Reduction::none}); },
       logits,
       {0.25}},
      {"smooth_l1_loss",
       [](const Variable& x, const Variable& t) { return smooth_l1_loss(x, t, {.reduction = Reduction::none}); },
       logits,
       {0.25}}};
}

}  // namespace

TEST_CASE("limits: losses and their derivatives where a logit is infinite or a probability 0") {
  for (const Loss& loss : losses())
    for (double x : loss.x)
      for (double t : loss.t) {
        const std::vector<double> want = derivatives(loss, beside(x), beside(t), DType::f64);
        for (DType dtype : {DType::f32, DType::f64}) {
          const std::vector<double> got = derivatives(loss, x, t, dtype);
          REQUIRE(got.size() == want.size());
          for (size_t i = 0; i < got.size(); ++i) {
            if (i > 0 && !(std::abs(want[i]) < 100)) continue;  // that derivative has no limit
            bool right = std::abs(got[i] - want[i]) < 1e-5;
            if (std::abs(want[i]) > 1e100) right = std::isinf(got[i]) && (got[i] > 0) == (want[i] > 0);
            const char* what = i == 0 ? "value" : i < 3 ? "derivative" : "second derivative";
            CHECK_MESSAGE(right, fmt::format("{} {} at {}, {}: {} {} for {}", loss.name, name_of(dtype), x, t, what,
                                             got[i], want[i]));
          }
        }
      }
}
