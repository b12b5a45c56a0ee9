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
  virtual bool reads_places() const { return true; }  // false: not with the settings that were chosen
};

struct HeadPosition;
bool reads_places_of(const HeadPosition& position);  // whether it is one, with its settings

}  // namespace heed::nn
