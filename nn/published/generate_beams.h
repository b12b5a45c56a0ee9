// Beam search as the library of the published models does it (transformers 5), which is not heed's own (nn/decode):
//
//   score of a finished text = log p / tokens^a, the token that ends it among the tokens
//
// Each step ranks all continuations of the unfinished texts, and looks at the best (1 + end tokens) b of them, at least
// 2 b, for b beams. If one of the best b ends its text, that text is finished; the best b that do not end go on. At the
// largest length every text is finished. The best b finished texts are kept, and early_stopping of GenerationOptions
// decides when a search ends.
#pragma once

#include <vector>

#include "nn/published/generate.h"
#include "nn/published/running_texts.h"

namespace heed::nn::published {

std::vector<std::vector<Written>> beams(RunningTexts& running, const GenerationOptions& options, int64_t wanted);

}  // namespace heed::nn::published
