// Optimiser: turns gradients into new parameter values. This file has what all kinds share: parameter groups with their
// own options, the step, the state. The kinds are in sgd.h, adam.h, rmsprop.h, adagrad.h and adadelta.h.
//
//   nn::Adam adam(named_parameters(model), {.learning_rate = 1e-3});
//   adam.zero_grad();  backward(loss);  adam.step();
//
// Each parameter has "slots": tensors of its shape that the optimiser remembers (momentum, averages). A parameter
// without a gradient is left alone. t counts the steps of each parameter separately, so a parameter that joins late
// starts as the others did.
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
// Weights of rank 2 and more: weight decay is meant for these, not for vectors (biases and the gains of norms).
bool is_matrix(const NamedVariable& parameter);

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;  // a copy would share the slots
  Optimizer& operator=(const Optimizer&) = delete;

  void step();                          // one update from the gradients in .grad
  void step(const Schedule& schedule);  // the same, at the schedule's learning rate for this step
  void zero_grad();
  // The learning rate of the first group. The other groups keep the ratio to it that their options set. Schedules set
  // it before each step.
  double learning_rate = 0;
  int64_t steps() const { return steps_; }
  const std::vector<NamedVariable>& parameters() const { return parameters_; }  // of all groups

  // Copies of everything needed to resume exactly: tensors "<slot>.<parameter>"; in the metadata "optimizer" (the
  // kind), "steps", "steps.<parameter>" for each parameter that has taken fewer steps, "learning_rate", "groups", the
  // options of each group ("group0.beta1"), and "group.<parameter>" for parameters outside the first group.
  io::SafeTensors save_state() const;
  // Restores all of it, options included. IoError that names `what` if the state is of another kind or of other groups,
  // if a tensor is missing, unexpected or of another shape, or if an option is out of range. The optimiser then stays
  // as it was.
  void load_state(const io::SafeTensors& file, const std::string& what);

 protected:
  // ValueError if there are no parameters, a parameter or a name occurs twice, or an operation computed one of them.
  Optimizer(const char* kind, const std::vector<std::vector<NamedVariable>>& groups);
  void start();  // the last line of every constructor: checks the options, and sets the first group's learning rate

  // The options of a group, the learning rate first.
  virtual std::vector<OptionField> fields(size_t group) = 0;
  virtual void check(size_t) const {}  // ValueError for options that do not go together
  // The names of a parameter's slots, and the value that fills each at the start.
  virtual std::vector<const char*> slot_names(size_t group) const = 0;
  virtual double slot_start(size_t group) const;

  struct Step {
    Tensor w;                    // the parameter, updated in place
    Tensor g;                    // its gradient, contiguous
    std::vector<Tensor>& slots;  // all with the shape and dtype of w
    size_t group;
    double learning_rate;
    int64_t t;  // the number of this parameter's steps, this one included
  };
  virtual void update(Step& step) = 0;

 private:
  struct State {
    int64_t steps = 0;
    std::vector<Tensor> slots;
  };
  void make_slots(size_t i);
  std::vector<double> checked_rates();  // checks the options; the learning rate of each group
  void require_rate() const;
  std::vector<State> read_slots(const io::SafeTensors& file, const std::string& what, int64_t steps) const;
  const char* kind_;
  std::vector<NamedVariable> parameters_;
  std::vector<size_t> group_of_;  // for each parameter, the index of its group
  size_t groups_;
  std::vector<double> own_rates_;  // of each group, as its options say
  std::vector<State> states_;
  int64_t steps_ = 0;
};

// Splits the groups into the parameters, which the base class keeps, and the options, which each kind keeps.
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
