// The state of an optimiser to a file and back. Optimizer::save_state describes the layout.
#include <fmt/format.h>

#include <unordered_set>

#include "nn/optim/optimizer.h"

namespace heed::nn {
namespace {

// A number of steps from the metadata; -1 if it is missing or malformed.
int64_t count_at(const io::SafeTensors& file, const std::string& key) {
  std::string text = metadata_at(file, key);
  bool digits = !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::stoll(text) : -1;
}

}  // namespace

io::SafeTensors Optimizer::save_state() const {
  io::SafeTensors file;
  file.metadata["optimizer"] = kind_;
  file.metadata["steps"] = std::to_string(steps_);
  file.metadata["groups"] = std::to_string(groups_);
  file.metadata["learning_rate"] = fmt::format("{}", learning_rate);
  for (size_t g = 0; g < groups_; ++g)  // save_fields only reads the fields
    save_fields(file, fmt::format("group{}.", g), const_cast<Optimizer*>(this)->fields(g));
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const std::string& name = parameters_[i].name;
    if (states_[i].steps != steps_) file.metadata["steps." + name] = std::to_string(states_[i].steps);
    if (group_of_[i] != 0) file.metadata["group." + name] = std::to_string(group_of_[i]);
    auto names = slot_names(group_of_[i]);
    for (size_t k = 0; k < states_[i].slots.size(); ++k)
      file.tensors.emplace_back(fmt::format("{}.{}", names[k], name), states_[i].slots[k].clone());
  }
  return file;
}

std::vector<Optimizer::State> Optimizer::read_slots(const io::SafeTensors& file, const std::string& what,
                                                    int64_t steps) const {
  std::vector<State> states(parameters_.size());
  std::unordered_set<const Tensor*> used;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto& [name, variable] = parameters_[i];
    std::string group = file.metadata.count("group." + name) ? metadata_at(file, "group." + name) : "0";
    if (group != std::to_string(group_of_[i]))
      throw IoError(fmt::format("load: \"{}\": {} must be in group {}; got group {}", what, name, group_of_[i], group));
    states[i].steps = file.metadata.count("steps." + name) ? count_at(file, "steps." + name) : steps;
    if (states[i].steps < 0 || states[i].steps > steps)
      throw IoError(fmt::format("load: \"{}\": steps.{} must be a number of at most {}; got \"{}\"", what, name, steps,
                                metadata_at(file, "steps." + name)));
    if (states[i].steps == 0) continue;  // the parameter never had a gradient
    for (const char* slot : slot_names(group_of_[i])) {
      const Tensor* t = file.find(fmt::format("{}.{}", slot, name));
      if (!t) throw IoError(fmt::format("load: \"{}\": the tensor {}.{} is missing", what, slot, name));
      if (!(t->shape() == variable.shape()))
        throw IoError(fmt::format("load: \"{}\": {}.{} must have the parameter's shape; got {} for {}", what, slot,
                                  name, to_string(t->shape()), to_string(variable.shape())));
      if (!is_float(t->dtype()))
        throw IoError(
            fmt::format("load: \"{}\": {}.{} must hold real numbers; got {}", what, slot, name, name_of(t->dtype())));
      used.insert(t);
      states[i].slots.push_back(t->to(variable.dtype()).clone());
    }
  }
  for (const auto& [name, t] : file.tensors)
    if (!used.count(&t))
      throw IoError(fmt::format("load: \"{}\": the tensor {} does not belong to this optimiser", what, name));
  return states;
}

void Optimizer::load_state(const io::SafeTensors& file, const std::string& what) {
  std::string kind = metadata_at(file, "optimizer");
  if (kind.empty()) throw IoError(fmt::format("load: \"{}\": holds no optimiser state", what));
  if (kind != kind_) throw IoError(fmt::format("load: \"{}\": must hold the state of {}; got {}", what, kind_, kind));
  int64_t steps = count_at(file, "steps");
  if (steps < 0)
    throw IoError(fmt::format("load: \"{}\": steps must be a number; got \"{}\"", what, metadata_at(file, "steps")));
  if (metadata_at(file, "groups") != std::to_string(groups_))
    throw IoError(fmt::format("load: \"{}\": the parameter groups must be {}; got \"{}\"", what, groups_,
                              metadata_at(file, "groups")));
  // Load the options first, since they determine which slots exist. If anything fails, the old options are restored.
  OptionFields all;
  all("learning_rate", learning_rate, "of the first group, now");
  for (size_t g = 0; g < groups_; ++g)
    for (OptionField& f : fields(g)) {
      f.name = fmt::format("group{}.{}", g, f.name);
      all.all.push_back(std::move(f));
    }
  load_or_restore(what, all.all, [&] {
    read_fields(file, what, "", all.all);
    require_rate();
    std::vector<double> rates = checked_rates();
    states_ = read_slots(file, what, steps);
    own_rates_ = std::move(rates);
  });
  steps_ = steps;
}

}  // namespace heed::nn
