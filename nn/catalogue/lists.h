// The lists of what is chosen by name or only described, beside those of the stages of attention
// (nn/attention/registry.h).
#pragma once

#include <vector>

#include "nn/attention/registry.h"

namespace heed::nn {

std::vector<CatalogueEntry> structure_entries();
std::vector<CatalogueEntry> pooling_entries();
std::vector<CatalogueEntry> block_entries();
std::vector<CatalogueEntry> decoder_entries();

}  // namespace heed::nn
