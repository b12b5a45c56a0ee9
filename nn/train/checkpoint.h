// Checkpoint: everything that a training run needs in order to resume exactly, in one safetensors file. A run has
// several named parts, and the file stores what a part saves under the part's name:
//
// clang-format off
//   tensor    "<part>.<name>"   model.encoder.weight_ih_l0   optimizer.mean.encoder.weight_ih_l0
//   metadata  "<part>.<key>"    optimizer.steps  schedule.peak  generators.rng: "<seed> <offset>"
//             "heed.kind"       "training checkpoint 1"
//             "heed.parts"      "generators model optimizer schedule"
// clang-format on
//
//   nn::Parts parts{nn::part("model", model), nn::generators_part("generators", model),
//                   nn::part("optimizer", adam), nn::part("schedule", schedule)};
//   nn::save_checkpoint("run/last.safetensors", parts);
//   nn::load_checkpoint("run/last.safetensors", parts);
//
// model: PyTorch's names, with buffers (module.h). optimizer: "<slot>.<parameter>" (optim/optimizer.h). schedule:
// options and memory (optim/schedule.h). average: optim/average.h. progress, which fit adds: fit.h.
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

// An object with a state. load restores all of it or nothing: after an IoError the object is as it was.
struct Part {
  std::string name;  // must not contain a dot
  std::function<io::SafeTensors()> save;
  std::function<void(const io::SafeTensors& state, const std::string& what)> load;
};
using Parts = std::vector<Part>;

// The object must outlive its part.
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

// ValueError if two parts have the same name, or a name is empty or contains a dot.
io::SafeTensors save_parts(const Parts& parts);
// IoError that names `what` if the file is no checkpoint, has other parts than these, or a part refuses its state (the
// message then says "<what>#<part>"). Every part then stays as it was.
void load_parts(const Parts& parts, const io::SafeTensors& file, const std::string& what);

void save_checkpoint(const std::string& path, const Parts& parts);  // written completely or not at all
void load_checkpoint(const std::string& path, const Parts& parts);

}  // namespace heed::nn
