// Each optimiser against its formula, written out for one weight in double precision: the readable twin of the kernels.
#include <cmath>

#include "tensor/thread_pool.h"
#include "tests/nn/optim/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

// One weight: its value and what the rule remembers of it. t counts from 1.
struct One {
  double w = 0, a = 0, b = 0, c = 0;
};
using Rule = void (*)(One& x, double g, int t);

// The options are those of kKinds, in its order.
const std::vector<Rule> kRules = {
    [](One& x, double g, int) { x.w -= 0.1 * g; },
    [](One& x, double g, int t) {
      x.a = t == 1 ? g : 0.9 * x.a + (1 - 0.5) * g;
      x.w -= 0.1 * x.a;
    },
    [](One& x, double g, int) {
      double d = g + 0.1 * x.w;
      x.a = 0.9 * x.a + d;
      x.w -= 0.1 * (d + 0.9 * x.a);
    },
    [](One& x, double g, int t) {
      x.a = 0.9 * x.a + 0.1 * g;
      x.b = 0.999 * x.b + 0.001 * g * g;
      double mean = x.a / (1 - std::pow(0.9, t)), square = x.b / (1 - std::pow(0.999, t));
      x.w -= 0.1 * mean / (std::sqrt(square) + 1e-8);
    },
    [](One& x, double g, int t) {
      double d = g + 0.1 * x.w;
      x.a = 0.9 * x.a + 0.1 * d;
      x.b = 0.999 * x.b + 0.001 * d * d;
      x.c = std::max(x.c, x.b);
      double mean = x.a / (1 - std::pow(0.9, t)), square = x.c / (1 - std::pow(0.999, t));
      x.w -= 0.1 * mean / (std::sqrt(square) + 1e-8);
    },
    [](One& x, double g, int t) {
      x.w -= 0.1 * 0.1 * x.w;
      x.a = 0.9 * x.a + 0.1 * g;
      x.b = 0.999 * x.b + 0.001 * g * g;
      double mean = x.a / (1 - std::pow(0.9, t)), square = x.b / (1 - std::pow(0.999, t));
      x.w -= 0.1 * mean / (std::sqrt(square) + 1e-8);
    },
    [](One& x, double g, int) {
      double d = g + 0.1 * x.w;
      x.a = 0.99 * x.a + 0.01 * d * d;
      x.w -= 0.1 * d / (std::sqrt(x.a) + 1e-8);
    },
    [](One& x, double g, int) {
      x.a = 0.99 * x.a + 0.01 * g * g;
      x.b = 0.9 * x.b + g / (std::sqrt(x.a) + 1e-8);
      x.w -= 0.1 * x.b;
    },
    [](One& x, double g, int) {
      x.a = 0.99 * x.a + 0.01 * g * g;
      x.b = 0.99 * x.b + 0.01 * g;
      x.w -= 0.1 * g / (std::sqrt(x.a - x.b * x.b) + 1e-8);
    },
    [](One& x, double g, int) {
      double d = g + 0.1 * x.w;
      x.a = 0.99 * x.a + 0.01 * d * d;
      x.b = 0.99 * x.b + 0.01 * d;
      x.c = 0.9 * x.c + d / (std::sqrt(x.a - x.b * x.b) + 1e-8);
      x.w -= 0.1 * x.c;
    },
    [](One& x, double g, int t) {
      double d = g + 0.1 * x.w;
      x.a = (t == 1 ? 0.5 : x.a) + d * d;
      x.w -= 0.1 / (1 + (t - 1) * 0.1) * d / (std::sqrt(x.a) + 1e-10);
    },
    [](One& x, double g, int) {
      double d = g + 0.1 * x.w;
      x.a = 0.9 * x.a + 0.1 * d * d;
      double u = d * std::sqrt(x.b + 1e-3) / std::sqrt(x.a + 1e-3);
      x.b = 0.9 * x.b + 0.1 * u * u;
      x.w -= u;
    },
};

}  // namespace

TEST_CASE("optimisers follow their formulas, in f32 and f64, at any size") {
  REQUIRE(kRules.size() == kKinds.size());
  for (size_t kind = 0; kind < kKinds.size(); ++kind)
    for (DType dtype : {DType::f32, DType::f64})
      for (int64_t n : {0, 1, 7, 16, 37, 70001}) {
        CAPTURE(kKinds[kind].name);
        CAPTURE(n);
        Parameters w{{"w", leaf({n}, 1, DType::f32)}};
        w[0].variable.set_value(w[0].variable.value().to(dtype));
        std::vector<One> ones(static_cast<size_t>(n));
        std::vector<double> expected = w[0].variable.value().to_vector();
        for (size_t i = 0; i < ones.size(); ++i) ones[i].w = expected[i];
        auto optimizer = kKinds[kind].make(w);
        for (int t = 1; t <= 5; ++t) {
          Tensor g = random({n}, static_cast<uint64_t>(100 + t), DType::f32).to(dtype);
          w[0].variable.set_grad(g);
          optimizer->step();
          std::vector<double> gs = g.to_vector();
          for (size_t i = 0; i < ones.size(); ++i) kRules[kind](ones[i], gs[i], t);
        }
        for (size_t i = 0; i < ones.size(); ++i) expected[i] = ones[i].w;
        Tensor reference = Tensor::from(expected, {n}).to(DType::f64);
        if (n > 0)
          CHECK(relative_error(w[0].variable.value().to(DType::f64), reference) <=
                (dtype == DType::f64 ? 1e-12 : 1e-5));
      }
}

TEST_CASE("optimisers: a gradient whose square leaves the range of the type moves its weight as the formula says") {
  for (size_t kind = 3; kind < kKinds.size(); ++kind)  // from Adam on
    for (DType dtype : {DType::f32, DType::f64}) {
      CAPTURE(kKinds[kind].name);
      Parameters w{{"w", Variable(Tensor::zeros({2}, dtype), Variable::kRequiresGrad)}};
      One one;
      auto optimizer = kKinds[kind].make(w);
      for (int t = 1; t <= 5; ++t) {
        double g = t % 2 ? (dtype == DType::f32 ? -1e25 : -1e152) : 1;  // 1e152 has a square in double
        w[0].variable.set_grad(Tensor::full({2}, dtype == DType::f32 || t % 2 == 0 ? g : g * 1e50, dtype));
        optimizer->step();
        kRules[kind](one, g, t);
        for (double v : w[0].variable.value().to_vector()) CHECK(v == doctest::Approx(one.w).epsilon(1e-5));
      }
    }
}

// The first step is at most lr / sqrt(1 - decay of the average), and with the same gradient it does not grow.
TEST_CASE("optimisers: a gradient whose square is 0 does not throw its weight away, however small eps is") {
  const double lr = 1e-2;
  for (double eps : {0.0, 1e-300, 1e-200, 1e-30, 1e-25, 1e-20}) {
    struct Small {
      std::string name;
      std::function<std::unique_ptr<nn::Optimizer>(const Parameters&)> make;
    };
    const Small kinds[] = {
        {"Adam",
         [=](const Parameters& w) {
           return std::make_unique<nn::Adam>(w, nn::Adam::Options{.learning_rate = lr, .epsilon = eps});
         }},
        {"Adam, long",
         [=](const Parameters& w) {
           return std::make_unique<nn::Adam>(w,
                                             nn::Adam::Options{.learning_rate = lr, .beta2 = 1 - 1e-9, .epsilon = eps});
         }},
        {"AMSGrad",
         [=](const Parameters& w) {
           return std::make_unique<nn::Adam>(w,
                                             nn::Adam::Options{.learning_rate = lr, .epsilon = eps, .amsgrad = true});
         }},
        {"RMSprop",
         [=](const Parameters& w) {
           return std::make_unique<nn::RMSprop>(w, nn::RMSprop::Options{.learning_rate = lr, .epsilon = eps});
         }},
        {"RMSprop, centered",
         [=](const Parameters& w) {
           return std::make_unique<nn::RMSprop>(
               w, nn::RMSprop::Options{.learning_rate = lr, .epsilon = eps, .centered = true});
         }},
        {"Adagrad",
         [=](const Parameters& w) {
           return std::make_unique<nn::Adagrad>(w, nn::Adagrad::Options{.learning_rate = lr, .epsilon = eps});
         }},
        {"Adadelta", [=](const Parameters& w) {
           return std::make_unique<nn::Adadelta>(
               w, nn::Adadelta::Options{.learning_rate = lr, .epsilon = std::max(eps, 1e-300)});
         }}};
    for (const Small& kind : kinds)
      for (DType dtype : {DType::f32, DType::f64})
        for (double g : {0.0, 1e-44, 1e-30, 1e-25, 1e-22, 1e-20, 1e-18, 1e-12, 1.0}) {
          if (dtype == DType::f64) g = std::pow(g, 7);  // to 1e-308
          CAPTURE(kind.name);
          CAPTURE(eps);
          CAPTURE(g);
          Parameters w{{"w", Variable(Tensor::zeros({1}, dtype), Variable::kRequiresGrad)}};
          auto optimizer = kind.make(w);
          double before = 0, most = lr * (kind.name.substr(0, 4) == "RMSp" ? 10 : 1);
          for (int t = 0; t < 4; ++t) {
            w[0].variable.set_grad(Tensor::full({1}, g, dtype));
            optimizer->step();
            double now = w[0].variable.item(), step = before - now;
            CHECK(step >= 0);
            CHECK(step <= 1.02 * most);
            if (g == 1.0 && t == 0 && kind.name != "Adadelta") CHECK(step == doctest::Approx(most).epsilon(0.01));
            before = now;
          }
        }
  }
}

TEST_CASE("optimisers give the same bits for any number of threads") {
  int threads = thread_count();
  for (const Kind& kind : kKinds) {
    CAPTURE(kind.name);
    Parameters one{{"w", leaf({100003}, 1)}}, several = copies(one);
    auto a = kind.make(one), b = kind.make(several);
    for (uint64_t t = 0; t < 3; ++t) {
      give(one, t);
      give(several, t);
      set_thread_count(1);
      a->step();
      set_thread_count(3);
      b->step();
    }
    CHECK(same_values(one, several));
  }
  set_thread_count(threads);
}

TEST_CASE("RMSprop, centered: gradients that never change leave no NaN behind") {
  for (DType dtype : {DType::f32, DType::f64}) {
    Parameters w{{"w", Variable(Tensor::zeros({64}, dtype), Variable::kRequiresGrad)}};
    nn::RMSprop rmsprop(w, {.learning_rate = 1e-6, .alpha = 0.5, .centered = true});
    Tensor g = random({64}, 3, dtype);
    for (int t = 0; t < 200; ++t) {
      w[0].variable.set_grad(g);
      rmsprop.step();
    }
    CHECK(all_finite(w[0].variable.value()));
  }
}

TEST_CASE("RMSprop, centered: the deviation of gradients that hardly change has its digits in f32") {
  auto moved = [](DType dtype) {
    Parameters w{{"w", Variable(Tensor::zeros({64}, dtype), Variable::kRequiresGrad)}};
    nn::RMSprop rmsprop(w, {.learning_rate = 1e-6, .alpha = 0.5, .centered = true});
    for (uint64_t t = 0; t < 100; ++t) {  // 1000, and a deviation of 1
      w[0].variable.set_grad(add(random({64}, 3 + t), 1000).to(dtype));
      rmsprop.step();
    }
    return w[0].variable.value().to(DType::f64);
  };
  Tensor right = moved(DType::f64);
  CHECK(max_abs_difference(moved(DType::f32), right) < 1e-4 * amax(abs(right), {}).item());
}

TEST_CASE("Adam: the first step is the learning rate, whatever the size of the gradient") {
  for (double size : {1e-3, 1.0, 1e6}) {
    Parameters w{{"w", leaf(Tensor::zeros({1}, DType::f64))}};
    nn::Adam adam(w, {.learning_rate = 0.01, .epsilon = 0});
    w[0].variable.set_grad(Tensor::full({1}, size, DType::f64));
    adam.step();
    CHECK(w[0].variable.item() == doctest::Approx(-0.01));
  }
}
