// Exercise 35.1: where does a head look, counted from the earlier place of the same word?
//
//   score(d) = mean over t of w[t][s + d]
//
// The mean is over the places t whose word occurs before t, too; s is the last place before t with this word. Words for
// which s + d is after t are left out: a causal head cannot read there. If no word is left, the score is 0.
//
// The induction head of the textbook has its weight at d = 1, on the word that came next (Olsson et al., 2022).
// T words of a text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mine {

using Weights = std::vector<std::vector<double>>;  // [T][T], row t: the weights of word t

double place_score(const Weights& w, const std::vector<std::string>& text, std::size_t d);

}  // namespace mine
