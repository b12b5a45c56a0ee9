// The catalogue: every kind of attention in this library, one entry each, with what it must hold.
//
// It drives the tests (tests/nn/attention/catalogue_test.cpp: each property of each entry), `./heed attention` and the
// comparison of variants, so that none of them can drift from the code. Properties hang on the kind: whatever is a
// score must hold what properties_of(Kind::score) lists. What an entry by its mathematics cannot hold is exempt, with
// the reason. What it holds beyond that, and no other, are its own properties.
//
// To add an entry: its row in the file of its family (registry_scores.cpp, catalogue_structures.cpp, ...). The tests
// then ask for what is missing: a subject to try it on, and a check for each new property.
#pragma once

#include <string>
#include <vector>

#include "nn/attention/registry.h"

namespace heed::nn {

const std::vector<CatalogueEntry>& catalogue();  // by family, then by id
// ValueError for an id or a name that is not there.
const CatalogueEntry& catalogue_entry(const std::string& id_or_name);
// The entry of this id, name, variant or other name (A5, additive, Bahdanau), in capitals or not; nullptr if none is.
const CatalogueEntry* entry_called(const std::string& text);

// What every entry of a kind must hold, in the order in which the design names them.
const std::vector<std::string>& properties_of(Kind kind);
std::vector<std::string> properties_of(const CatalogueEntry& entry);  // its kind's that are not exempt, then its own

// The families that are no stages of the pipeline, one file each; stages are in the registry.
std::vector<CatalogueEntry> reader_entries();
std::vector<CatalogueEntry> structure_entries();
std::vector<CatalogueEntry> block_entries();
std::vector<CatalogueEntry> pooling_entries();
std::vector<CatalogueEntry> decoder_entries();

}  // namespace heed::nn
