// Schedule: the learning rate of each step, counted from 1. The kinds stand in decay.h, cosine.h, warmup.h, one_cycle.h
// and plateau.h.
//
//   nn::WarmupCosine schedule({.peak = 1e-3, .warmup = 200, .total = 10000});
//   optimizer.step(schedule);              // sets optimizer.learning_rate = schedule(optimizer.steps() + 1), then
//   steps schedule.observe(validation_loss);     // only ReduceOnPlateau listens
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

  // Metadata "schedule" (the kind) and its options: with the optimiser's number of steps all that must be kept to go
  // on.
  io::SafeTensors save_state() const;
  // IoError, naming `what`, and the schedule as it was: another kind, an option missing or outside its domain.
  void load_state(const io::SafeTensors& file, const std::string& what);

 protected:
  virtual const char* kind() const = 0;
  virtual Fields fields() = 0;     // options, and what it has seen so far
  virtual void check() const = 0;  // ValueError for an option outside its domain
};

}  // namespace heed::nn
