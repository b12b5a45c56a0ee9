// Marks a position scheme whose effect depends on the places of words themselves and not only on their distances. Where
// several sentences share a row and nobody gives the places of their words, such a scheme would count from the begin of
// the row: packing refuses it (TransformerStack::require_distances).
#pragma once

namespace heed::nn {

struct ReadsPlaces {
  virtual ~ReadsPlaces() = default;
  ReadsPlaces() = default;
  ReadsPlaces(ReadsPlaces&&) = default;
  ReadsPlaces& operator=(ReadsPlaces&&) = default;
};

}  // namespace heed::nn
