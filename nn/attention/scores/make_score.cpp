#include "nn/attention/registry.h"
#include "nn/attention/scores/score.h"

namespace heed::nn {

std::unique_ptr<Score> make_score(const ScoreOptions& given, Generator& rng) {
  ScoreOptions o = completed_stage(Kind::score, given);
  return stage_entry(Kind::score, o.name).score(o, rng);
}

int64_t width_or(int64_t setting, const ScoreOptions& o) { return setting == 0 ? o.query : setting; }

Variable Score::operator()(const Variable& query, const Variable& prepared, StageContext& context) const {
  Call call(*this);
  return call.result("scores", scores(query, prepared, context));
}

Variable Score::operator()(const Variable& query, const Variable& prepared) const {
  StageContext none;
  return (*this)(query, prepared, none);
}

}  // namespace heed::nn
