// Losses: hand-computed values, the edges where formulas break, and what is refused.
#include "autograd/ops_loss.h"

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tensor/allocator.h"
#include "tests/autograd/leak_free.h"
#include "tests/tensor/support.h"

using namespace heed;

namespace {

Variable row(const std::vector<double>& values) {
  return {Tensor::from(values, {static_cast<int64_t>(values.size())}), Variable::kRequiresGrad};
}

}  // namespace

TEST_CASE("losses: values by hand, and Reduction::none keeps the shape") {
  Variable x = row({1, -2, 0.25}), t = row({0, 0, 0});
  CHECK(mse_loss(x, t, Reduction::none).value().to_vector() == std::vector<double>{1, 4, 0.0625});
  CHECK(l1_loss(x, t, Reduction::sum).item() == 3.25);
  CHECK(huber_loss(x, t, {.delta = 0.5, .reduction = Reduction::none}).value().to_vector() ==
        std::vector<double>{0.375, 0.875, 0.03125});
  CHECK(smooth_l1_loss(x, t, {.beta = 0.5, .reduction = Reduction::none}).value().to_vector() ==
        std::vector<double>{0.75, 1.75, 0.0625});
  CHECK(smooth_l1_loss(x, t, {.beta = 0}).item() == l1_loss(x, t).item());
  Variable p = row({0.5, 0.25}), q = log(row({0.25, 0.25}));
  CHECK(kl_div(q, p, {.reduction = Reduction::none}).value().to_vector()[0] == doctest::Approx(0.5 * std::log(2)));
  Variable log_p = log(row({0.2, 0.8}));
  CHECK(nll_loss(log_p, Tensor::scalar(1, DType::i64)).item() == doctest::Approx(-std::log(0.8)));
  CHECK(nll_loss(log_p, Tensor::scalar(-100, DType::i64)).item() == 0);
  CHECK(mse_loss(row({}), row({}), Reduction::sum).item() == 0);
}

TEST_CASE("bce: certain and wrong costs 100, not infinity, and its gradient is finite") {
  Variable p = row({0, 1, 0, 1}), t = row({1, 0, 0, 1});
  Variable loss = bce_loss(p, t, Reduction::none);
  CHECK(loss.value().to_vector() == std::vector<double>{100, 100, 0, 0});
  backward(sum(loss));
  CHECK(all_finite(p.grad()));
}

TEST_CASE("bce with logits: bce of the sigmoid, far beyond where that overflows, in f32 too") {
  Variable x = row({-3, -0.5, 0, 2}), t = row({0, 1, 0.5, 0.25});
  CHECK(bce_with_logits_loss(x, t).item() == doctest::Approx(bce_loss(sigmoid(x), t).item()).epsilon(1e-12));
  for (DType d : {DType::f32, DType::f64}) {
    Variable far(Tensor::from(std::vector<double>{-1000, 1000, -1000, 1000}, {4}).to(d), Variable::kRequiresGrad);
    Variable hits(Tensor::from(std::vector<double>{0, 1, 1, 0}, {4}).to(d));
    Variable loss = bce_with_logits_loss(far, hits, {.reduction = Reduction::none});
    CHECK(loss.value().to_vector() == std::vector<double>{0, 0, 1000, 1000});
    backward(sum(loss));
    CHECK(far.grad().to_vector() == std::vector<double>{0, 0, -1, 1});
  }
  // A pos_weight counts where the target is above 0 only, even if it is infinite.
  BceLogitsOptions weighted{.pos_weight = Tensor::full({1}, INFINITY, DType::f64), .reduction = Reduction::none};
  Variable negative = row({0.75, -2});
  negative = Variable(negative.value(), Variable::kRequiresGrad);
  Variable loss = bce_with_logits_loss(negative, row({0, 0}), weighted);
  CHECK(loss.value().to_vector()[0] == doctest::Approx(std::log1p(std::exp(0.75))));
  backward(sum(loss));
  CHECK(negative.grad().to_vector()[1] == doctest::Approx(1 / (1 + std::exp(2.0))));
  // The small loss of a good guess keeps its digits: log(1 + e^-20) is 2.06e-9, and 1 + e^-20 is 1 in f32.
  Variable good(Tensor::scalar(20)), one(Tensor::scalar(1));
  CHECK(bce_with_logits_loss(good, one).item() == doctest::Approx(std::exp(-20.0)).epsilon(1e-5));
}

TEST_CASE("kl_div: 0 log 0 is 0, and the mean is that of the rows") {
  Variable t(Tensor::from(std::vector<double>{0, 1, 0.5, 0.5}, {2, 2}));
  Variable q(log(Variable(Tensor::full({2, 2}, 0.5, DType::f64))));
  CHECK(kl_div(q, t).item() == doctest::Approx(std::log(2) / 2));
  CHECK(kl_div(q, t, {.reduction = Reduction::sum}).item() == doctest::Approx(std::log(2)));
}

TEST_CASE_FIXTURE(LeakFree,
                  "cross_entropy: the gradient takes the place of logits that nobody holds, and of no others") {
  Generator rng(3);
  const Tensor start = Tensor::normal({32, 5000}, rng), targets = Tensor::arange(32);
  auto gradient = [&](bool hold, bool twice, bool view) {
    Variable x(Tensor::zeros({5000}));
    x.set_requires_grad(true);
    Variable logits = x + start;
    Tensor alias = view ? logits.value().slice(0, 0, 1) : Tensor();
    Variable loss = cross_entropy(logits, targets);
    if (!hold) logits = Variable();
    reset_peak();
    uint64_t before = allocator_stats().live_bytes;
    backward(loss, {.retain_graph = twice});
    auto more = static_cast<double>(allocator_stats().peak_bytes - before) / (32 * 5000 * 4);
    if (hold) CHECK(bit_equal(logits.value(), start));
    if (view) CHECK(bit_equal(alias, start.slice(0, 0, 1)));
    if (twice) {
      x.zero_grad();
      backward(loss);
    }
    return std::pair(x.grad(), more);
  };
  auto [grad, more] = gradient(false, false, false);
  CHECK(more < 0.2);
  for (auto [hold, twice, view] : {std::tuple(true, false, false), {false, true, false}, {false, false, true}}) {
    auto [same, twofold] = gradient(hold, twice, view);
    CHECK(bit_equal(same, grad));
    CHECK(twofold > 0.9);
  }
}
