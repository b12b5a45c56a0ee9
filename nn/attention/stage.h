// What the stages of attention share: how one is chosen, and what each of them can see during a call.
//
//   prepare -> score -> bias -> restrict -> normalise -> modulate -> read -> finish       nn/attention/pipeline.h
//
// A stage is a struct with a constant `about` (nn/about.h), which the registry lists (nn/attention/registry.h). It is
// chosen by its name, with the numbers that its Settings describe (nn/options.h). These are one thing:
//
//   o.scope = chosen<WindowScope>({.window = 64});                  in C++, where the compiler knows its settings
//   o.scope = {.name = "window", .settings = {{"window", 64}}};     by name
//   o.scope = stage_from(Kind::scope, "window:64");                 as text
#pragma once

#include <map>
#include <string>

#include "autograd/variable.h"
#include "nn/about.h"
#include "nn/attention/places.h"
#include "nn/options.h"

namespace heed::nn {

// The numbers that were chosen for a stage, by the names of the fields of its Settings.
struct SettingValues : std::map<std::string, double> {
  using std::map<std::string, double>::map;
  template <class Settings>
  Settings as() const {  // those not given have their defaults
    Settings s;
    for (const OptionField& f : fields_of(s))
      if (auto given = find(f.name); given != end()) set_number(f, given->second);
    return s;
  }
};

struct StageOptions {
  std::string name = {};        // empty: the default of its kind
  int64_t query = 0, key = 0;   // widths of one query and one key; whoever builds the model fills them in
  SettingValues settings = {};  // those not given have their defaults
  int64_t heads = 1;
  bool causal = false;  // no query ever attends to a later key
  // The index of its layer, from 0, and the stack's number of layers; 0, 0: no stack. Random features and differential
  // attention differ by layer.
  int64_t layer = 0, layers = 0;
};
using ScoreOptions = StageOptions;
using ScopeOptions = StageOptions;
using NormaliserOptions = StageOptions;
using HeadPositionOptions = StageOptions;
using EvaluatorOptions = StageOptions;

// A variant by its type. `others` has the options that are not settings: widths, heads.
template <class Variant>
StageOptions chosen() {
  return {.name = Variant::about.name()};
}
template <class Variant>
StageOptions chosen(typename Variant::Settings settings, StageOptions others = {}) {
  others.name = Variant::about.name();
  for (const OptionField& f : fields_of(settings)) others.settings[f.name] = number_of(f);
  return others;
}

// What one step of a sequence passes on to the next, for stages that depend on earlier weights.
struct AlignmentState {
  int64_t position = 0;           // place of the next query: the number of queries answered so far
  Variable weights = {};          // [B, S] or [B, H, S]: those of the last query; undefined before it
  Variable total = {};            // the same shape: their sum over all queries; sequential stages only
  Variable carried = {};          // [B, ..] or [B, H, ..]: what a sequential score itself keeps for the next query
  Variable alignment = {};        // the shape of `weights`: what a sequential normaliser keeps for the next query
  void keep(const Tensor& rows);  // [B'] i64: row i becomes what row rows[i] was (beam search)
};

struct StageContext {
  Places places = {};
  int64_t heads = 0;                // 0: no axis of heads, [B, T, ..]; else [B, H, T, ..]
  AlignmentState* state = nullptr;  // of the sequence; may be null where no stage is sequential
};

// Properties that sources name, and exemptions that several variants share.
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
