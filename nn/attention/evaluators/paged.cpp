#include "nn/attention/evaluators/paged.h"

#include "nn/attention/memories/paged.h"
#include "nn/attention/positions/reads_keys.h"
#include "nn/attention/positions/reads_words.h"

namespace heed::nn {

std::string PagedEvaluator::refuses(const StageSet& stages) const {
  if (dynamic_cast<const ReadsKeys*>(&stages.position)) return "the position reads all keys side by side";
  if (dynamic_cast<const ReadsWords*>(&stages.position)) return "the position reads marks of all words side by side";
  return why_not_in_parts(stages);
}

std::unique_ptr<AttentionMemory> PagedEvaluator::memory(const StageSet&) const {
  return std::make_unique<PagedMemory>(block);
}

bool PagedEvaluator::reads_in_place(const AttentionMemory& memory) const {
  return dynamic_cast<const PagedMemory*>(&memory) != nullptr;
}

Attended PagedEvaluator::step(const StageSet& stages, const AttentionCall& call, AttentionMemory& memory,
                              StageContext& context) const {
  const auto* pages = dynamic_cast<const PagedMemory*>(&memory);
  if (!pages || pages->words() == 0) return Evaluator::step(stages, call, memory, context);
  Columns columns = columns_of(stages, call, context.places);
  Partial all;
  for (int64_t j = 0; j < pages->blocks(); ++j) {
    HeadMemory words = pages->block(j);
    Partial part = part_of(stages, call.queries, words.keys, words.values, columns, j * block, context);
    all = j == 0 ? part : merged(all, part);
  }
  return {all.context};
}

}  // namespace heed::nn
