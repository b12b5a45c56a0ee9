// Schedule: the learning rate of each step, counted from 1. The kinds are in decay.h, cosine.h, warmup.h, one_cycle.h
// and plateau.h.
//
// clang-format off
//   nn::WarmupCosine schedule({.peak = 1e-3, .warmup = 200, .total = 10000});
//   optimizer.step(schedule);            // learning_rate = schedule(optimizer.steps() + 1)
//   schedule.observe(validation_loss);   // matters only to ReduceOnPlateau
// clang-format on
#pragma once

#include <cstdint>
#include <string>

#include "nn/io/safetensors.h"
#include "nn/optim/fields.h"

namespace heed::nn {

class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual double operator()(int64_t step) const = 0;
  virtual void observe(double) {}

  // Metadata "schedule" (the kind) and its options. Together with the optimiser's number of steps, this is all that is
  // needed to resume.
  io::SafeTensors save_state() const;
  // IoError that names `what` if the kind differs, or an option is missing or out of range. The schedule then stays as
  // it was.
  void load_state(const io::SafeTensors& file, const std::string& what);

 protected:
  virtual const char* kind() const = 0;
  virtual void fields(OptionFields& f) = 0;  // the options, and for ReduceOnPlateau what it has observed so far
  virtual void check() const {}              // ValueError for options that do not go together
  void start();                              // the last line of every constructor: checks the options
};

// ValueError for a total below the warm-up.
void require_after_warmup(const char* kind, int64_t warmup, int64_t total);

}  // namespace heed::nn
