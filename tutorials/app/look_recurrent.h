// heed look opens a recurrent translator of heed: Bahdanau's, Luong's, and deep fusion. It has one attention, from the
// target to the source, with one head: a page of one layer. No layers are read as words, and there is no cache.
//
//   the head off      its context is 0: c_t <- xi c_t with xi = 0
//   a word hidden     attention may not read it. The encoder has read it, so its neighbours know of it.
//
// A decoder reads its own words one after another, so none of them is hidden.
#pragma once

#include "nn/models/translator.h"
#include "tutorials/app/look_model.h"

namespace heed::app {

std::unique_ptr<LookModel> recurrent_look(nn::Translator translator, const LookOptions& options);

}  // namespace heed::app
