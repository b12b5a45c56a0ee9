// The hierarchical attention network (Yang et al., NAACL 2016): words make sentences, sentences make the document, by
// the same means at both levels.
//
//   h_l = [forward GRU; backward GRU](words of a sentence)           annotations                     [2N]
//   u_l = tanh(W h_l + b),   w_l = softmax_l(u_l . u_w)              which words count               u_w [A], learned
//   s_m = sum_l w_l h_l                                              the sentence                    [2N]
//   then again: GRU over s_1 .. s_M, weights of the sentences, and   document = sum_m w'_m h'_m
//
// Each level is an encoder and a pooling by attention with a learned question u_w. Padding stands at both: words behind
// the end of a sentence, and sentences without words. These are taken out before anything is computed, wherever they
// stand, and so change no bit. What a classifier makes of the document stays outside. B batch, M sentences, L words.
#pragma once

#include "nn/layers.h"
#include "nn/pooling/attention_pooling.h"
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
  int64_t embedding = 200, hidden = 50, attention = 100;  // the paper's; the same at both levels
  double dropout = 0;                                     // of the words' embeddings and of the sentences
};

struct DocumentRead {
  Variable document;   // [B, 2N]
  Variable words;      // [B, M, L]: rows sum to 1, or are 0 where a sentence has no words
  Variable sentences;  // [B, M]: rows sum to 1, 0 for a sentence without words
};

struct HierarchicalAttention : Module {
  using Options = HierarchicalOptions;
  HierarchicalAttention(const Options& options, Generator& rng);
  // ids [B, M, L] i64; lengths [B, M] i64, words of each sentence, 0 for none. ValueError for a document without words.
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
