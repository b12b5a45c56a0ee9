// Exemptions that several rows of the registry share.
#pragma once

#include <map>
#include <string>

namespace heed::nn {

// Of normalisers whose rows do not sum to 1, for a reason such as "a row may have any sum".
inline std::map<std::string, std::string> exempt_from_sums(const std::string& reason) {
  return {{"rows_sum_to_one", reason},
          {"constant_values_are_read", reason + ", and the context is as much of the value"},
          {"mask_is_minus_infinity",
           "weights are not relative to the largest score, so scores of -1e12 are weights of 0 without a mask too"}};
}

// For an entry without padding, or with padding in another form.
inline std::map<std::string, std::string> exempt_from_padding(const std::string& reason) {
  return {{"padding_is_never_read", reason}, {"padded_after_is_alone", reason}, {"padded_before_is_alone", reason}};
}

inline std::map<std::string, std::string> and_also(std::map<std::string, std::string> exempt,
                                                   const std::map<std::string, std::string>& more) {
  exempt.insert(more.begin(), more.end());
  return exempt;
}

}  // namespace heed::nn
