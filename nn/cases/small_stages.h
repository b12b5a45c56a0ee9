// The stages of an entry of the registry in a small size, for the case table and the tests: no entry is named here, so
// a new row needs nothing else to be tried.
#pragma once

#include <vector>

#include "nn/attention/registry.h"

namespace heed::nn {

struct SmallSizes {
  int64_t query = 2;    // width of a query; a key is one wider where the score can join the two
  int64_t most = 1;     // maximum of integer settings: windows, distances, numbers of filters
  int64_t hidden = 3;   // hidden layers of scores
  int64_t longest = 4;  // words of the longest source
  bool one_width = false;
};

// Settings that the row itself gives in its `options` stay.
AttentionOptions small_stages(const CatalogueEntry& entry, const SmallSizes& sizes = {});
StageOptions small_stage(Kind kind, StageOptions stage, const SmallSizes& sizes = {});
// The entries of a kind that have a row of the case table to themselves.
std::vector<CatalogueEntry> entries_with_cases(Kind kind);

}  // namespace heed::nn
