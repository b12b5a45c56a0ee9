// Neural machine translation by jointly learning to align and translate (Bahdanau, Cho and Bengio, ICLR 2015). The
// decoder attends to the source before each word.
//
//   h_1 .. h_S  = [forward GRU; backward GRU](x_1 .. x_S)      the annotations, section 3.2                 [B, S, 2N]
//   s_0         = tanh(W_s h'_1 + b_s)                         h'_1: the backward half of h_1, A.2.2           [B, N]
//
//   e_ts        = v . tanh(W_q s_{t-1} + W_k h_s + b)          how well position s fits word t, A.1.2          [B, S]
//   w_t         = softmax(e_t)                                 the attention weights, eq. 6                    [B, S]
//   c_t         = sum_s w_ts h_s                               the context, eq. 5                             [B, 2N]
//   s_t         = GRU([y_{t-1}; c_t], s_{t-1})                 section 3.1                                     [B, N]
//   p(y_t)      = softmax(W_o tanh(W_r [s_t; c_t; y_{t-1}]))   eq. 4; the paper has maxout in place of tanh    [B, V]
//
// h'_1 has read the whole source, from its last word to its first. The query is s_{t-1}, because s_t needs the context.
// W_k h_s + b is computed once per sentence. Any score, scope and normaliser can take the place of the lines e_ts and
// w_t (`attention`). With the cell lstmn it is shallow fusion (Cheng, Dong and Lapata, EMNLP 2016). The biases of W_r
// and W_o are left out. B batch, S source words, E embedding, N hidden, R width of the readout, V vocabulary; x_s and
// y_{t-1} are embeddings.
#pragma once

#include "nn/models/parts.h"

namespace heed::nn {

struct Bahdanau final : Paper<Bahdanau> {
  struct Options {
    WordOptions source = {}, target = {};
    EncoderOptions encoder = {};
    DecoderOptions decoder = {};
    AttentionOptions attention = {};       // the widths of query and key are filled in
    std::string reader = "";               // nn/attention/readers/
    std::string start = "", pooling = "";  // what s_0 is computed from: FirstState
    int64_t readout = 0;                   // R; 0: N
    double dropout = 0.1;                  // of embeddings, annotations and the readout, and between layers
    void fields(OptionFields& f);
  };
  Bahdanau(const Options& options, Generator& rng);

  Encoded encode(const Tensor& source, const Tensor& lengths) const;
  Variable embed(const Tensor& words) const;                                             // [..] -> y [.., E]
  Step step(const Variable& y, const DecoderState& before, const Source& source) const;  // y: y_{t-1} [B, E]
  Variable hidden(const Variable& o) const;  // what W_o reads: o [.., N + 2N + E] -> [.., R]
  Variable logits(const Variable& o) const;  // o [.., N + 2N + E] -> [.., V]

  const Reader* reader() const { return attention.reader.get(); }
  int64_t max_positions() const override { return most_source_words(attention, source_embedding.weight.dtype()); }
  void visit(Visitor& v) override {
    v.child("source_embedding", source_embedding), v.child("target_embedding", target_embedding);
    v.child("encoder", encoder), v.child("bridge", bridge);
    if (bridge.pooling) v.child("pooling", *bridge.pooling);
    v.child("attention", attention);
    if (attention.reader) v.child("reader", *attention.reader);
    v.child("decoder", decoder);
    if (decoder.memory) v.child("memory", *decoder.memory);
    v.child("readout", readout), v.child("output", output), v.child("dropout", dropout);
  }
  Options options;
  Embedding source_embedding, target_embedding;
  AnyRecurrent encoder;
  FirstState bridge;  // W_s
  SourceAttention attention;
  RecurrentDecoder decoder;
  Readout readout;  // W_r
  Linear output;    // W_o
  Dropout dropout;
};

// All words by one operation, where the options are the paper's (nn/models/fast/bahdanau_at_once.cpp).
std::optional<Decoded> at_once(const Bahdanau& model, const Variable& y, const Source& source, DecoderState& state,
                               bool weights);
extern template struct Paper<Bahdanau>;  // compiled once, in bahdanau.cpp

}  // namespace heed::nn
