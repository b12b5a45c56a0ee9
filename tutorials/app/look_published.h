// heed look opens a published model: nn/published/model.h with the tokenizer of its folder.
//
// Its answer is the first of these that model and text have: the next word (a decoder), the word in place of a mask,
// the classes of a text, or the sentence vector. Without a second text an encoder-decoder writes the target itself, the
// most probable word each time; the last one is left out, so that it is the answer.
#pragma once

#include "tutorials/app/look_model.h"

namespace heed::app {

std::unique_ptr<LookModel> published_look(const LookOptions& options);

}  // namespace heed::app
