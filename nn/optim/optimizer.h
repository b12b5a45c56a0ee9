// Optimisers: from gradients to new parameters. One parameter at a time, one pass over its memory.
//
//   SGD    v <- m v + g;  w <- w - lr v          (Nesterov: w <- w - lr (g + m v))
//   Adam   m <- b1 m + (1-b1) g;  s <- b2 s + (1-b2) g^2;  w <- w - lr (m / (1-b1^t)) / (sqrt(s / (1-b2^t)) + eps)
//          (Kingma and Ba, ICLR 2015, algorithm 1)
//
// g is the gradient, plus weight_decay times w. Parameters without a gradient are left alone: t counts the steps that a
// parameter has taken, so one that joins late starts as the others did.
#pragma once

#include <string>
#include <vector>

#include "autograd/picture.h"
#include "autograd/variable.h"
#include "nn/io/safetensors.h"

namespace heed::nn {

class Optimizer {
 public:
  explicit Optimizer(std::vector<NamedVariable> parameters, double learning_rate);
  virtual ~Optimizer() = default;

  void step();  // one update from the gradients that stand in .grad
  void zero_grad();
  double learning_rate;  // schedules set it between steps
  int64_t steps() const { return steps_; }
  const std::vector<NamedVariable>& parameters() const { return parameters_; }

  // Copies of what must be kept to go on exactly: tensors "<slot>.<parameter>"; in the metadata "steps", and
  // "steps.<parameter>" where a parameter has taken fewer.
  io::SafeTensors save_state() const;
  // IoError, naming `what`: not an optimiser's state, a tensor is missing, too many, or of another shape.
  void load_state(const io::SafeTensors& file, const std::string& what);

 protected:
  // The tensors of one parameter beside its value: momentum, averages. Zeros of the parameter's shape at the start.
  virtual std::vector<const char*> slot_names() const = 0;
  // t: this parameter's steps, this one included.
  virtual void update(Tensor& w, const Tensor& g, std::vector<Tensor>& slots, int64_t t) = 0;

 private:
  struct State {
    int64_t steps = 0;
    std::vector<Tensor> slots;
  };
  void make_slots(size_t i);
  std::vector<NamedVariable> parameters_;
  std::vector<State> states_;
  int64_t steps_ = 0;
};

class SGD final : public Optimizer {
 public:
  struct Options {
    double learning_rate = 0.01, momentum = 0, dampening = 0, weight_decay = 0;
    bool nesterov = false;
  };
  SGD(std::vector<NamedVariable> parameters, const Options& options);

 protected:
  std::vector<const char*> slot_names() const override;
  void update(Tensor& w, const Tensor& g, std::vector<Tensor>& slots, int64_t t) override;

 private:
  Options options_;
};

class Adam final : public Optimizer {
 public:
  struct Options {
    double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
    bool amsgrad = false;  // divide by the largest s so far   (Reddi et al., ICLR 2018)
  };
  Adam(std::vector<NamedVariable> parameters, const Options& options);

 protected:
  std::vector<const char*> slot_names() const override;
  void update(Tensor& w, const Tensor& g, std::vector<Tensor>& slots, int64_t t) override;

 private:
  Options options_;
};

// Scale all gradients together so that their common norm is at most `limit`; returns the norm before.
//   g <- g min(1, limit / (|g| + 1e-6))       (Pascanu et al., ICML 2013; the 1e-6 is PyTorch's)
double clip_grad_norm(const std::vector<NamedVariable>& parameters, double limit);

}  // namespace heed::nn
