// The parts of families of the registry that are in files of their own.
#pragma once

#include <vector>

#include "nn/attention/registry.h"

namespace heed::nn {

std::vector<CatalogueEntry> later_score_entries();            // of score_entries: A10 to A17
std::vector<CatalogueEntry> later_position_entries();         // of position_entries: F9, F11, F12
std::vector<CatalogueEntry> structured_normaliser_entries();  // of normaliser_entries
std::vector<CatalogueEntry> alignment_entries();              // of normaliser_entries
std::vector<CatalogueEntry> control_entries();                // of normaliser_entries

std::vector<CatalogueEntry> signed_normaliser_entries();  // of normaliser_entries: B17

// Of mixer_entries.
std::vector<CatalogueEntry> recurrent_mixer_entries();  // sums that decay: retention to Mamba-2
std::vector<CatalogueEntry> own_heads_entries();        // attention with a change of its own
std::vector<CatalogueEntry> feature_mixer_entries();    // RWKV, AFT, convolutions
std::vector<CatalogueEntry> sparse_mixer_entries();     // few of the pairs of words
std::vector<CatalogueEntry> order_mixer_entries();      // attention that learns the order of words without places
std::vector<CatalogueEntry> fixed_mixer_entries();      // fixed matrices, other forms of attention
std::vector<CatalogueEntry> latent_mixer_entries();     // through latent vectors, with gates, of pairs

}  // namespace heed::nn
