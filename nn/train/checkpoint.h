// Checkpoint: everything that a training run must keep to go on exactly, in one safetensors file. A run is made of
// parts, each with a name; what a part saves stands in the file under that name:
//
//   tensor    "<part>.<name>"      model.encoder.weight_ih_l0      optimizer.mean.encoder.weight_ih_l0
//   metadata  "<part>.<key>"       optimizer.steps   schedule.peak   generators.dropout: "<seed> <offset>"
//             "heed.kind"          "training checkpoint 1"
//             "heed.parts"         "generators model optimizer schedule"
//
//   nn::Parts parts{nn::part("model", model), nn::generators_part("generators", model),
//                   nn::part("optimizer", adam), nn::part("schedule", schedule)};
//   nn::save_checkpoint("run/last.safetensors", parts);      ...      nn::load_checkpoint("run/last.safetensors",
//   parts);
//
// model: PyTorch's names, with buffers (module.h). optimizer: "<slot>.<parameter>" (optim/optimizer.h). schedule:
// options and memory (optim/schedule.h). average: optim/average.h. fit's own part, progress: fit.h.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <vector>

#include "nn/module.h"
#include "nn/optim/average.h"
#include "nn/optim/optimizer.h"
#include "nn/optim/schedule.h"
#include "nn/optim/window_average.h"

namespace heed::nn {

// A thing with a state. load is all or nothing: an IoError leaves the thing as it was.
struct Part {
  std::string name;  // without a dot
  std::function<io::SafeTensors()> save;
  std::function<void(const io::SafeTensors& state, const std::string& what)> load;
};
using Parts = std::vector<Part>;

// The things must outlive the part.
Part part(const std::string& name, Optimizer& optimizer);
Part part(const std::string& name, Schedule& schedule);
Part part(const std::string& name, ParameterAverage& average);
Part part(const std::string& name, WindowAverage& average);
template <std::derived_from<Module> M>
Part part(const std::string& name, M& module) {
  return {name, [&module] { return save_state(module); },
          [&module](const io::SafeTensors& s, const std::string& what) { load_state(module, s, what); }};
}
template <class M>
Part generators_part(const std::string& name, M& module) {
  return {name, [&module] { return save_generators(module); },
          [&module](const io::SafeTensors& s, const std::string& what) { load_generators(module, s, what); }};
}

// ValueError for parts of one name, and names that are empty or have a dot.
io::SafeTensors save_parts(const Parts& parts);
// IoError, naming `what`, and every part as it was: no checkpoint, other parts than these, a part that refuses its
// state (which is then called "<what>#<part>").
void load_parts(const Parts& parts, const io::SafeTensors& file, const std::string& what);

void save_checkpoint(const std::string& path, const Parts& parts);  // whole or not there
void load_checkpoint(const std::string& path, const Parts& parts);

}  // namespace heed::nn
