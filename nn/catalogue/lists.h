// The lists of entries that are only described. Those chosen by name: nn/attention/registry.h, nn/pooling/pooler.h.
#pragma once

#include <vector>

#include "nn/attention/registry.h"

namespace heed::nn {

std::vector<CatalogueEntry> zoo_entries();
std::vector<CatalogueEntry> block_entries();
std::vector<CatalogueEntry> decoder_entries();

}  // namespace heed::nn
