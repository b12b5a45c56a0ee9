// Optimiser: from gradients to new parameters. What all kinds share is here: groups of parameters with options of their
// own, the step, the state. The kinds stand in sgd.h, adam.h, rmsprop.h, adagrad.h and adadelta.h.
//
//   nn::Adam adam(named_parameters(model), {.learning_rate = 1e-3});
//   adam.zero_grad();  backward(loss);  adam.step();
//
// Each parameter has "slots": tensors of its shape that remember (momentum, averages). Parameters without a gradient
// are left alone: t counts the steps that a parameter has taken, so one that joins late starts as the others did.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/picture.h"
#include "autograd/variable.h"
#include "nn/io/safetensors.h"
#include "nn/optim/fields.h"
#include "nn/optim/schedule.h"

namespace heed::nn {

// Parameters that share options:
//   auto [decayed, others] = split_parameters(named_parameters(model), is_matrix);
//   nn::AdamW adamw({{decayed, {.weight_decay = 0.1}}, {others, {.weight_decay = 0}}});
template <class Options>
struct ParameterGroup {
  std::vector<NamedVariable> parameters;
  Options options;
};

struct SplitParameters {
  std::vector<NamedVariable> wanted, others;
};
SplitParameters split_parameters(const std::vector<NamedVariable>& parameters,
                                 const std::function<bool(const NamedVariable&)>& wanted);
// Weights of rank 2 and more: those that weight decay is meant for. Biases and the gains of norms are vectors.
bool is_matrix(const NamedVariable& parameter);

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;  // two would share their averages
  Optimizer& operator=(const Optimizer&) = delete;

  void step();                          // one update from the gradients that stand in .grad
  void step(const Schedule& schedule);  // the same, at the rate that the schedule gives this step
  void zero_grad();
  // Of the first group; the other groups keep the ratio to it that their options gave. Schedules set it between steps.
  double learning_rate = 0;
  int64_t steps() const { return steps_; }
  const std::vector<NamedVariable>& parameters() const { return parameters_; }  // of all groups

  // Copies of what must be kept to go on exactly: tensors "<slot>.<parameter>"; in the metadata "optimizer" (the kind),
  // "steps", "steps.<parameter>" where a parameter has taken fewer, "learning_rate", "groups", each group's options
  // ("group0.beta1"), and "group.<parameter>" for parameters of other groups than the first.
  io::SafeTensors save_state() const;
  // Brings back all of it, options too. IoError, naming `what`, and the optimiser as it was: the state of another kind
  // or of other groups, a tensor missing, too many, or of another shape, an option outside its domain.
  void load_state(const io::SafeTensors& file, const std::string& what);

 protected:
  // ValueError: no parameters, one given twice, two of one name, one that an operation made.
  Optimizer(const char* kind, const std::vector<std::vector<NamedVariable>>& groups);
  void start();  // the last line of every constructor: checks the options, takes the first group's learning rate

  // The options of a group, its learning rate first; ValueError where one is outside its domain.
  virtual Fields fields(size_t group) = 0;
  virtual void check(size_t group) const = 0;
  // The tensors of one parameter beside its value, and what fills them at the start.
  virtual std::vector<const char*> slot_names(size_t group) const = 0;
  virtual double slot_start(size_t group) const;

  struct Step {
    Tensor w;                    // the parameter, updated in place
    Tensor g;                    // its gradient, contiguous
    std::vector<Tensor>& slots;  // all of w's shape and dtype
    size_t group;
    double learning_rate;
    int64_t t;  // this parameter's steps, this one included
  };
  virtual void update(Step& step) = 0;

 private:
  struct State {
    int64_t steps = 0;
    std::vector<Tensor> slots;
  };
  void make_slots(size_t i);
  double own_rate(size_t group) const;
  std::vector<State> read_slots(const io::SafeTensors& file, const std::string& what, int64_t steps) const;
  const char* kind_;
  std::vector<NamedVariable> parameters_;
  std::vector<size_t> group_of_;  // of each parameter
  size_t groups_;
  std::vector<State> states_;
  int64_t steps_ = 0;
};

// Groups apart into what the base class and what each kind keeps.
template <class Options>
std::vector<std::vector<NamedVariable>> parameters_of(const std::vector<ParameterGroup<Options>>& groups) {
  std::vector<std::vector<NamedVariable>> out;
  for (const auto& g : groups) out.push_back(g.parameters);
  return out;
}
template <class Options>
std::vector<Options> options_of(const std::vector<ParameterGroup<Options>>& groups) {
  std::vector<Options> out;
  for (const auto& g : groups) out.push_back(g.options);
  return out;
}

}  // namespace heed::nn
