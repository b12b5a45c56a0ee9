// Exercise 06.1 in the translator: the optimiser. The exercise updates one weight, so it is called for every weight of
// every parameter; each keeps its own two moments.
#include <memory>

#include "nn/optim/adam.h"
#include "tutorials/06_optimisers/exercises/1_adam.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;  // as nn::Adam

class AdamMine {
 public:
  explicit AdamMine(std::vector<NamedVariable> parameters) : parameters_(std::move(parameters)) {
    for (const NamedVariable& p : parameters_) moments_.emplace_back(static_cast<size_t>(p.variable.count()));
  }
  void step(double learning_rate) {
    ++t_;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      Variable& p = parameters_[i].variable;
      if (!p.grad().defined()) continue;
      std::vector<double> w = p.value().to_vector(), g = p.grad().to_vector();
      for (size_t k = 0; k < w.size(); ++k)
        w[k] = mine::adam_step(w[k], g[k], moments_[i][k], t_, learning_rate, kBeta1, kBeta2, kEpsilon);
      p.set_value(Tensor::from(w, p.shape()).to(p.dtype()));
    }
  }

 private:
  std::vector<NamedVariable> parameters_;
  std::vector<std::vector<mine::Moments>> moments_;  // [parameter][element]
  int t_ = 0;
};

Pieces::Update optimiser_mine(const std::vector<NamedVariable>& parameters) {
  auto adam = std::make_shared<AdamMine>(parameters);
  return [adam](double learning_rate) { adam->step(learning_rate); };
}

void check(Comparison& c) {
  Generator rng(1);
  Tensor start = Tensor::normal({3, 2}, rng, 0, 1, DType::f64);
  Variable ours(start.clone(), Variable::kRequiresGrad), theirs(start.clone(), Variable::kRequiresGrad);
  AdamMine adam({{"w", ours}});
  nn::Adam library({{"w", theirs}}, nn::Adam::Options{});
  for (double rate : {0.1, 0.1, 0.02, 0.02, 0.01}) {
    Tensor gradient = Tensor::normal({3, 2}, rng, 0, 1, DType::f64);
    ours.set_grad(gradient), theirs.set_grad(gradient);
    library.learning_rate = rate;
    adam.step(rate), library.step();
    c.value("the weights after a step of Adam", ours.value(), theirs.value());
  }
}

void use(Pieces& pieces) { pieces.optimiser = optimiser_mine; }

const Registered part({.name = "adam", .exercise = "06.1", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
