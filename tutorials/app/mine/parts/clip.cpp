// Exercise 06.2 in the translator: the gradients of all parameters, clipped by their common norm before each step.
#include "nn/optim/clip.h"
#include "tutorials/06_optimisers/exercises/2_clip.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

void clip_mine(const std::vector<NamedVariable>& parameters, double limit) {
  mine::Gradients gradients;
  std::vector<Variable> with;  // those that have a gradient
  for (const NamedVariable& p : parameters)
    if (p.variable.grad().defined()) with.push_back(p.variable), gradients.push_back(p.variable.grad().to_vector());
  gradients = mine::clipped(std::move(gradients), limit);
  for (size_t i = 0; i < with.size(); ++i)
    with[i].set_grad(Tensor::from(gradients.at(i), with[i].shape()).to(with[i].dtype()));
}

// The library divides by the norm plus 1e-6, as PyTorch does, so that results differ by 1e-6 / norm.
void check(Comparison& c) {
  Generator rng(1);
  std::vector<NamedVariable> ours, theirs;
  for (const Shape& shape : {Shape{4, 3}, Shape{5}}) {
    Tensor w = Tensor::zeros(shape, DType::f64);
    ours.push_back({"w", Variable(w.clone(), Variable::kRequiresGrad)});
    theirs.push_back({"w", Variable(w.clone(), Variable::kRequiresGrad)});
  }
  for (double limit : {1.0, 7.5, 1e6})
    for (double size : {3.0, 10.0}) {
      for (size_t i = 0; i < ours.size(); ++i) {
        Tensor g = Tensor::normal(ours[i].variable.shape(), rng, 0, i == 0 ? size : 1, DType::f64);
        ours[i].variable.set_grad(g), theirs[i].variable.set_grad(g);
      }
      clip_mine(ours, limit);
      nn::clip_grad_norm(theirs, limit);
      for (size_t i = 0; i < ours.size(); ++i)
        c.value("a clipped gradient", ours[i].variable.grad(), theirs[i].variable.grad(), 1e-6);
    }
}

void use(Pieces& pieces) { pieces.clip = clip_mine; }

const Registered part({.name = "clip", .exercise = "06.2", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
