// Checkpoint: everything that a training run needs to resume with the same bits, in one safetensors file.
// (Checkpointing of layers, which saves memory, is autograd/checkpoint.h.) A run has several named parts. The tensors
// and metadata that a part saves begin with its name:
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
// The contents of a part are explained in: module.h (the model: PyTorch's names, with buffers), optim/optimizer.h
// ("<slot>.<parameter>"), optim/schedule.h (options and state), optim/average.h, and fit.h (the progress of FitRun).
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

// An object whose state is saved. load restores all of it or nothing: after an IoError, the object is unchanged.
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
// IoError that begins with `what` if the file is no checkpoint or has other parts than these, and with "<what>#<part>"
// if a part refuses its state. All parts are then unchanged.
void load_parts(const Parts& parts, const io::SafeTensors& file, const std::string& what);

void save_checkpoint(const std::string& path, const Parts& parts);  // written completely or not at all
void load_checkpoint(const std::string& path, const Parts& parts);

}  // namespace heed::nn
