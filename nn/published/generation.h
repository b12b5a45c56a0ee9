// How a model writes, as the generation_config.json of its folder says; older folders have the same keys in
// config.json. A caller may change every number before it calls generate() (generate.h).
//
//   GenerationOptions o = generation_options(*model);
//   o.beams = 4, o.length_penalty = 2;
//
// If a key of the file changes what is written and heed does not implement it, an error names the key. Defaults are
// those of the library that wrote the files (transformers), except for the length: without a limit in the file, that
// library stops after 20 tokens, and heed after `kUsualLength`.
#pragma once

#include <string>
#include <vector>

#include "nn/decode/sampling.h"
#include "nn/published/model.h"

namespace heed::nn::published {

inline constexpr int64_t kUsualLength = 200;  // tokens

struct GenerationOptions {
  std::vector<int64_t> end = {};          // the tokens that end a text                               eos_token_id
  int64_t begin = -1;                     // the first token of a text of a decoder; -1: none         bos_token_id
  int64_t start = -1;                     // the first token of a decoder with an encoder             decoder_start_..
  int64_t forced_first = -1;              // the only token that may come first                       forced_bos_..
  std::vector<int64_t> forced_last = {};  // the only ones that may come last, at the largest length  forced_eos_..
  std::vector<std::vector<int64_t>> forbidden = {};  // one token, or several in a row                bad_words_ids
  std::vector<int64_t> suppressed = {}, suppressed_first = {};  // never written; never as the first one
  std::vector<std::string> stop = {};                           // these end a text: for a TextStream       stop_strings

  // Numbers of tokens; 0: no rule. `length` and `min_length` count the prompt of a decoder (and the first token of
  // a decoder with an encoder), the others what is written. `max_new` comes before `length`.
  int64_t length = 0, max_new = 0, min_length = 0, min_new = 0;

  double repetition_penalty = 1;  // r: the score of a token of the text so far is divided by r, or multiplied if
                                  // negative (Keskar et al., 2019, section 4.1)
  int64_t no_repeat_ngram = 0;    // as in nn/decode/constraints.h
  bool renormalize = false;       // divide the probabilities that the rules left by their sum

  int64_t beams = 1;
  double length_penalty = 1;  // score = log p / tokens^a
  // When is a beam search finished that has found as many texts as it has beams? "true": at once. "false": when the
  // best unfinished text, if it ended now, would not be among them. "never": when it could not be even if it were as
  // long as texts may be (for a > 0).
  std::string early_stopping = "false";

  bool sampled = false;
  SampleOptions sampling = {};
};

// IoError that names file and key for what cannot be used.
GenerationOptions generation_options(const Model& model);

// The number of tokens that a text of the encoder or the decoder may have: the rows of its table of positions, or the
// longest text that the model was trained for; 0: any number.
int64_t places_of(const Model& model, const Tower& tower);

}  // namespace heed::nn::published
