// Exponential moving average of parameters: a smoother model than the last step's, kept beside it.
//
//   a <- d a + (1 - d) w      after every step
//
// It starts as a copy of the parameters, which weighs d^t after t steps. With bias_corrected that copy is forgotten:
// d is replaced by d (1 - d^(t-1)) / (1 - d^t), so that a is the weighted mean of the t parameters seen, and young
// averages follow closely. (Polyak and Juditsky 1992 for averaging; the correction as in Kingma and Ba, ICLR 2015, sec.
// 3)
//
//   nn::ParameterAverage average(named_parameters(model), {.decay = 0.999});
//   optimizer.step();  average.update();
//   { auto scope = average.swap_in();  evaluate(model); }        // the trained parameters are back here
#pragma once

#include <vector>

#include "autograd/picture.h"
#include "nn/io/safetensors.h"

namespace heed::nn {

class ParameterAverage {
 public:
  struct Options {
    double decay = 0.999;  // in [0, 1)
    bool bias_corrected = false;
  };
  ParameterAverage(std::vector<NamedVariable> parameters, const Options& options);
  ParameterAverage(const ParameterAverage&) = delete;
  ParameterAverage& operator=(const ParameterAverage&) = delete;

  void update();
  int64_t updates() const { return updates_; }

  // While it lives the parameters hold their averages. Nothing is copied. GraphError for a second one, and for
  // update(), save_state() and load_state() while there is one.
  class Scope {
   public:
    explicit Scope(ParameterAverage& average);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ParameterAverage& average_;
  };
  [[nodiscard]] Scope swap_in() { return Scope(*this); }

  // Tensors "average.<parameter>"; metadata "average" (the kind), "updates", "decay", "bias_corrected".
  io::SafeTensors save_state() const;
  // IoError, naming `what`, and the averages as they were: something else's state, a tensor missing, too many or of
  // another shape.
  void load_state(const io::SafeTensors& file, const std::string& what);

 private:
  void exchange() noexcept;  // values with averages
  void need_apart(const char* operation) const;
  std::vector<NamedVariable> parameters_;
  std::vector<Tensor> averages_;
  Options options_;
  int64_t updates_ = 0;
  bool swapped_ = false;
};

}  // namespace heed::nn
