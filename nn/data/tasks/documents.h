// Documents in which one sentence decides the class. They are made for attention at two levels, from words to sentences
// and from sentences to the document (Yang et al., "Hierarchical attention networks for document classification", NAACL
// 2016).
//
//   w7 c2 w31 w2 w19 | w4 w4 c0 verdict w11 | w23 w9 c3 w30 | ..        class: 0
//
// Every sentence has one class word, drawn uniformly. Only the cue sentence also contains the word "verdict", and its
// class word is the label. The order within a sentence is random. A bag of words does not show which class word is in
// the same sentence as "verdict": its best guess is the most frequent class word, which is right in 42 of 100 documents
// of ten sentences and four classes (chance: 25).
//
// Tagging, on the same documents: each word is 0 (filler or "verdict"), 1 (a class word that is the label of the
// document) or 2 (another class word). The words of one sentence cannot tell 1 from 2, but the document can.
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

struct Document {
  std::vector<std::vector<std::string>> sentences;
  std::vector<std::vector<int64_t>> tags;  // the same layout as sentences
  int64_t label = 0;                       // the class
  int64_t cue_sentence = 0;
  int64_t cue_word = 0;  // position of the deciding class word in the cue sentence
  int64_t verdict = 0;   // position of "verdict" in the cue sentence
};

struct DocumentOptions {
  int64_t classes = 4;         // class words c0, c1, ..
  int64_t fillers = 50;        // words w0, w1, ..
  Range words{4, 8};           // per sentence, drawn uniformly
  Range sentences{10, 10};     // per document, drawn uniformly
  Range held_out_sentences{};  // for validation and test; default: as in training
  TaskParts parts = {};
};

struct DocumentTask {
  std::string name;
  Symbols words;  // "verdict", class words, fillers
  int64_t classes = 0;
  std::vector<Document> train, validation, test;

  // Source: all words in one row. Target: the class word. Links: the cue word is sure, "verdict" possible.
  AlignedPair pair(const Document& document) const;
};
DocumentTask document_task(const DocumentOptions& options = {});

struct DocumentBatch {
  Tensor words;         // [B, S, W] i64, padded with 0
  Tensor word_counts;   // [B, S] i64: words in each sentence, 0 after the last sentence
  Tensor sentences;     // [B] i64: sentences in each document
  Tensor flat;          // [B, L] i64: the same words in one row, for attention without sentences
  Tensor flat_lengths;  // [B] i64
  Tensor labels;        // [B] i64 in [0, classes)
  Tensor tags;          // [B, S, W] i64; -100 (ignored by the loss) where there is no word
  Tensor cue_sentence;  // [B] i64
  Tensor cue_word;      // [B] i64, position in its sentence
  Tensor cue_flat;      // [B] i64, position in the row
};
// ValueError if there are no members; IndexError for an index outside the documents.
DocumentBatch document_batch(const DocumentTask& task, const std::vector<Document>& documents,
                             const std::vector<int64_t>& members);

}  // namespace heed::data
