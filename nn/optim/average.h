// Exponential moving average of the parameters: a smoother model than that of the last step, kept beside it.
//
//   a <- d a + (1 - d) w      after every step
//
// It starts as a copy of the parameters, whose weight is d^t after t steps. With bias_corrected, the copy gets no
// weight: d is replaced by d (1 - d^(t-1)) / (1 - d^t), so that a is a weighted mean of the t parameters seen, and the
// average follows closely in the first steps. (Averaging: Polyak and Juditsky 1992. Correction: as in Kingma and Ba,
// ICLR 2015, section 3.)
//
//   nn::ParameterAverage average(named_parameters(model), {.decay = 0.999});
//   optimizer.step();  average.update();
//   { auto scope = average.swap_in();  evaluate(model); }  // then the trained parameters are back
#pragma once

#include <vector>

#include "autograd/picture.h"
#include "nn/io/safetensors.h"
#include "nn/options.h"

namespace heed::nn {

// What averages need of their parameters. ValueError unless each is a leaf and given once.
void require_leaves_once(const char* kind, const std::vector<NamedVariable>& parameters);
// ShapeError if a parameter has been given another shape since.
void require_same_shape(const char* kind, const NamedVariable& parameter, const Tensor& average);

// GraphError if one of the parameters holds an average instead of its trained values. The program records that for each
// parameter, so two averages of one model know of each other's scopes. These must not overlap: the first to end would
// restore the values of the other.
void require_trained(const char* kind, const char* operation, const std::vector<NamedVariable>& parameters);
// While it lives, the parameters count as holding averages. GraphError if one of them does already.
class HoldsAverages {
 public:
  HoldsAverages(const char* kind, const std::vector<NamedVariable>& parameters);
  ~HoldsAverages();
  HoldsAverages(const HoldsAverages&) = delete;
  HoldsAverages& operator=(const HoldsAverages&) = delete;

 private:
  const std::vector<NamedVariable>& parameters_;
};

class ParameterAverage {
 public:
  struct Options {
    double decay = 0.999;
    bool bias_corrected = false;

    void fields(OptionFields& f) {
      f("decay", decay, "decay of the average", kFraction);
      f("bias_corrected", bias_corrected, "divide by the weights of the updates so far");
    }
  };
  ParameterAverage(std::vector<NamedVariable> parameters, const Options& options);
  ParameterAverage(const ParameterAverage&) = delete;
  ParameterAverage& operator=(const ParameterAverage&) = delete;

  void update();  // ShapeError if a parameter has another shape now
  int64_t updates() const { return updates_; }

  // While a Scope exists, the parameters hold their averages. The tensors are exchanged, not copied. A second Scope,
  // of this or another average of these parameters, and update(), save_state() and load_state() while one exists, throw
  // GraphError.
  class Scope {
   public:
    explicit Scope(ParameterAverage& average);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ParameterAverage& average_;
    HoldsAverages holds_;
  };
  [[nodiscard]] Scope swap_in() { return Scope(*this); }

  // Tensors "average.<parameter>"; metadata "average" (the kind), "updates", "decay", "bias_corrected".
  io::SafeTensors save_state() const;
  // IoError that names `what` if the file is the state of something else, or a tensor is missing, unexpected or of
  // another shape. The averages then stay as they were.
  void load_state(const io::SafeTensors& file, const std::string& what);

 private:
  void exchange() noexcept;  // exchanges the parameter values with the averages
  std::vector<NamedVariable> parameters_;
  std::vector<Tensor> averages_;
  Options options_;
  int64_t updates_ = 0;
};

}  // namespace heed::nn
