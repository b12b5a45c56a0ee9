// Neural machine translation by jointly learning to align and translate (Bahdanau, Cho and Bengio, ICLR 2015). The
// decoder attends to the source before each word.
//
//   h_1 .. h_S  = [forward GRU; backward GRU](x_1 .. x_S)      the annotations, section 3.2                 [B, S, 2N]
//   s_0         = tanh(W_s h_1 + b_s), of the backward GRU     it has read the whole source, appendix A.2.2    [B, N]
//
//   e_ts        = v . tanh(W_q s_{t-1} + W_k h_s + b)          how well position s fits the next word          [B, S]
//   w_t         = softmax(e_t)                                 the alignment, eq. 6                            [B, S]
//   c_t         = sum_s w_ts h_s                               the context, eq. 5                             [B, 2N]
//   s_t         = GRU([y_{t-1}; c_t], s_{t-1})                 section 3.1                                     [B, N]
//   p(y_t)      = softmax(W_o tanh(W_r [s_t; c_t; y_{t-1}]))   a maxout layer in the paper, a tanh here        [B, V]
//
// The query is s_{t-1}, the state before the word: the new one does not exist yet. W_k h_s + b is computed once per
// sentence. Any score, scope and normaliser can take the place of the third and fourth line (`attention`), and with the
// cell lstmn it is shallow fusion (Cheng, Dong and Lapata, EMNLP 2016). B batch, S source words, E embedding, N hidden,
// V vocabulary.
#pragma once

#include "nn/models/parts.h"

namespace heed::nn {

struct Bahdanau final : Paper<Bahdanau> {
  struct Options {
    WordOptions source = {}, target = {};
    EncoderOptions encoder = {};
    DecoderOptions decoder = {};
    AttentionOptions attention = {};  // the widths of query and key are filled in
    std::string reader = "";          // nn/attention/readers/
    std::string start = "", pooling = "";
    int64_t readout = 0;   // width of tanh(W_r ..); 0: N
    double dropout = 0.1;  // of embeddings, annotations and the readout, and between layers
    void fields(OptionFields& f);
  };
  Bahdanau(const Options& options, Generator& rng);

  Encoded encode(const Tensor& source, const Tensor& lengths) const;
  Variable embed(const Tensor& words) const;                                             // [..] -> y [.., E]
  Step step(const Variable& y, const DecoderState& before, const Source& source) const;  // y [B, E]
  Variable hidden(const Variable& o) const;  // what W_o reads, [.., 3N + E] -> [.., R]
  Variable logits(const Variable& o) const;  // [.., 3N + E] -> [.., V]

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
