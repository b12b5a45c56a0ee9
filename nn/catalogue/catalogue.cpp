#include "nn/catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "nn/catalogue/lists.h"
#include "nn/pooling/pooler.h"

namespace heed::nn {

const std::vector<CatalogueEntry>& catalogue() {
  static const std::vector<CatalogueEntry> all = [] {
    std::vector<CatalogueEntry> entries;
    for (auto family :
         {score_entries, normaliser_entries, scope_entries, reader_entries, position_entries, structure_entries,
          zoo_entries, evaluator_entries, mixer_entries, block_entries, pooling_entries, decoder_entries})
      for (CatalogueEntry& entry : family()) entries.push_back(std::move(entry));
    std::map<std::string, size_t> first;  // the entries of a family are listed together, at its first entry
    for (const CatalogueEntry& entry : entries) first.emplace(entry.family, first.size());
    std::stable_sort(entries.begin(), entries.end(), [&](const CatalogueEntry& a, const CatalogueEntry& b) {
      return first.at(a.family) < first.at(b.family);
    });
    return entries;
  }();
  return all;
}

const CatalogueEntry& catalogue_entry(const std::string& id_or_name) {
  for (const CatalogueEntry& entry : catalogue())
    if (entry.id == id_or_name) return entry;
  for (const CatalogueEntry& entry : catalogue())
    if (entry.name == id_or_name) return entry;
  throw ValueError(
      fmt::format("catalogue: no entry of this id or name; got `{}`; ./heed attention --list shows all", id_or_name));
}

const CatalogueEntry* entry_called(const std::string& text) {
  auto alike = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  auto is = [&](const std::string& name) {
    return std::equal(name.begin(), name.end(), text.begin(), text.end(), alike);
  };
  for (const CatalogueEntry& e : catalogue())
    if (e.id == text || e.name == text) return &e;  // H3 is another entry than h3
  for (const CatalogueEntry& e : catalogue())
    if (is(e.id) || is(e.name) || std::any_of(e.variants.begin(), e.variants.end(), is)) return &e;
  for (const CatalogueEntry& e : catalogue())
    if (std::any_of(e.also.begin(), e.also.end(), is)) return &e;
  return nullptr;
}

const std::vector<std::string>& properties_of(Kind kind) {
  static const std::vector<std::string> weights = {"rows_sum_to_one",         // and no weight is negative
                                                   "masked_keys_are_absent",  // no weight, no gradient, no effect
                                                   "padding_is_never_read",   // NaN, huge and tiny, on any side
                                                   "padded_after_is_alone",
                                                   "padded_before_is_alone",   // the result is that without padding
                                                   "empty_row_reads_zero",     // with finite gradients
                                                   "keys_may_be_permuted",     // with their values: same context
                                                   "queries_may_be_permuted",  // the contexts move with them
                                                   "weights_depend_on_keys",
                                                   "constant_values_are_read",  // equal values: the context equals them
                                                   "gradient",                  // case table: finite differences
                                                   "causal_under_causal_scope",
                                                   "step_by_step_is_parallel",
                                                   "mask_is_minus_infinity"};  // and not -1e9
  static const std::vector<std::string> scopes = [] {                          // a scope replaces the causal scope
    std::vector<std::string> all = weights;
    std::erase(all, "causal_under_causal_scope");
    return all;
  }();
  static const std::vector<std::string> evaluators = [] {  // of whole heads, whose values are projected
    std::vector<std::string> all = weights;
    std::erase(all, "constant_values_are_read");
    return all;
  }();
  static const std::vector<std::string> structures = {"rows_sum_to_one",        "masked_keys_are_absent",
                                                      "padding_is_never_read",  "empty_row_reads_zero",
                                                      "weights_depend_on_keys", "gradient"};
  static const std::vector<std::string> poolings = {"padding_is_absent",
                                                    "padding_is_never_read",
                                                    "padded_after_is_alone",
                                                    "padded_before_is_alone",
                                                    "one_word_is_itself",
                                                    "no_words_read_zero",
                                                    "gradient"};
  static const std::vector<std::string> mixers = {
      "padding_changes_no_output", "padding_is_never_read",     "padded_after_is_alone", "padded_before_is_alone",
      kLaterWordsAreNotRead,       "word_by_word_is_the_whole", "no_words_stay_finite",  "gradient"};
  static const std::vector<std::string> gradient = {"gradient"}, none,
                                        positions = {"padding_is_never_read", "padded_after_is_alone",
                                                     "padded_before_is_alone", "gradient"};
  switch (kind) {
    case Kind::score:
    case Kind::normaliser:
    case Kind::reader:
      return weights;
    case Kind::scope:
      return scopes;
    case Kind::evaluator:
      return evaluators;
    case Kind::structure:
      return structures;
    case Kind::pooling:
      return poolings;
    case Kind::mixer:
      return mixers;
    case Kind::position:
      return positions;
    case Kind::block_option:
      return gradient;
    default:
      return none;
  }
}

std::vector<std::string> properties_of(const CatalogueEntry& entry) {
  std::vector<std::string> held;
  for (const std::string& property : properties_of(entry.kind))
    if (!entry.exempt.contains(property)) held.push_back(property);
  held.insert(held.end(), entry.own.begin(), entry.own.end());
  return held;
}

}  // namespace heed::nn
