// `heed translate --model DIR` with a published model that answers a text: Marian, T5, BART.
#pragma once

#include <set>
#include <string>

#include "tutorials/app/decoding_options.h"

namespace heed::app {

// Takes what was not given from the files of the folder; InputError for options that such a model does not have.
// Translates standard input line by line, as translate_lines does.
int translate_published(DecodingOptions decoding, const std::set<std::string>& given);

}  // namespace heed::app
