// The parts of structure_entries() (catalogue_structures.cpp), one file each.
#pragma once

#include "nn/attention/catalogue.h"

namespace heed::nn {

std::vector<CatalogueEntry> joint_entries();
std::vector<CatalogueEntry> set_entries();
std::vector<CatalogueEntry> further_entries();

}  // namespace heed::nn
