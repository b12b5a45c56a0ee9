// Exercise 12.3: the alignment error rate of attention.
//
//   A = links found by the attention, S = sure links, P = possible links of people who aligned the sentences
//   AER = 1 - (|A and S| + |A and P|) / (|A| + |S|)
//
// Every sure link is a possible one, too. 0 is a perfect alignment. The four numbers are added up over all sentences
// before the division.
//
// hard_links: each target word is linked to the source position with the largest weight, the first of equals. Source
// positions from `words` on are </s> and padding: a target word whose largest weight is there has no link.
//
// Och and Ney, Computational Linguistics 2003, section 5.
#pragma once

#include <vector>

#include "nn/data/alignment.h"
#include "tensor/tensor.h"

namespace mine {

using Links = std::vector<heed::data::Link>;  // {source, target, sure}: positions; found links have sure = true

Links hard_links(const heed::Tensor& weights, int64_t words);  // weights [T, S]; by target position

// found[i] and gold[i] belong to sentence i. gold holds P, and sure is true for the links that are in S. No link occurs
// twice. If there is nothing to find and nothing was found, the rate is 0.
double error_rate(const std::vector<Links>& found, const std::vector<Links>& gold);

}  // namespace mine
