// A comparison of cells: each at several learning rates, with the same sequences and the same random seed.
#pragma once

#include "tutorials/08_recurrent/reader.h"

namespace recurrent {

struct Contest {
  std::vector<double> rates;
  std::vector<std::vector<Outcome>> tried;  // [cell][rate]
  std::vector<Outcome> best;                // [cell]: the rate with the smallest loss at the end of training
};

template <class Cell>
void enter(Contest& contest, const std::string& name, const typename Cell::Options& options, Training t,
           const std::vector<int64_t>& lags, int64_t heard_lag) {
  std::vector<Outcome> outcomes;
  for (double rate : contest.rates) {
    t.rate = rate;
    outcomes.push_back(learn<Cell>(name, options, t, lags, heard_lag));
  }
  auto smaller = [](const Outcome& a, const Outcome& b) { return a.last_loss() < b.last_loss(); };
  contest.best.push_back(*std::min_element(outcomes.begin(), outcomes.end(), smaller));
  contest.tried.push_back(outcomes);
}

}  // namespace recurrent
