// The catalogue: one entry for each kind of attention in this library, with the properties that the tests check.
//
// It drives the tests (tests/nn/attention/catalogue_test.cpp: each property of each entry), `./heed attention` and
// the comparison of variants, so that none of them can differ from the code. An entry's kind determines its
// properties: every score must have those that properties_of(Kind::score) lists. If an entry cannot have one of them
// for a mathematical reason, it is exempt, and the entry states the reason. Properties beyond those of its kind are
// its `own`.
//
// To add an entry, write its `about` (nn/about.h) and a line of the list of its kind (nn/attention/scores/all.cpp, ..,
// zoo.cpp here). The tests then fail until they have a subject to test it on and a check for each new property.
#pragma once

#include <string>
#include <vector>

#include "nn/attention/registry.h"

namespace heed::nn {

const std::vector<CatalogueEntry>& catalogue();  // by family, within it in the order of the lists
// Throws ValueError for an unknown id or name.
const CatalogueEntry& catalogue_entry(const std::string& id_or_name);
// The entry of this id, name, variant or other name (A5, additive, Bahdanau), in capitals or not; nullptr if none is.
const CatalogueEntry* entry_called(const std::string& text);

// The properties that every entry of a kind must have.
const std::vector<std::string>& properties_of(Kind kind);
std::vector<std::string> properties_of(const CatalogueEntry& entry);  // its kind's, without the exempt ones; its own

}  // namespace heed::nn
