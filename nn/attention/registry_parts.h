// The parts of families of the registry that are in files of their own.
#pragma once

#include <vector>

#include "nn/attention/registry.h"

namespace heed::nn {

std::vector<CatalogueEntry> later_score_entries();   // of score_entries: A10 to A17
std::vector<CatalogueEntry> sparse_mixer_entries();  // of mixer_entries: few of the pairs of words
std::vector<CatalogueEntry> fixed_mixer_entries();   // of mixer_entries: fixed matrices, other forms of attention

}  // namespace heed::nn
