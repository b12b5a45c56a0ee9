// Marks an evaluator that cuts queries and keys into halves and compares first halves with first halves, second with
// second. A position that rotates pairs of entries then turns each half by itself, as a head of half the width.
#pragma once

namespace heed::nn {

struct HalvesHeads {
  virtual ~HalvesHeads() = default;
  HalvesHeads() = default;
  HalvesHeads(HalvesHeads&&) = default;
  HalvesHeads& operator=(HalvesHeads&&) = default;
};

}  // namespace heed::nn
