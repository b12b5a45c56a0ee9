// Writing with a published model: greedily, by drawing, or by beam search.
//
//   decoder (GPT-2, Llama, ..)          continues each text
//   encoder and decoder (T5, Marian)    answers each text
//
//   GenerationOptions o = generation_options(*model);
//   generate(*model, {tokenizer.encode("Once upon a time").ids()}, o)[0][0].ids;
//
// Each step computes one token of each text; keys and values of those before, and of the source, are kept
// (TowerMemory). Texts of one call may have different lengths: a decoder reads shorter ones with padding before them,
// and their places count from their first token, so that each text is continued as if it were alone, up to rounding.
#pragma once

#include <functional>
#include <vector>

#include "nn/published/generation.h"

namespace heed::nn::published {

struct Written {
  std::vector<int64_t> ids = {};  // without the prompt, and without the token that ended it
  double log_probability = 0;     // of greedy texts and draws: by the model alone; of beams: after the rules
  double score = 0;               // of beams: log p / tokens^a, the end among the tokens
  bool ended = false;             // false: cut off at the largest length, or by the watcher
};

// Called with each token that is written and the number of its text, but not with tokens that end a text. If it returns
// false, no more of this text is written. Not for beams.
using Watcher = std::function<bool(size_t text, int64_t token)>;

// For each text: with beam search the best `wanted` results, best first; otherwise one. InputError for an empty text,
// one that leaves no place to write, or tokens that the model does not have; ValueError for a model that does not
// write, or options that do not go together.
struct GenerateCall {
  int64_t wanted = 1;
  Generator* rng = nullptr;  // of draws
  Watcher watcher = {};
};
std::vector<std::vector<Written>> generate(const Model& model, const std::vector<std::vector<int64_t>>& texts,
                                           const GenerationOptions& options, const GenerateCall& call = {});

}  // namespace heed::nn::published
