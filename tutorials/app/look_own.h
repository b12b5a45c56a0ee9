// heed look opens what heed has trained: translators (transformers here, recurrent ones in look_recurrent.h; their
// words in look_translator.h) and the sentence encoder of lesson 25.
//
//   a translator         source w_1 .. w_S </s>, target <s> y_1 ..     the next word; without a second text the target
//                        is the greedy translation without its last word, which is the answer
//   a sentence encoder   [CLS] .. [SEP], a second text, [SEP]          the word in place of [MASK]; without a [MASK]
//                        the sentence vector is the answer
//
// The words are those of the tokenizer, the merges and the vocabulary in model.safetensors. A page shows rows of
// weights that sum to 1: a model with a mixer in the place of attention, or with stages that give no such rows, is
// refused.
#pragma once

#include "tutorials/app/look_model.h"

namespace heed::app {

std::unique_ptr<LookModel> own_look(const LookOptions& options);

}  // namespace heed::app
