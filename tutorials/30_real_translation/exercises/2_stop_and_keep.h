// Exercise 30.2: when to stop, and what to keep.
//
//   best    the epoch with the smallest validation loss so far; of equal ones the first
//   stop    after the epoch that is `patience` epochs later than the best one; patience 0: never
//   kept    the mean of the parameters after the best epoch and after the `average` - 1 epochs before it, as far as
//           there are that many
//
// Epochs are counted from 1. Averaging the last checkpoints: Vaswani et al., NeurIPS 2017, section 6.1.
#pragma once

#include <cstdint>
#include <vector>

namespace mine {

struct End {
  int64_t epochs, best;  // the number of epochs that were run, and the best one
  double kept;
};

// losses: of the validation set after each epoch, if training went on; parameters: of a model with one number,
// likewise.
End train(const std::vector<double>& losses, const std::vector<double>& parameters, int64_t patience, int64_t average);

}  // namespace mine
