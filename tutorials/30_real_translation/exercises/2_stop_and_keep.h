// Exercise 30.2: when to stop, and what to keep.
//
//   best    the epoch with the smallest validation loss so far; of epochs with equal losses the first
//   stop    after the epoch that is `patience` epochs later than the best one; patience 0: never stop early
//   kept    the mean of the parameters after the best epoch and after the `average` - 1 epochs before it, or after
//           fewer epochs if the best one is too early
//
// Epochs are counted from 1. Averaging the last checkpoints: Vaswani et al., NeurIPS 2017, section 6.1.
#pragma once

#include <cstdint>
#include <vector>

namespace mine {

struct End {
  int64_t epochs, best;  // the number of epochs until the stop, and the best epoch
  double kept;
};

// losses[i] is the validation loss after epoch i + 1, if training goes on until then; parameters[i] is the parameter
// after that epoch, of a model that has only one.
End train(const std::vector<double>& losses, const std::vector<double>& parameters, int64_t patience, int64_t average);

}  // namespace mine
