// Documents of sentences of words where one sentence decides, for attention in two steps (Yang et al., "Hierarchical
// attention networks for document classification", NAACL 2016): words to sentences, sentences to a document.
//
//   w7 c2 w31 w2 w19 | w4 w4 c0 verdict w11 | w23 w9 c3 w30 | ..        class: 0
//
// Every sentence has one class word, drawn evenly; the cue sentence alone has the word "verdict" as well, and its class
// word is the label. Order inside a sentence is free. Which class word stands beside the verdict is lost in a bag of
// words: the best guess from it is the most frequent class word, right in 42 of 100 documents of ten sentences and four
// classes (chance 25).
//
// Tagging, on the same documents: each word is 0 (filler or "verdict"), 1 (a class word that agrees with the document)
// or 2 (one that does not). The words of a sentence alone cannot tell 1 from 2, the document can.
#pragma once

#include "nn/data/tasks/tasks.h"

namespace heed::data {

struct Document {
  std::vector<std::vector<std::string>> sentences;
  std::vector<std::vector<int64_t>> tags;  // as sentences
  int64_t label = 0;                       // the class
  int64_t cue_sentence = 0;
  int64_t cue_word = 0;  // the deciding class word, a position in the cue sentence
  int64_t verdict = 0;   // the position of "verdict" in it
};

struct DocumentOptions {
  int64_t classes = 4;         // class words c0, c1, ..
  int64_t fillers = 50;        // words w0, w1, ..
  Range words{4, 8};           // of a sentence, drawn evenly
  Range sentences{10, 10};     // of a document, drawn evenly
  Range held_out_sentences{};  // of validation and test; left alone: as in training
  TaskParts parts = {};
};

struct DocumentTask {
  std::string name;
  Symbols words;  // "verdict", class words, fillers
  int64_t classes = 0;
  std::vector<Document> train, validation, test;

  // All words in one row -> the class word. Links: the cue word sure, "verdict" possible.
  AlignedPair pair(const Document& document) const;
};
DocumentTask document_task(const DocumentOptions& options = {});

struct DocumentBatch {
  Tensor words;         // [B, S, W] i64, padded with 0
  Tensor word_counts;   // [B, S] i64: words of each sentence, 0 behind the last
  Tensor sentences;     // [B] i64: sentences of each document
  Tensor flat;          // [B, L] i64: the same words in one row, for attention without sentences
  Tensor flat_lengths;  // [B] i64
  Tensor labels;        // [B] i64 in [0, classes)
  Tensor tags;          // [B, S, W] i64; -100 (ignored by the loss) where there is no word
  Tensor cue_sentence;  // [B] i64
  Tensor cue_word;      // [B] i64, in its sentence
  Tensor cue_flat;      // [B] i64, in the row
};
// ValueError for no members; IndexError for one outside the documents.
DocumentBatch document_batch(const DocumentTask& task, const std::vector<Document>& documents,
                             const std::vector<int64_t>& members);

}  // namespace heed::data
