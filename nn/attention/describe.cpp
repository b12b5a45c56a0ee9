#include "nn/attention/describe.h"

namespace heed::nn {
namespace {

std::vector<std::string> texts(const Literals<const char*>& list) { return {list.begin(), list.end()}; }

// The folder of a kind, the heading of its entries.
struct Shelf {
  const char *folder, *family;
};
Shelf shelf_of(Kind kind) {
  switch (kind) {
    case Kind::score:
      return {"nn/attention/scores", "scores"};
    case Kind::normaliser:
      return {"nn/attention/normalisers", "normalisers"};
    case Kind::scope:
      return {"nn/attention/scopes", "scopes"};
    case Kind::position:
      return {"nn/attention/positions", "positions"};
    case Kind::evaluator:
      return {"nn/attention/evaluators", "efficient attention"};
    case Kind::mixer:
      return {"nn/attention/mixers", "mixers"};
    case Kind::reader:
      return {"nn/attention/readers", "readers"};
    case Kind::structure:
    case Kind::memory:
      return {"nn/attention/structures", "structures"};
    case Kind::pooling:
      return {"nn/pooling", "poolings"};
    case Kind::block_option:
    case Kind::control:
      return {"nn/attention/around", "around attention"};
    case Kind::output:
      return {"nn/output_heads", "decoders"};
    case Kind::regulariser:
    case Kind::training_rule:
      return {"nn/train", "decoders"};
  }
  return {};
}

// "entmax:learned=1" without the registry, which is being made.
StageOptions stage_of(const std::string& text) {
  StageOptions o{.name = text.substr(0, text.find(':'))};
  for (size_t at = text.find(':'); at != std::string::npos;) {
    size_t begin = at + 1, equals = text.find('=', begin);
    at = text.find(',', begin);
    o.settings[text.substr(begin, equals - begin)] = std::stod(text.substr(equals + 1));
  }
  return o;
}

// What the tests try: the stage by itself, on products.
AttentionOptions alone(const About& about, Kind kind) {
  const StageOptions stage = stage_of(*about.tried ? about.tried : about.name());
  switch (kind) {
    case Kind::score:
      return {.score = stage};
    case Kind::scope:
      return {.score = {.name = "dot"}, .scope = stage};
    case Kind::normaliser:
      return {.score = {.name = "dot"}, .normaliser = stage};
    case Kind::reader:  // behind the normaliser that it tries
      return {.score = {.name = "dot"}, .normaliser = *about.tried ? stage : StageOptions{}};
    default:
      return {};
  }
}

}  // namespace

CatalogueEntry described(const About& a, Kind kind, Tensor (*picture)(const Places&)) {
  const Shelf shelf = shelf_of(kind);
  CatalogueEntry row{.id = a.id(),
                     .name = a.name(),
                     .kind = kind,
                     .also = {a.names.begin() + 2, a.names.end()},
                     .family = *a.family ? a.family : shelf.family,
                     .formula = a.formula,
                     .paper = a.paper.text,
                     .year = a.paper.year,
                     .tier = a.paper.tier,
                     .idea = a.idea,
                     .wrong = a.wrong,
                     .shapes = a.shapes,
                     .cost = a.cost,
                     .own = texts(a.own),
                     .exempt = {},
                     .options = alone(a, kind),
                     .cases = a.cases,
                     .default_for = {a.default_for.begin(), a.default_for.end()},
                     .variants = texts(a.variants),
                     .architecture = a.architecture,
                     .option = a.option,
                     .text = a.text,
                     .more = a.more,
                     .file = *a.file ? a.file : std::string(shelf.folder) + "/" + a.name() + ".h",
                     .picture = picture};
  for (const Exempt& one : a.exempt) row.exempt[one.property] = one.reason;
  return row;
}

CatalogueEntry with_option(CatalogueEntry row) {
  if (!row.option.empty()) return row;
  row.text = row.name;
  if (row.pooling || row.reader || row.memory)
    row.option = row.pooling ? "pooling" : row.reader ? "reader" : "memory";
  else if (row.mixer)
    row.option = row.exempt.contains(kNeverCausal) ? "encoder_mixers" : "mixers";
  else
    row.option = row.kind == Kind::position ? "positions" : name_of(row.kind);
  return row;
}

}  // namespace heed::nn
