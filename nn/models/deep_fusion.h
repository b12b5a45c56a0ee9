// Long short-term memory-networks for machine reading, as encoder and decoder with deep fusion (Cheng, Dong and Lapata,
// EMNLP 2016, section 4). Both sides are LSTMNs, which attend to their own past (nn/attention/structures/lstmn.h). The
// decoder attends to the encoder's tape as it does to its own, and a gate adds the result to the memory cell.
//
//   g_1 .. g_S, a_1 .. a_S = LSTMN(x_1 .. x_S)                           states and memory cells        [B, S, N]
//   p_t    = softmax_j(u . tanh(W_g g_j + W_y y_{t-1} + W_q g~_{t-1}))   eq. 13; g~_0 = 0               [B, S]
//   g~_t   = sum_j p_tj g_j,    a~_t = sum_j p_tj a_j                    eq. 14                         [B, N]
//   r_t    = sigmoid(W_r [g~_t; y_{t-1}])                                eq. 15, the gate               [B, N]
//   c_t    = r_t a~_t + f_t c~_t + i_t c^_t,    s_t = o_t tanh(c_t)      eqs. 16 and 17                 [B, N]
//   p(y_t) = softmax(W_o tanh(W_m [s_t; g~_t; y_{t-1}]))                                                [B, V]
//
// g and a are the paper's gamma and alpha. i_t, f_t, o_t and the candidate c^_t are those of an LSTM that reads y_{t-1}
// and, as its old state, the summary h~_t, c~_t of the decoder's own tape. Shallow fusion is bahdanau.h with the cell
// lstmn. LSTMNDecoder (nn/attention/structures/lstmn_decoder.h) is this decoder alone. The biases of W_r, W_m
// and W_o are left out. B batch, S source words, N hidden, V vocabulary; x_s and y_{t-1} are embeddings.
#pragma once

#include "nn/models/parts.h"

namespace heed::nn {

struct DeepFusion final : Paper<DeepFusion> {
  struct Options {
    WordOptions source = {}, target = {};
    EncoderOptions encoder = {.cell = "lstmn", .bidirectional = false};
    DecoderOptions decoder = {.cell = "lstmn"};
    AttentionOptions attention = {};       // the widths of query and key are filled in
    std::string start = "", pooling = "";  // what s_0 is computed from: FirstState
    int64_t readout = 0;                   // width of tanh(W_m ..); 0: N
    double dropout = 0.1;                  // of embeddings, g and the readout, and between layers
    void fields(OptionFields& f);
    void check() const;  // ValueError for a cell without a tape, or sizes that differ
  };
  DeepFusion(const Options& options, Generator& rng);

  Encoded encode(const Tensor& source, const Tensor& lengths) const;  // values [g_j; a_j]
  Variable embed(const Tensor& words) const;
  Step step(const Variable& y, const DecoderState& before, const Source& source) const;
  Variable hidden(const Variable& o) const;  // what W_o reads
  Variable logits(const Variable& o) const;

  int64_t max_positions() const override { return most_source_words(attention, source_embedding.weight.dtype()); }
  void visit(Visitor& v) override {
    v.child("source_embedding", source_embedding), v.child("target_embedding", target_embedding);
    v.child("encoder", encoder), v.child("bridge", bridge);
    if (bridge.pooling) v.child("pooling", *bridge.pooling);
    v.child("attention", attention), v.child("gate", gate), v.child("decoder", decoder);
    if (decoder.memory) v.child("memory", *decoder.memory);
    v.child("readout", readout), v.child("output", output), v.child("dropout", dropout);
  }
  Options options;
  Embedding source_embedding, target_embedding;
  AnyRecurrent encoder;
  FirstState bridge;
  SourceAttention attention;  // u, W_g, and [W_y, W_q] for the query [y_{t-1}; g~_{t-1}]
  Linear gate;                // W_r
  RecurrentDecoder decoder;
  Readout readout;  // W_m
  Linear output;    // W_o
  Dropout dropout;
};

extern template struct Paper<DeepFusion>;  // compiled once, in deep_fusion.cpp

}  // namespace heed::nn
