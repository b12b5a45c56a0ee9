// A row of the catalogue, made from what a variant declares: its constant `about` (nn/about.h), its Settings with a
// member `fields` (nn/options.h), its picture. The lists (scores/all.cpp, scopes/all.cpp, ..) have one line for each:
//
//   described<WindowScope>()                                a struct with its own about
//   described<PersistentMixer>(kAboutMemoryTokens)          a struct that is several variants
//   described<AftMixer, AftLocalSettings>(kAboutAftLocal)   with settings of their own
//   described(kAboutNoam, kind)                             what is no stage and has no factory
//
// A stage is made by its constructor from options and a generator, or by a static function `made`.
#pragma once

#include <type_traits>
#include <utility>

#include "nn/about.h"
#include "nn/attention/registry.h"

namespace heed::nn {

// The kind of an interface, the options of its factories, and the member of the row that keeps the factory. That of a
// pooler is beside its list (nn/pooling/all.cpp).
template <class Stage>
struct KindOf;
template <Kind k, class O, auto member>
struct KindWith {
  static constexpr Kind kind = k;
  using Options = O;
  static constexpr auto factory = member;
};
template <>
struct KindOf<Score> : KindWith<Kind::score, StageOptions, &CatalogueEntry::score> {};
template <>
struct KindOf<Scope> : KindWith<Kind::scope, StageOptions, &CatalogueEntry::scope> {};
template <>
struct KindOf<Normaliser> : KindWith<Kind::normaliser, StageOptions, &CatalogueEntry::normaliser> {};
template <>
struct KindOf<HeadPosition> : KindWith<Kind::position, StageOptions, &CatalogueEntry::position> {};
template <>
struct KindOf<EmbeddingPosition>
    : KindWith<Kind::position, EmbeddingPositionOptions, &CatalogueEntry::embedding_position> {};
template <>
struct KindOf<Evaluator> : KindWith<Kind::evaluator, StageOptions, &CatalogueEntry::evaluator> {};
template <>
struct KindOf<Mixer> : KindWith<Kind::mixer, StageOptions, &CatalogueEntry::mixer> {};
template <>
struct KindOf<Reader> : KindWith<Kind::reader, StageOptions, &CatalogueEntry::reader> {};
// The row of the structure that the memory is made of.
template <>
struct KindOf<OutputMemory> : KindWith<Kind::structure, StageOptions, &CatalogueEntry::memory> {};

CatalogueEntry described(const About& about, Kind kind, Tensor (*picture)(const Places&) = nullptr);
CatalogueEntry with_option(CatalogueEntry row);  // of a row with a factory: the option that its kind is chosen by

// The fields of a static default, to whose members they point.
template <class Settings>
std::vector<OptionField> settings_of() {
  static Settings plain;
  return fields_of(plain);
}

template <class Variant, class Settings = void>
CatalogueEntry described(const About& about = Variant::about, Kind kind = KindOf<typename Variant::Stage>::kind) {
  using K = KindOf<typename Variant::Stage>;
  CatalogueEntry row = described(about, kind);
  row.*K::factory = [](const typename K::Options& options, Generator& rng) -> std::unique_ptr<typename Variant::Stage> {
    if constexpr (requires { Variant::made(options, rng); })
      return Variant::made(options, rng);
    else
      return std::make_unique<Variant>(options, rng);
  };
  if constexpr (!std::is_void_v<Settings>)
    row.settings = settings_of<Settings>();
  else if constexpr (requires { typename Variant::Settings; })
    row.settings = settings_of<typename Variant::Settings>();
  if constexpr (requires { Variant::picture; }) row.picture = Variant::picture;
  return with_option(std::move(row));
}

}  // namespace heed::nn
