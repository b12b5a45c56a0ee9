// One review coloured three times: by attention, by gradient and by leave-one-out.
#pragma once

#include "tutorials/29_explain/importance.h"
#include "tutorials/common/show.h"

namespace explain {

// Each measure is divided by its largest value, so that all three have the same scale.
inline heed::report::RunningSentence coloured(const std::string& measure, const Review& r, Ranking by) {
  double largest = by[static_cast<size_t>(top(by))];
  for (double& x : by) x = largest > 0 ? x / largest : 0;
  heed::report::RunningSentence out{.words = r.words, .weights = by};
  out.name = measure;
  return out;
}

inline heed::report::RunningText colouring(const std::string& model, const Review& r, const Ranking& attention,
                                           const Ranking& gradient, const Ranking& left_out) {
  std::string reason = r.words[static_cast<size_t>(r.reason)];
  return {.name = fmt::format("{}: \"{}\" decides", model, reason),
          .sentences = {coloured("attention", r, attention), coloured("gradient", r, gradient),
                        coloured("leave-one-out", r, left_out)}};
}

}  // namespace explain
