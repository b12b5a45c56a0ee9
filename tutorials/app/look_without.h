// What heed look leaves out, as it is written on the command line.
//
//   --without 3.2,1.0       head 2 of layer 3 and head 0 of layer 1; cross:3.2 where there are several attentions
//   --hide 0,3              words; target:3 is one of the decoder
//
// Layers, heads and words are counted from 0.
#pragma once

#include <string>
#include <vector>

#include "tutorials/app/look_subject.h"

namespace heed::app {

std::vector<LookHead> heads_in(const std::string& text, const LookSubject& subject);  // InputError if there is no such
void hide_words(const std::string& text, const LookSubject& subject, LookWithout& without);  // not the word that asks

}  // namespace heed::app
