// Applies the rules of a GenerationOptions to the scores of the next token, in the order of the library that defines
// them. Scores are logits or log p, [V]; what may not come becomes -inf. Beam search applies them to log p, so a rule
// that leaves only one token (forced_first, forced_last) gives it log p = 0.
#pragma once

#include <vector>

#include "nn/published/generation.h"

namespace heed::nn::published {

// A text that is being written.
struct TextSoFar {
  std::vector<int64_t> ids = {};  // of the prompt of a decoder, or the first token of a decoder with an encoder, and
                                  // then what was written
  size_t prompt = 0;              // the number of those before it
  int64_t most = 0;               // how many tokens may be written
  int64_t written() const { return static_cast<int64_t>(ids.size() - prompt); }
};

void apply_rules(const GenerationOptions& options, const TextSoFar& text, std::vector<double>& scores);

bool ends(const GenerationOptions& options, int64_t token);
void to_log_p(std::vector<double>& scores);  // log softmax

}  // namespace heed::nn::published
