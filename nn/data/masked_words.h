// Masked words (Devlin et al., "BERT", NAACL 2019, section 3.1): hide some words of a text, and ask for them.
//
//   [CLS] the cat sleeps [SEP] le chat dort [SEP]   a text of two segments, each closed by [SEP]
//   kinds 0  0   0   0     0    1   1    1    1
//
// Of its n words k = max(1, round(0.15 n)) are drawn, each set of k equally likely, and for each of them chance decides
// what stands in its place:
//
//   80 %  [MASK]            nobody can look it up
//   10 %  any other word    so that a word that is there need not be the right one: none can be passed on unread
//   10 %  the word itself   so that the state of a word that was not hidden must know its word too
//
// Specials (ids below first_word, so [CLS], [SEP] and <unk>) are neither drawn nor written. What is hidden changes from
// epoch to epoch (dynamic masking; Liu et al., "RoBERTa", 2019) and depends on (seed, epoch, number of the text) alone:
// it is the same for any batch size and any number of threads. B texts, S the longest, N words asked for.
#pragma once

#include "nn/data/batches.h"
#include "tensor/random.h"

namespace heed::data {

struct MaskingOptions {
  int64_t vocabulary;  // V, with the specials
  int64_t first_word;  // ids of words are first_word .. V - 1
  int64_t mask;        // the id of [MASK]
  double share = 0.15;
  double hidden = 0.8, exchanged = 0.1;  // of those that are asked for; the rest stay as they are
  uint64_t seed = 1;
};

struct MaskedText {
  std::vector<int64_t> ids;            // as the model reads them
  std::vector<int64_t> places, words;  // what is asked for: the place in ids, in rising order, and the word
};

// ValueError for a text without words, shares outside [0, 1], or a vocabulary of fewer than two words.
MaskedText mask_words(const std::vector<int64_t>& ids, const MaskingOptions& options, Generator random);
Generator masking_generator(const MaskingOptions& options, int64_t epoch, int64_t text);

// The sources of `texts`, masked, as a training loop takes them: source [B, S] and lengths [B]; target_in [N], places
// in the flattened source (b S + s); target_out [N], the words; tokens = N.
Batch masked_batch(const std::vector<EncodedPair>& texts, std::vector<int64_t> members, const MaskingOptions& options,
                   int64_t epoch);

struct TextMarks {
  int64_t cls, sep;  // ids of [CLS] and [SEP]
};
// [CLS] first [SEP], and where there is one: second [SEP]
std::vector<int64_t> marked(const TextMarks& marks, const std::vector<int64_t>& first,
                            const std::vector<int64_t>& second = {});
// How many [SEP] stand before each place, at most one: [B, S] i64 -> [B, S] i64
Tensor segment_kinds(const Tensor& ids, int64_t sep);

}  // namespace heed::data
