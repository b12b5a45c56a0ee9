// The mean of the last K copies of the parameters, such as the checkpoints of the last K epochs.
//
//   a = (w_{n-K+1} + .. + w_n) / K        or the mean of all copies while there are fewer than K
//
// From epoch to epoch the parameters move around a minimum, and their mean lies nearer to it than each of them.
// (Vaswani et al., NeurIPS 2017, section 6.1, for checkpoints of a transformer; Izmailov et al., UAI 2018, explain
// why.)
//
//   nn::WindowAverage average(named_parameters(model), {.size = 10});
//   for each epoch: { train(model);  average.add(); }
//   { auto scope = average.swap_in();  evaluate(model); }  // then the trained parameters are back
#pragma once

#include <deque>
#include <vector>

#include "autograd/picture.h"
#include "nn/io/safetensors.h"
#include "nn/optim/average.h"
#include "nn/options.h"

namespace heed::nn {

class WindowAverage {
 public:
  struct Options {
    int64_t size = 5;  // K

    void fields(OptionFields& f) { f("size", size, "K, number of copies", {1}); }
  };
  WindowAverage(std::vector<NamedVariable> parameters, const Options& options);
  WindowAverage(const WindowAverage&) = delete;
  WindowAverage& operator=(const WindowAverage&) = delete;

  void add();  // copies the parameters, and drops the oldest copy if there are more than K
  int64_t seen() const { return static_cast<int64_t>(copies_.size()); }  // number of copies, at most K

  // While a Scope exists, the parameters hold the mean (or their own values if add() was never called). A second Scope,
  // of this or another average of these parameters, and add(), save_state() and load_state() while one exists, throw
  // GraphError.
  class Scope {
   public:
    explicit Scope(WindowAverage& average);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    WindowAverage& average_;
    HoldsAverages holds_;
  };
  [[nodiscard]] Scope swap_in() { return Scope(*this); }

  // Tensors "<k>.<parameter>", where k = 0 is the oldest copy; metadata "average" (the kind), "size", "seen".
  io::SafeTensors save_state() const;
  // IoError that names `what` if the file is the state of something else or of another size, or a tensor is missing,
  // unexpected or of another shape. The copies then stay as they were.
  void load_state(const io::SafeTensors& file, const std::string& what);

 private:
  std::vector<NamedVariable> parameters_;
  std::deque<std::vector<Tensor>> copies_;  // each entry: a copy of every parameter
  std::vector<Tensor> trained_;             // the trained values, while a Scope exists
  Options options_;
};

}  // namespace heed::nn
