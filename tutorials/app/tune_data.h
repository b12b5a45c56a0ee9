// What `heed train --from` and `--new` read (tune.h): a file of labels, or a text.
//
//   labels     label TAB text, one per line     positive<TAB>a film to remember
//   text       one text per line (an encoder), or one long text (a decoder)
#pragma once

#include <string>
#include <vector>

#include "nn/data/batches.h"
#include "nn/published/model.h"
#include "nn/tokenizers/published_tokenizer.h"

namespace heed::app {

struct LabelledText {
  std::string label, text;
};
// InputError, in a sentence with the line: a line without a tab, label or text; no line at all; one label only; and a
// file whose columns seem to be the other way round, because the second column has fewer different texts.
std::vector<LabelledText> read_labelled(const std::string& path);
std::vector<std::string> labels_in(const std::vector<LabelledText>& texts);  // in the order of their bytes

// A tenth of what is there, at least one, drawn by the seed: which lines are held out for validation.
std::vector<bool> held_out_tenth(size_t lines, uint64_t seed);

// The lines that are not blank. InputError without any.
std::vector<std::string> text_lines(const std::string& path);

// A long text as tokens, without those of the template; in pieces, so that memory stays small.
std::vector<int64_t> tokens_of(const tokenizers::PublishedTokenizer& tokenizer, const std::vector<std::string>& lines);

std::string fingerprint_of(const std::vector<data::EncodedPair>& pairs);
std::string fingerprint_of(const std::vector<std::string>& lines);
std::string fingerprint_of(nn::published::Model& model);  // of its parameters

}  // namespace heed::app
