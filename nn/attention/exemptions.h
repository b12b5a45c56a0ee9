// Properties that sources name, and exemptions that several variants share.
#pragma once

#include "nn/about.h"

namespace heed::nn {

inline constexpr const char* kLinearCost = "cost_is_linear_in_words";  // growth.h
// A mixer that is exempt from it cannot be causal, and belongs in an encoder.
inline constexpr const char* kLaterWordsAreNotRead = "later_words_are_not_read";

inline constexpr Exempt kKeysHavePlaces{"keys_may_be_permuted",
                                        "a key's position decides which queries may attend to it"};
inline constexpr Exempt kQueriesHavePlaces{"queries_may_be_permuted",
                                           "a query's position decides which keys it may attend to"};
inline constexpr const char* kWeighsPositions = "its weights depend on the position of a key, not on the key";
inline constexpr Exempt kWeighsPlaces{"keys_may_be_permuted", kWeighsPositions};
inline constexpr Exempt kWeighsPlacesBefore{"padded_before_is_alone", kWeighsPositions};
inline constexpr Exempt kAnySum{"rows_sum_to_one", "a row may have any sum"};
inline constexpr Exempt kAnySumIsRead{"constant_values_are_read",
                                      "a row may have any sum, and the context is as much of the value"};
inline constexpr Exempt kWeightsAreAbsolute{
    "mask_is_minus_infinity",
    "weights are not relative to the largest score, so scores of -1e12 are weights of 0 without a mask too"};
inline constexpr Exempt kMasksWholeSequences{"empty_row_reads_zero",
                                             "it takes a padding mask for each sequence, the same for all rows"};
inline constexpr Exempt kMasksPairs{"padding_is_never_read",
                                    "its mask is of pairs: a word that nobody reads is still a query"};
inline constexpr Exempt kLatentsReadAll{kLaterWordsAreNotRead, "its latent vectors read all words"};

}  // namespace heed::nn
