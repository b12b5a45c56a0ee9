// The catalogue: every kind of attention in this library, one entry each, with what it must hold.
//
// It drives the tests (tests/nn/attention/catalogue_test.cpp: each property of each entry), `./heed attention` and the
// comparison of variants, so that none of them can drift from the code. Properties hang on the kind: whatever is a
// score must hold what properties_of(Kind::score) lists. What an entry by its mathematics cannot hold is exempt, with
// the reason. What it holds beyond that, and no other, are its own properties.
//
// To add an entry: its row in the file of its family (catalogue_scores.cpp, ...). The tests then ask for what is
// missing: a subject to try it on, and a check for each new property.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/attention/attention.h"
#include "nn/attention/scopes/masks.h"

namespace heed::nn {

enum class Kind {
  score,
  normaliser,
  scope,
  position,
  evaluator,
  structure,
  reader,
  regulariser,
  training_rule,
  pooling,
  block_option,
  control
};
std::string name_of(Kind kind);  // "training rule"

struct CatalogueEntry {
  std::string id;                      // "A5"
  std::vector<std::string> also = {};  // what else it is called
  std::string name;                    // as options call it: "additive"
  Kind kind;
  std::string family;  // the heading under which it is listed
  std::string formula, paper;
  int year, tier;  // tier 1 is built first
  std::string shapes, cost;
  std::vector<std::string> own = {};               // properties beyond those of its kind
  std::map<std::string, std::string> exempt = {};  // property of its kind -> why it cannot hold
  AttentionOptions options = {};                   // of what goes through the pipeline: its stages, without widths
  std::string cases = {};                          // its row of the case table; none where gradients are exempt
  // Scopes: how much query i may take of key j, in [0, 1], as a small picture [queries, keys].
  Tensor (*picture)(const MaskShape&) = nullptr;
};

const std::vector<CatalogueEntry>& catalogue();  // by family, then by id
// ValueError for an id or a name that is not there.
const CatalogueEntry& catalogue_entry(const std::string& id_or_name);

// What every entry of a kind must hold, in the order in which the design names them.
const std::vector<std::string>& properties_of(Kind kind);
std::vector<std::string> properties_of(const CatalogueEntry& entry);  // its kind's that are not exempt, then its own

// The families, one file each.
std::vector<CatalogueEntry> score_entries();
std::vector<CatalogueEntry> normaliser_entries();
std::vector<CatalogueEntry> scope_entries();
std::vector<CatalogueEntry> reader_entries();
std::vector<CatalogueEntry> position_entries();
std::vector<CatalogueEntry> structure_entries();
std::vector<CatalogueEntry> evaluator_entries();
std::vector<CatalogueEntry> block_entries();
std::vector<CatalogueEntry> pooling_entries();
std::vector<CatalogueEntry> decoder_entries();

}  // namespace heed::nn
