// The hierarchical attention network reads a document at two levels, each an encoder followed by attention pooling:
//
//   h_l = [forward GRU; backward GRU](words of a sentence)           encoder outputs                 [2N]
//   u_l = tanh(W h_l + b),   w_l = softmax_l(u_l . u_w)              attention weights of the words  u_w [A], learned
//   s_m = sum_l w_l h_l                                              the sentence's vector           [2N]
//   the second level does the same with s_1 .. s_M in place of the words:   document = sum_m w'_m h'_m
//
// Padding occurs at both levels: as words after the end of a sentence, and as sentences without words. Both are removed
// before anything is computed, wherever they are, so padding does not change a bit of the result. A classifier on top
// of the document vector is not part of this module.
#pragma once

#include "nn/attention/attention_pooling.h"
#include "nn/attention/stage.h"
#include "nn/layers.h"
#include "nn/recurrent/gru.h"

namespace heed::nn {

struct HierarchyLevelOptions {
  int64_t input, hidden, attention;  // I, N, A
};

// One level: x [R, L, I], lengths [R] -> context [R, 2N], weights [R, L].
struct HierarchyLevel : Module {
  using Options = HierarchyLevelOptions;
  HierarchyLevel(const Options& options, Generator& rng);
  Attended operator()(const Variable& x, const Tensor& lengths) const;
  void visit(Visitor& v) {
    v.child("encoder", encoder);
    v.child("hidden", hidden);
    v.child("attention", attention);
  }
  Options options;
  GRU encoder;
  Linear hidden;               // W, b
  AttentionPooling attention;  // its query is u_w
};

struct HierarchicalOptions {
  int64_t vocabulary;
  int64_t embedding = 200, hidden = 50, attention = 100;  // as in the paper; the same at both levels
  double dropout = 0;                                     // of the word embeddings and of the sentence vectors
};

struct DocumentRead {
  Variable document;   // [B, 2N]
  Variable words;      // [B, M, L], weights: a row sums to 1, or is 0 if the sentence has no words
  Variable sentences;  // [B, M], weights: a row sums to 1; a sentence without words has the weight 0
};

struct HierarchicalAttention : Module {
  static constexpr About about{
      .names = {"E7", "hierarchical", "HAN"},
      .formula = "u_l = tanh(W h_l + b), w = softmax(u . u_w), s = sum w h;  for words, then again for sentences",
      .paper = {"Yang et al., NAACL 2016", 2016, 1},
      .idea =
          "A document is read at two levels: attention over the words makes a vector of each sentence, and attention "
          "over the sentences makes a vector of the document. The queries are learned and do not depend on the text. "
          "The weights of the two levels show which sentence counted, and which words in it.",
      .wrong = "It is attention with a learned query over words, not self-attention between words.",
      .shapes = "ids [B, M, L] -> document [B, 2N], words [B, M, L], sentences [B, M]",
      .cost = "two GRUs and two projections to A; 2 (2N + 2) A parameters in addition to the GRUs'",
      .own = {"a_document_is_its_two_levels", "empty_sentences_change_no_bit", "words_behind_an_end_get_no_gradient"},
      .exempt = {{"empty_row_reads_zero", "sentences without words are removed first: empty_sentences_change_no_bit"},
                 {"masked_keys_are_absent",
                  "it takes lengths and no mask; padding has its own test: words_behind_an_end_get_no_gradient"}},
      .cases = "HierarchicalAttention",
      .more = "the vector of --context every_step, and the decoder's first state",
  };

  using Options = HierarchicalOptions;
  HierarchicalAttention(const Options& options, Generator& rng);
  // ids [B, M, L] i64; lengths [B, M] i64: the number of words of each sentence, which may be 0. Throws ValueError for
  // a document without words.
  DocumentRead operator()(const Tensor& ids, const Tensor& lengths) const;
  void visit(Visitor& v) {
    v.child("embedding", embedding);
    v.child("words", words);
    v.child("sentences", sentences);
    v.child("dropout", dropout);
  }
  Options options;
  Embedding embedding;
  HierarchyLevel words, sentences;
  Dropout dropout;
};

}  // namespace heed::nn
