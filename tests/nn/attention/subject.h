// What the property tests try an attention on: any function from queries, keys and values to contexts and weights.
//
// A property is a function of a Subject and says what is wrong, or nothing. So the same function that holds every entry
// of the catalogue to it is shown, by tests/mutation/run.sh, to find the faults that were planted for it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nn/catalogue/catalogue.h"
#include "tests/nn/support.h"

namespace heed::nn_test {

struct Ask {
  Variable query, keys, values;       // [B, T, W], [B, S, W], [B, S, W]
  Tensor lengths = {}, allowed = {};  // [B]; broadcastable to [B, T, S]
  bool causal = false;                // with the causal scope in place of its own
  bool step_by_step = false;          // one query a call
};
struct Seen {
  Variable context, weights;  // [B, T, W], [B, T, S]
  std::vector<NamedVariable> parameters = {};
};
using Subject = std::function<Seen(const Ask&)>;  // the same parameters and the same draws at every call

constexpr int64_t kWidth = 4;
template <class M>
M made(const typename M::Options& options, DType dtype) {
  M m = make<M>(options, 1);
  nn::convert(m, dtype);
  return m;
}
// The options of an entry with small widths: queries, keys and values of width 4, windows of 2, sources up to 16.
nn::AttentionOptions small_options(const nn::CatalogueEntry& entry);
// Undefined for an entry that nobody has written one for.
Subject subject_of(const nn::CatalogueEntry& entry);
Subject memory_subject_of(const nn::CatalogueEntry& entry);  // a part of them

// Two sentences, three queries, five keys.
Ask small_ask(DType dtype = DType::f64);

// What every entry of a kind must hold (catalogue.cpp). "" or what is wrong.
std::string rows_sum_to_one(const Subject& subject);
std::string masked_keys_are_absent(const Subject& subject);
std::string empty_row_reads_zero(const Subject& subject);
std::string keys_may_be_permuted(const Subject& subject);
std::string queries_may_be_permuted(const Subject& subject);
std::string weights_depend_on_keys(const Subject& subject);
std::string constant_values_are_read(const Subject& subject);
std::string causal_under_causal_scope(const Subject& subject);
std::string step_by_step_is_parallel(const Subject& subject);
std::string mask_is_minus_infinity(const Subject& subject);

// What is checked of the entries that have a property, by its name; one may have several checks, each in a file of its
// own. A check fails the running test case. PROPERTY(name) { .. } is a check of `entry`. A test case that is the check
// of a property says so: TEST_CASE("what it shows" * holds("name")).
using Check = std::function<void(const nn::CatalogueEntry& entry)>;
std::map<std::string, std::vector<Check>>& checks();
inline bool checked(const char* name, const Check& check) { return checks()[name].emplace_back(check) != nullptr; }
#define PROPERTY(name)                                        \
  void name(const nn::CatalogueEntry& entry);                 \
  [[maybe_unused]] const bool name##_ = checked(#name, name); \
  void name([[maybe_unused]] const nn::CatalogueEntry& entry)

}  // namespace heed::nn_test
