// The registry of stages: one row for each score, scope, normaliser, position, evaluator and mixer, and for the other
// parts of a model that are chosen by name: poolings, readers, and memories of a decoder's outputs.
//
// A row is made from what a variant declares (describe.h): its name, its settings with their defaults and ranges, its
// factory, and the properties that it must have. Everything else is derived from the rows: construction by name, the
// options of `heed train`, model files, `heed attention`, and the tests (catalogue.h: properties, gradient checks,
// every combination of stages).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "nn/about.h"
#include "nn/attention/stage.h"
#include "nn/options.h"
#include "tensor/random.h"

namespace heed::nn {

struct Score;
struct Scope;
struct Normaliser;
struct HeadPosition;
struct EmbeddingPosition;
struct EmbeddingPositionOptions;
struct Evaluator;
struct Pooler;
struct PoolerOptions;
struct Reader;
struct OutputMemory;
struct Mixer;

enum class Kind {
  score,
  normaliser,
  scope,
  position,
  evaluator,
  structure,
  reader,
  regulariser,
  training_rule,
  pooling,
  block_option,
  control,
  output,
  memory,
  mixer
};
std::string name_of(Kind kind);  // "training rule"

struct AttentionOptions {
  ScoreOptions score = {};
  ScopeOptions scope = {};
  NormaliserOptions normaliser = {};
  HeadPositionOptions position = {};
  EvaluatorOptions evaluator = {};
  double dropout = 0;  // of the weights that read; those returned and reported are whole
};

struct CatalogueEntry {
  std::string id, name;
  Kind kind;
  std::vector<std::string> also;
  std::string family, formula, paper;
  int year, tier;
  std::string idea, wrong, shapes, cost;
  std::vector<std::string> own;               // properties beyond those of its kind
  std::map<std::string, std::string> exempt;  // property of its kind -> why it cannot hold
  AttentionOptions options;                   // of what goes through the pipeline: its stages, without widths
  std::string cases;                          // its row of the case table; none: case_row says which
  std::vector<Role> default_for;
  std::vector<std::string> variants;
  std::string architecture, option, text, more;  // how a model is given it (About)
  std::string file;
  std::vector<OptionField> settings = {};  // of the defaults: number_of(field) is the default
  // Its factory; all others are null.
  std::unique_ptr<Score> (*score)(const ScoreOptions&, Generator&) = nullptr;
  std::unique_ptr<Scope> (*scope)(const ScopeOptions&, Generator&) = nullptr;
  std::unique_ptr<Normaliser> (*normaliser)(const NormaliserOptions&, Generator&) = nullptr;
  std::unique_ptr<HeadPosition> (*position)(const HeadPositionOptions&, Generator&) = nullptr;
  std::unique_ptr<Evaluator> (*evaluator)(const EvaluatorOptions&, Generator&) = nullptr;
  std::unique_ptr<Pooler> (*pooling)(const PoolerOptions&, Generator&) = nullptr;
  std::unique_ptr<Reader> (*reader)(const StageOptions&, Generator&) = nullptr;
  std::unique_ptr<OutputMemory> (*memory)(const StageOptions&, Generator&) = nullptr;
  std::unique_ptr<Mixer> (*mixer)(const StageOptions&, Generator&) = nullptr;
  // Positions that are added to the embedding (positions/embedding_position.h) instead of `position`.
  std::unique_ptr<EmbeddingPosition> (*embedding_position)(const EmbeddingPositionOptions&, Generator&) = nullptr;
  // Scopes: how much query i may take of key j, in [0, 1], as a small picture [queries, keys].
  Tensor (*picture)(const Places&) = nullptr;
};

bool can_be_built(const CatalogueEntry& entry);  // is it a stage that has a factory?
// The row of the case table that checks the gradients of an entry: `cases` if it is set; otherwise the row that the
// table generates for each score, scope, normaliser and position. "" for evaluators, and where gradients are exempt.
std::string case_row(const CatalogueEntry& entry);
std::string own_case_row(const CatalogueEntry& entry);  // "Attention dot", "MultiHeadAttention rope"

// The rows that are stages of this kind; of readers and memories those with a factory. ValueError for a kind that has
// none in attention.
const std::vector<CatalogueEntry>& stage_entries(Kind kind);
// The rows among which a name is looked up. For a kind of attention these are its rows. A kind of a folder above
// attention passes its own list to the same functions: poolings() (nn/pooling/pooler.h).
struct Stages {
  Stages(Kind k) : kind(k), rows(&stage_entries(k)) {}
  Stages(Kind k, const std::vector<CatalogueEntry>& of) : kind(k), rows(&of) {}
  Kind kind;
  const std::vector<CatalogueEntry>* rows;
};
// The lists, in scores/all.cpp, normalisers/all.cpp, ..
std::vector<CatalogueEntry> score_entries();
std::vector<CatalogueEntry> normaliser_entries();
std::vector<CatalogueEntry> scope_entries();
std::vector<CatalogueEntry> position_entries();
std::vector<CatalogueEntry> evaluator_entries();
std::vector<CatalogueEntry> mixer_entries();
std::vector<CatalogueEntry> reader_entries();
std::vector<CatalogueEntry> structure_entries();

// The row of a stage by its name, or one of its variants'. ValueError, with all names and the nearest, for others.
const CatalogueEntry& stage_entry(const Stages& stages, const std::string& name);
std::vector<std::string> stage_names(const Stages& stages);  // those that can be built
// Positions that are added to the embedding, outside of attention.
std::vector<std::string> embedding_positions();
bool added_to_embedding(const std::string& position);
// The name of the row that is marked as the default of its kind. Evaluators have a rule in place of a row.
std::string default_stage(const Stages& stages, Role role = Role::stage);
// True if an evaluator is chosen for each call: the cheapest exact one that accepts it.
bool chosen_by_call(const StageOptions& evaluator);
// The options with the defaults of the row; an empty name becomes the kind's default, or `name` where it is given.
// ValueError for a setting that the row does not have, or a value outside its range.
StageOptions completed_stage(const Stages& stages, StageOptions options, const std::string& name = "");

// True if the name joins several scopes, as causal&window:64 does (scopes/joined.h).
bool joins(const std::string& scope);
// Reads window:64 and dilated:4,gap=3: the name, the value of the first setting, then the others by name. text_of
// writes its settings by name (window:window=64), which stage_from reads too.
StageOptions stage_from(const Stages& stages, const std::string& text);
// Splits "window:4,dilated:4,gap=3" (without spaces) at the commas between stages, not at those between the settings
// of one.
std::vector<std::string> stage_texts(const std::string& list);
std::string text_of(const Stages& stages, const StageOptions& options);  // without settings that have their default
// A stage as a field of a model's options (nn/options.h): `stage` keeps its widths when it is set.
TextPlace stage_place(const Stages& stages, StageOptions* stage);
// The same where the options keep the text. "" is allowed where `may_be_empty`.
TextPlace stage_place(const Stages& stages, std::string* text, bool may_be_empty = false);
// Several stages side by side, separated by commas, or "".
TextPlace stage_list_place(const Stages& stages, std::string* list);

}  // namespace heed::nn
