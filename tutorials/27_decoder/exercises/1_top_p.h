// Exercise 27.1: top-p sampling, also called nucleus sampling.
//
// Sort the words by probability, the largest first, and keep as few as have a total probability of at least top_p: the
// word that reaches top_p is kept, and at least one is. All others get the probability 0, and the kept ones are divided
// by their sum. Holtzman et al., ICLR 2020, section 3.1.
#pragma once

#include <vector>

namespace mine {

std::vector<double> nucleus(const std::vector<double>& p, double top_p);

}  // namespace mine
