#include "nn/attention/describe.h"

namespace heed::nn {
namespace {

std::vector<std::string> texts(const Literals<const char*>& list) { return {list.begin(), list.end()}; }

// The heading under which the entries of a kind are listed.
std::string family_of(Kind kind) {
  if (kind == Kind::evaluator) return "efficient attention";
  if (kind == Kind::block_option) return "around attention";
  if (kind == Kind::output || kind == Kind::regulariser || kind == Kind::training_rule) return "decoders";
  return name_of(kind) + "s";
}

// The path of a source from nn/ on: compilers are given other paths to it.
std::string from_top(const std::string& path) {
  const size_t at = path.rfind("/nn/");
  return at == std::string::npos ? path : path.substr(at + 1);
}

// Parses "entmax:learned=1" without the registry, which is still being made.
StageOptions stage_of(const std::string& text) {
  StageOptions o{.name = text.substr(0, text.find(':'))};
  for (size_t at = text.find(':'); at != std::string::npos;) {
    size_t begin = at + 1, equals = text.find('=', begin);
    at = text.find(',', begin);
    o.settings[text.substr(begin, equals - begin)] = std::stod(text.substr(equals + 1));
  }
  return o;
}

// What the tests try: the stage by itself, with the score dot.
AttentionOptions alone(const About& about, Kind kind) {
  const StageOptions stage = stage_of(*about.tried ? about.tried : about.name());
  switch (kind) {
    case Kind::score:
      return {.score = stage};
    case Kind::scope:
      return {.score = {.name = "dot"}, .scope = stage};
    case Kind::normaliser:
      return {.score = {.name = "dot"}, .normaliser = stage};
    case Kind::reader:  // after the normaliser that it tries
      return {.score = {.name = "dot"}, .normaliser = *about.tried ? stage : StageOptions{}};
    default:
      return {};
  }
}

}  // namespace

CatalogueEntry described(const About& a, Kind kind, Tensor (*picture)(const Places&)) {
  CatalogueEntry row{.id = a.id(),
                     .name = a.name(),
                     .kind = kind,
                     .also = {a.names.begin() + 2, a.names.end()},
                     .family = *a.family ? a.family : family_of(kind),
                     .formula = a.formula,
                     .paper = a.paper.text,
                     .year = a.paper.year,
                     .tier = a.paper.tier,
                     .idea = a.idea,
                     .wrong = a.wrong,
                     .shapes = kind == Kind::mixer && !*a.shapes ? "x [B, T, D] -> [B, T, D]" : a.shapes,
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
                     .file = from_top(a.file),
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
    row.option = row.exempt.contains(kLaterWordsAreNotRead) ? "encoder_mixers" : "mixers";
  else
    row.option = row.kind == Kind::position ? "positions" : name_of(row.kind);
  return row;
}

}  // namespace heed::nn
