#include "nn/cases/small_stages.h"

#include <algorithm>

#include "nn/attention/pipeline.h"
#include "tensor/error.h"

namespace heed::nn {
namespace {

int64_t key_width(const ScoreOptions& score) {
  ScoreOptions wider = score;
  wider.key = score.query + 1;
  try {
    Generator rng(1);
    make_score(wider, rng);
    return wider.key;
  } catch (const ShapeError&) { return score.query; }
}

}  // namespace

StageOptions small_stage(Kind kind, StageOptions stage, const SmallSizes& sizes) {
  if (stage.name.empty() || stage.name == "auto") return stage;
  for (const OptionField& s : stage_entry(kind, stage.name).settings) {
    if (!is_whole(s) || stage.settings.contains(s.name)) continue;
    double value = std::min(number_of(s), std::max(s.range.least, static_cast<double>(sizes.most)));
    if (s.name == "width") value = static_cast<double>(sizes.hidden);
    if (s.name == "max_source") value = static_cast<double>(sizes.longest);
    if (value != number_of(s)) stage.settings[s.name] = value;
  }
  return stage;
}

AttentionOptions small_stages(const CatalogueEntry& entry, const SmallSizes& sizes) {
  AttentionOptions o = entry.options;
  o.score = small_stage(Kind::score, o.score, sizes);
  o.scope = small_stage(Kind::scope, o.scope, sizes);
  o.normaliser = small_stage(Kind::normaliser, o.normaliser, sizes);
  o.position = small_stage(Kind::position, o.position, sizes);
  o.score.query = o.scope.query = sizes.query;
  o.score.key = sizes.one_width ? sizes.query : key_width(o.score);
  return o;
}

std::vector<CatalogueEntry> entries_with_cases(Kind kind) {
  std::vector<CatalogueEntry> own;
  for (const CatalogueEntry& entry : stage_entries(kind))
    if (can_be_built(entry) && case_row(entry) == own_case_row(entry)) own.push_back(entry);
  return own;
}

}  // namespace heed::nn
