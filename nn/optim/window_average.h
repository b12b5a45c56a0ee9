// The mean of parameters as they were at the last K moments: the checkpoints of the last epochs, averaged.
//
//   a = (w_{n-K+1} + .. + w_n) / K            of fewer, while fewer have been seen
//
// An epoch's parameters wander about a good place; their mean lies nearer to it than any one of them. (Vaswani et al.,
// NeurIPS 2017, section 6.1, for checkpoints of a transformer; Izmailov et al., UAI 2018, for why.)
//
//   nn::WindowAverage average(named_parameters(model), {.size = 10});
//   for each epoch: { train(model);  average.add(); }
//   { auto scope = average.swap_in();  evaluate(model); }        // the trained parameters are back here
#pragma once

#include <deque>
#include <vector>

#include "autograd/picture.h"
#include "nn/io/safetensors.h"

namespace heed::nn {

class WindowAverage {
 public:
  struct Options {
    int64_t size = 5;  // K
  };
  WindowAverage(std::vector<NamedVariable> parameters, const Options& options);
  WindowAverage(const WindowAverage&) = delete;
  WindowAverage& operator=(const WindowAverage&) = delete;

  void add();  // copies the parameters; forgets the oldest copy where there are more than K
  int64_t seen() const { return static_cast<int64_t>(copies_.size()); }  // at most K

  // While it lives the parameters hold the mean (themselves where nothing was added). GraphError for a second one, and
  // for add(), save_state() and load_state() while there is one.
  class Scope {
   public:
    explicit Scope(WindowAverage& average);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    WindowAverage& average_;
  };
  [[nodiscard]] Scope swap_in() { return Scope(*this); }

  // Tensors "<k>.<parameter>", k = 0 the oldest; metadata "average" (the kind), "size", "seen".
  io::SafeTensors save_state() const;
  // IoError, naming `what`, and the copies as they were: something else's state, another size, a tensor missing, too
  // many or of another shape.
  void load_state(const io::SafeTensors& file, const std::string& what);

 private:
  void need_apart(const char* operation) const;
  std::vector<NamedVariable> parameters_;
  std::deque<std::vector<Tensor>> copies_;  // of each moment, every parameter
  std::vector<Tensor> trained_;             // while a scope lives
  Options options_;
};

}  // namespace heed::nn
