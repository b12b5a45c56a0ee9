// Losses and softmax at extreme magnitudes: against the formula in long double, in f32 and f64, fused and composed.
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "tests/autograd/leak_free.h"

using namespace heed;

namespace {

using Long = long double;
constexpr double kInf = std::numeric_limits<double>::infinity();
double eps_of(DType d) { return d == DType::f32 ? 0x1p-23 : 0x1p-52; }

// log(1 + e^x)
Long softplus_of(Long x) { return std::max<Long>(x, 0) + std::log1p(std::exp(-std::abs(x))); }
Long sigmoid_of(Long x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

// got and want agree to `ulps` units of the type, of the wanted size or of `scale`. Equal infinities agree.
void close(double got, Long want, DType d, double ulps, Long scale = 0) {
  if (got == static_cast<double>(want)) return;
  Long size = std::max(std::abs(want), scale);
  bool overflow = d == DType::f32 && std::abs(want) > 3.4e38L && std::isinf(got);
  if (!overflow)
    CHECK(std::abs(got - want) <= std::max<Long>(ulps * eps_of(d) * size, d == DType::f32 ? 1e-37L : 1e-300L));
}

struct Softmaxed {
  std::vector<Long> log_p, p;
};
Softmaxed softmax_of(const std::vector<double>& x) {
  Long top = -kInf, total = 0;
  for (double v : x) top = std::max<Long>(top, v);
  for (double v : x) total += std::exp(v - top);
  Softmaxed s;
  for (double v : x) s.log_p.push_back(v - top - std::log(total)), s.p.push_back(std::exp(v - top) / total);
  return s;
}

const std::vector<std::vector<double>> kRows = {
    {1e8, 1e8, 1e8},    {-1e8, -1e8, -1e8}, {1e30, 1e30, -1e30}, {1e38, 1e38, -1e38}, {1000, 999, 0}, {-1e4, 1e4, 1e4},
    {1e8, 1e8 - 64, 0}, {0, -kInf, 0},      {5, -kInf, -kInf},   {1e-30, 0, -1e-30},  {88, 88.5, 87}, {0, -20, -40}};

std::vector<double> in_type(const std::vector<double>& x, DType d) {
  return Tensor::from(x, {static_cast<int64_t>(x.size())}).to(d).to_vector();
}
Variable row(const std::vector<double>& x, DType d) {
  return {Tensor::from(x, {static_cast<int64_t>(x.size())}).to(d), Variable::kRequiresGrad};
}

}  // namespace

TEST_CASE_FIXTURE(LeakFree, "extremes: cross-entropy, fused and composed, at every target, weight and smoothing") {
  CHECK(cross_entropy(Variable(Tensor::full({1, 2}, 1e8)), Tensor::zeros({1}, DType::i64)).item() ==
        doctest::Approx(std::log(2.0)));
  const std::vector<double> weights = {0.5, 2, 0}, soft = {0.25, 0.75, 0};
  for (DType d : {DType::f32, DType::f64})
    for (const auto& given : kRows) {
      std::vector<double> x = in_type(given, d);
      Softmaxed s = softmax_of(x);
      for (double smoothing : {0.0, 0.125})
        for (bool weighted : {false, true})
          for (int64_t target : {0, 1, 2, -1}) {  // -1: a distribution
            std::vector<Long> q;
            Long loss = 0, mass = 0;
            for (size_t v = 0; v < 3; ++v) {
              Long t = target < 0 ? soft[v] : static_cast<size_t>(target) == v;
              q.push_back((weighted ? weights[v] : 1) * ((1 - smoothing) * t + smoothing / 3));
              mass += q[v];
              if (q[v] != 0) loss -= q[v] * s.log_p[v];
            }
            CrossEntropyOptions o{.label_smoothing = smoothing, .reduction = Reduction::sum};
            if (weighted) o.weight = Tensor::from(weights, {3}).to(d);
            Tensor t =
                target < 0 ? Tensor::from(soft, {3}).to(d) : Tensor::full({}, static_cast<double>(target), DType::i64);
            for (auto f : {cross_entropy, cross_entropy_composed}) {
              CAPTURE(x[1]);
              CAPTURE(target);
              CAPTURE(smoothing);
              Variable in = row(x, d), y = f(in, t, o);
              close(y.item(), loss, d, 8, mass);
              if (!std::isfinite(static_cast<double>(loss))) continue;
              backward(y);
              for (size_t v = 0; v < 3; ++v)
                close(in.grad().to_vector()[v], mass * s.p[v] - q[v], d, 8, std::max<Long>(mass, 1e-30L));
            }
          }
    }
}

TEST_CASE_FIXTURE(LeakFree, "extremes: softmax, log_softmax and logsumexp with their gradients") {
  for (DType d : {DType::f32, DType::f64})
    for (const auto& given : kRows) {
      std::vector<double> x = in_type(given, d);
      Softmaxed s = softmax_of(x);
      Variable in = row(x, d), p = softmax(in), log_p = log_softmax(in), z = logsumexp(in);
      for (size_t v = 0; v < 3; ++v) {
        close(p.value().to_vector()[v], s.p[v], d, 4, 1e-30L);
        close(log_p.value().to_vector()[v], s.log_p[v], d, 4, 1);
      }
      CAPTURE(x[0]);
      for (bool recorded : {false, true}) {
        Variable dz = grad({z}, {in}, {.create_graph = recorded, .retain_graph = true})[0];
        for (size_t v = 0; v < 3; ++v) close(dz.value().to_vector()[v], s.p[v], d, 4, 1e-30L);
      }
      backward(sum(slice(log_p, 0, 0, 1)));
      for (size_t v = 0; v < 3; ++v) close(in.grad().to_vector()[v], (v == 0) - s.p[v], d, 4, 1);
    }
}

TEST_CASE_FIXTURE(LeakFree, "extremes: bce with logits keeps the digits of good guesses and of bad ones") {
  for (DType d : {DType::f32, DType::f64})
    for (double x : {0.0, 1e-30, -1e-8, 0.5, 17.0, -20.0, 20.0, 50.0, -50.0, 80.0, 1e8, -1e8, 1e30, -1e30})
      for (double t : {0.0, 1.0, 0.5, 1e-6})
        for (double w : {1.0, 3.0}) {
          double xd = in_type({x}, d)[0], td = in_type({t}, d)[0];
          Variable in = row({x}, d), to = row({t}, d);
          BceLogitsOptions o{.reduction = Reduction::sum};
          if (w != 1) o.pos_weight = Tensor::scalar(w, d);
          Variable y = bce_with_logits_loss(in, to, o);
          CAPTURE(x);
          CAPTURE(t);
          CAPTURE(w);
          Long positive = w * td * sigmoid_of(-xd), negative = (1 - Long(td)) * sigmoid_of(xd);
          close(y.item(), (1 - Long(td)) * softplus_of(xd) + w * td * softplus_of(-xd), d, 8);
          backward(y);
          close(in.grad().item(), negative - positive, d, 8, positive + negative);
          close(to.grad().item(), w * softplus_of(-xd) - softplus_of(xd), d, 8, w * softplus_of(-xd) + softplus_of(xd));
        }
}

TEST_CASE_FIXTURE(LeakFree, "extremes: bce of probabilities, kl_div and the distances") {
  for (DType d : {DType::f32, DType::f64}) {
    for (double p : {0.0, 1e-30, 1e-9, 0.5, 0.999, 1.0})
      for (double t : {0.0, 0.25, 1.0}) {
        double pd = in_type({p}, d)[0];
        Variable in = row({p}, d), to = row({t}, d), y = bce_loss(in, to, Reduction::sum);
        Long yes = std::max<Long>(std::log(Long(pd)), -100), no = std::max<Long>(std::log1p(-Long(pd)), -100);
        CAPTURE(p);
        CAPTURE(t);
        close(y.item(), -(t * yes + (1 - t) * no), d, 8);
        backward(y);
        close(to.grad().item(), no - yes, d, 8);
      }
    for (double t : {0.0, 1e-30, 0.25, 1.0})
      for (double log_q : {-1e8, -700.0, -1e-9, 0.0}) {
        double td = in_type({t}, d)[0], qd = in_type({log_q}, d)[0];
        Long want = td > 0 ? td * (std::log(Long(td)) - qd) : 0;
        close(kl_div(row({log_q}, d), row({t}, d), {.reduction = Reduction::sum}).item(), want, d, 8,
              td > 0 ? std::abs(td * std::log(Long(td))) : 0);
        Variable in = row({log_q}, d), to = row({t > 0 ? std::log(t) : -kInf}, d);
        Variable y = kl_div(in, to, {.log_target = true, .reduction = Reduction::sum});
        CAPTURE(t);
        CAPTURE(log_q);
        close(y.item(), want, d, 256, td > 0 ? std::abs(td * std::log(Long(td))) : 0);
        backward(y);
        CHECK(std::isfinite(in.grad().item()));
        CHECK(std::isfinite(to.grad().item()));
      }
    for (double far : {1e-15, 1.0, 1e12, -1e15}) {
      double x = in_type({far}, d)[0];
      Variable in = row({far}, d), zero = row({0}, d);
      close(mse_loss(in, zero).item(), Long(x) * x, d, 4);
      close(l1_loss(in, zero).item(), std::abs(x), d, 4);
      Long m = std::abs(x);
      close(huber_loss(in, zero).item(), m <= 1 ? m * m / 2 : m - 0.5L, d, 4);
      close(smooth_l1_loss(in, zero, {.beta = 0.5}).item(), m <= 0.5L ? m * m : m - 0.25L, d, 4);
    }
  }
}

TEST_CASE_FIXTURE(LeakFree, "extremes: denormal^0 has the gradient 0, and a mean over no weight is 0") {
  Variable a(Tensor::full({1}, 1e-39), Variable::kRequiresGrad);
  backward(sum(pow(a, Variable(Tensor::zeros({1})))));
  CHECK(a.grad().item() == 0);
  Variable x(Tensor::from(std::vector<double>{1, 2, 3, 4}, {2, 2}), Variable::kRequiresGrad);
  Tensor targets = Tensor::zeros({2}, DType::i64), weight = Tensor::from(std::vector<double>{0, 1}, {2});
  Variable mean = cross_entropy(x, targets, {.label_smoothing = 0.2, .weight = weight});
  backward(mean);
  CHECK(mean.item() == 0);
  CHECK(x.grad().to_vector() == std::vector<double>{0, 0, 0, 0});
}

TEST_CASE("extremes: gradients that fit the type, though the slope or a factor of theirs does not") {
  using F = std::function<Variable(const Variable&)>;
  auto number = [](double v, DType d) { return Variable(Tensor::scalar(v, d)); };
  const DType f = DType::f32, g = DType::f64;
  struct Row {
    std::string name;
    DType dtype;
    F f;
    double x, dy, dx;
  };
  for (const Row& r : std::vector<Row>{
           {"0 / x", f, [&](const Variable& x) { return number(0, f) / x; }, 1e-30, 1e10, 0},
           {"1e38 / x", f, [&](const Variable& x) { return number(1e38, f) / x; }, 1e30, 1e-15, -1e-37},
           {"1.0 / x", f, [](const Variable& x) { return 1.0 / x; }, 1e-20, 1e-20, -1e20},
           {"x^-1", f, [](const Variable& x) { return pow(x, -1); }, 1e-20, 1e-20, -1e20},
           {"x^-1, two tensors", f, [&](const Variable& x) { return pow(x, number(-1, f)); }, 1e-20, 1e-20, -1e20},
           {"x^2.5", f, [](const Variable& x) { return pow(x, 2.5); }, 1e-4, 3e38, 7.5e32},
           {"x^1e-300, two tensors", g, [&](const Variable& x) { return pow(x, number(1e-300, g)); }, 1e-300, 1e-20,
            1e-20},
           {"expm1", f, [](const Variable& x) { return expm1(x); }, -20, 1, std::exp(-20.)},
           {"elu", f, [](const Variable& x) { return elu(x, 2); }, -2, 3e38, 6e38 * std::exp(-2.)},
           {"selu", g, [](const Variable& x) { return selu(x); }, -kInf, 1.75e308, 0},
           {"erf", f, [](const Variable& x) { return erf(x); }, 1.5, 3.25e38, 3.25e38 * 1.1283791671 * std::exp(-2.25)},
           {"var", f,
            [](const Variable& x) {
              return var(stack({x, x + 0.25}, 0)) * 1e9;
            },
            0, 3e29, 0}}) {
    Variable x(Tensor::scalar(r.x, r.dtype), Variable::kRequiresGrad), y = r.f(x);
    for (bool recorded : {false, true}) {
      GradOptions options{.seeds = {number(r.dy, r.dtype)}, .create_graph = recorded, .retain_graph = true};
      double dx = grad({y}, {x}, options)[0].item();
      CHECK_MESSAGE(std::abs(dx - r.dx) <= 1e-5 * std::abs(r.dx),
                    r.name << std::string(recorded ? ", recorded: " : ": ") << dx);
    }
  }
}

TEST_CASE_FIXTURE(LeakFree, "extremes: a mean loss that fits, of losses that do not") {
  constexpr int64_t kCount = 100;
  for (DType d : {DType::f32, DType::f64}) {
    const Long most = d == DType::f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    const auto M = static_cast<double>(most), root = std::sqrt(M);
    struct Row {
      std::string name;
      std::function<Variable(const Variable&, const Variable&)> f;
      double x, target;  // of one element; the others are 0
      Long loss, slope;
    };
    const double up = 1e-9 * M, down = -1e10, delta = 1e9;  // up down = -10 M
    for (const Row& r : std::vector<Row>{
             {"mse", [](auto&x, auto&t) { return mse_loss(x, t); }, 3 * root, 0, 9 * most, 6 * root},
             {"mse, apart", [](auto&x, auto&t) { return mse_loss(x, t); }, root, -root, 4 * most, 4 * root},
             {"l1", [](auto&x, auto&t) { return l1_loss(x, t); }, 0.9 * M, -0.9 * M, 1.8L * most, 1},
             {"huber, straight", [=](auto&x, auto&t) { return huber_loss(x, t, {.delta = delta}); }, 1e-8 * M, 0,
              10 * most, delta},
             {"huber, apart", [](auto&x, auto&t) { return huber_loss(x, t); }, -0.9 * M, 0.9 * M, 1.8L * most, -1},
             {"huber, square", [=](auto&x, auto&t) { return huber_loss(x, t, {.delta = 4 * root}); }, 3 * root, 0,
              4.5L * most, 3 * root},
             {"smooth l1", [](auto&x, auto&t) { return smooth_l1_loss(x, t); }, 0.9 * M, -0.9 * M, 1.8L * most, 1},
             {"smooth l1, beta 0", [](auto&x, auto&t) { return smooth_l1_loss(x, t, {.beta = 0}); }, 0.9 * M, -0.9 * M,
              1.8L * most, 1},
             {"bce", [](auto&x, auto&t) { return bce_loss(x, t); }, 0, 0.1 * M, 10 * most, -kInf},
             {"bce with logits", [](auto&x, auto&t) { return bce_with_logits_loss(x, t); }, down, up, 10 * most, -up},
             {"bce with logits, weight",
              [=](auto&x, auto&t) { return bce_with_logits_loss(x, t, {.pos_weight = Tensor::full({}, up, d)}); }, down,
              1, 10 * most, -up},
             {"kl_div", [](auto&x, auto&t) { return kl_div(x, t); }, down, up, up * (std::log(Long(up)) - down),
              -up}}) {
      CAPTURE(r.name);
      std::vector<double> x(kCount), t(kCount);
      x[7] = r.x, t[7] = r.target;
      Variable in = row(x, d), y = r.f(in, row(t, d).detach());
      close(y.item(), r.loss / kCount, d, 16);
      if (std::isfinite(static_cast<double>(r.slope)))
        for (bool recorded : {false, true}) {
          Variable dx = grad({y}, {in}, {.create_graph = recorded, .retain_graph = true})[0];
          close(dx.value().to_vector()[7], r.slope / kCount, d, 16);
        }
    }
  }
}
