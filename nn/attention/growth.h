// How the work of an entry grows with the number T of words.
//
// A row can declare the property "cost_is_linear_in_words". The test of that property counts the multiply-adds of
// self-attention with fixed settings over 512 to 8192 words, and fits
//
//   multiply-adds ~ T^p      p <= 1.1 for a row that declares it; p >= 1.5 for every other evaluator, scope and mixer
//
// (kLinearCost), so a row can neither declare it wrongly nor leave it out. The same holds for the numbers that are
// written. A mask of T S bytes counts as neither: the rows of the scopes that need one say so.
#pragma once

#include <string>

#include "nn/attention/registry.h"

namespace heed::nn {

bool cost_is_linear(const CatalogueEntry& entry);
// The evaluators, scopes and mixers, whose multiply-adds are counted.
bool cost_is_counted(const CatalogueEntry& entry);
// The cost of the row, and how it grows where that is counted.
std::string cost_in_words(const CatalogueEntry& entry);

}  // namespace heed::nn
