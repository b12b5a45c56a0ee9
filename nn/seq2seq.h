// Translation by reading, aligning and writing: the encoder-decoder with attention of Bahdanau, Cho and Bengio
// (ICLR 2015), with GRU cells as they had them.
//
//   h_s = [forward GRU; backward GRU](source)          annotations, one for each source word          [B, S, 2N]
//   s_0 = tanh(W_s [first backward state])             where the decoder begins                       [B, N]
//   c_t = attention(query s_{t-1}, keys and values h)  what it looks at before writing word t         [B, 2N]
//   s_t = GRU([embedding(y_{t-1}); c_t], s_{t-1})      its new state                                  [B, N]
//   p(y_t) = softmax(W_o dropout(W_r [s_t; c_t; embedding(y_{t-1})]))  the next word, through a readout of width R
//
// B batch, S source length, T target length, N hidden width, E embedding width, V vocabulary.
#pragma once

#include <optional>

#include "nn/attention/attention.h"
#include "nn/layers.h"
#include "nn/recurrent/gru.h"

namespace heed::nn {

struct AdditiveScore;

struct Seq2SeqOptions {
  static constexpr int64_t kDirect = -1;
  int64_t source_vocabulary, target_vocabulary;
  int64_t embedding = 64, hidden = 128;
  int64_t attention = 0;  // width of the alignment network; 0: as hidden
  int64_t readout = 0;    // width before the output layer; 0: as hidden; kDirect: none, p(y_t) = softmax(W_o [s; c; y])
  int64_t layers = 1;     // of the encoder
  double dropout = 0.1;
};

struct Seq2Seq : Module {
  using Options = Seq2SeqOptions;
  Seq2Seq(const Options& options, Generator& rng);

  struct Encoded {
    Memory memory;   // values: the annotations; keys: those projected, [B, S, A]
    Variable state;  // s_0 [B, N]
  };
  Encoded encode(const Tensor& source, const Tensor& lengths) const;  // [B, S] i64, [B] i64

  struct Step {
    Variable state;          // s_t [B, N]
    Variable context;        // c_t [B, 2N]
    Variable weights;        // [B, S]
    Variable readout_input;  // [B, N + 2N + E]
  };
  Step step(const Variable& embedded, const Variable& state, const Memory& memory) const;  // one word, [B, E]
  Variable logits(const Variable& readout_input) const;  // [.., N + 2N + E] -> [.., V]
  Variable embed_target(const Tensor& ids) const;        // [..] -> [.., E]
  const AdditiveScore& additive() const;
  bool observed() const;  // does a hook or an Observe look at single steps? If not, all steps are one node

  // Teacher forcing: the decoder is fed the true words `target_in` [B, T] (<s> first). Returns logits [B, T, V];
  // `weights`, if given, receives the alignment [B, T, S].
  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                      Tensor* weights = nullptr) const;

  void visit(Visitor& v) {
    v.child("source_embedding", source_embedding);
    v.child("target_embedding", target_embedding);
    v.child("encoder", encoder);
    v.child("bridge", bridge);
    v.child("attention", attention);
    v.child("cell", cell);
    if (readout) v.child("readout", *readout);
    v.child("output", output);
    v.child("dropout", dropout);
  }
  Options options;
  Embedding source_embedding, target_embedding;
  GRU encoder;
  Linear bridge;
  Attention attention;
  GRUCell cell;
  std::optional<Linear> readout;
  Linear output;
  Dropout dropout;
};

}  // namespace heed::nn
