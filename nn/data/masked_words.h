// Masked words (Devlin et al., "BERT", NAACL 2019, section 3.1): hide words of a text and let a model predict them.
//
//   [CLS] the cat sleeps [SEP] le chat dort [SEP]   a text of two segments, each closed by [SEP]
//   kinds 0  0   0   0     0    1   1    1    1
//
// From the n words of a text, k = max(1, round(0.15 n)) are drawn; each set of k is equally likely. Each drawn word is
// replaced at random:
//
// clang-format off
//   80 %  [MASK]            the model cannot read the word from the input
//   10 %  any other word    a word in the input may be wrong, so the model cannot simply copy it
//   10 %  the word itself   so the state of a word that is not hidden must represent it too
// clang-format on
//
// Special tokens (ids below first_word: [CLS], [SEP] and <unk>) are never drawn and never inserted. The hidden words
// change from epoch to epoch (dynamic masking; Liu et al., "RoBERTa", 2019) and depend only on (seed, epoch, index of
// the text), so they are the same for any batch size and any number of threads. Legend: B texts, S length of the
// longest, N words to predict.
#pragma once

#include "nn/data/batches.h"
#include "tensor/random.h"

namespace heed::data {

struct MaskingOptions {
  int64_t vocabulary;  // V, special tokens included
  int64_t first_word;  // the ids of words are first_word .. V - 1
  int64_t mask;        // the id of [MASK]
  double share = 0.15;
  double hidden = 0.8, exchanged = 0.1;  // fractions of the words to predict; the rest stay as they are
  uint64_t seed = 1;
};

struct MaskedText {
  std::vector<int64_t> ids;            // the input of the model
  std::vector<int64_t> places, words;  // what to predict: the positions in ids, rising, and the words there
};

// ValueError for a text without words, fractions outside [0, 1], or a vocabulary of fewer than two words.
MaskedText mask_words(const std::vector<int64_t>& ids, const MaskingOptions& options, Generator random);
Generator masking_generator(const MaskingOptions& options, int64_t epoch, int64_t text);

// The masked sources of `texts`, as a training loop expects them: source [B, S] and lengths [B]; target_in [N],
// positions in the flattened source (b S + s); target_out [N], the words; tokens = N. `least` is that of make_batch.
Batch masked_batch(const std::vector<EncodedPair>& texts, std::vector<int64_t> members, const MaskingOptions& options,
                   int64_t epoch, const Widths& least = {});

struct TextMarks {
  int64_t cls, sep;  // ids of [CLS] and [SEP]
};
// [CLS] first [SEP], and if there is a second text: second [SEP]
std::vector<int64_t> marked(const TextMarks& marks, const std::vector<int64_t>& first,
                            const std::vector<int64_t>& second = {});
// The number of [SEP] before each position, limited to one: [B, S] i64 -> [B, S] i64
Tensor segment_kinds(const Tensor& ids, int64_t sep);

}  // namespace heed::data
