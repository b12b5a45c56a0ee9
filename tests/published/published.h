// The programs behind `published`; main.cpp says what each measures.
#pragma once

#include <cstdint>
#include <string>

namespace heed::published {

void reverse(uint64_t seed);
void copy(uint64_t seed);
void dates(uint64_t seed);
void trec(uint64_t seed, const std::string& folder);
void reviews(uint64_t seed, const std::string& folder, int64_t folds);

struct OrdersOptions {
  std::string preset = "multi30k-small", activation = "", precision = "";  // "": those of the preset
  std::string source, target;
  int64_t steps = 200;
};
void orders(uint64_t seed, const OrdersOptions& options);

}  // namespace heed::published
