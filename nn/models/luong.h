// Effective approaches to attention-based neural machine translation (Luong, Pham and Manning, EMNLP 2015). The decoder
// first takes its step, then attends to the source with the new state.
//
//   h_1 .. h_S = encoder(x_1 .. x_S)                                                                   [B, S, A]
//   s_0        = tanh(W_s g + b_s)                   g: see FirstState; in the paper s_0 = h_S               [B, N]
//
//   s_t        = cell([y_{t-1}; r_{t-1}], s_{t-1})   r only with input feeding, section 3.3; r_0 = 0        [B, N]
//   w_t        = softmax_s(score(s_t, h_s))          eq. 7; dot, general or concat; global or local         [B, S]
//   c_t        = sum_s w_ts h_s                                                                             [B, A]
//   r_t        = tanh(W_r [s_t; c_t])                the attentional state, eq. 5                           [B, R]
//   p(y_t)     = softmax(W_o r_t)                    eq. 6                                                  [B, V]
//
// The paper writes h_t for s_t, h-bar_s for h_s and h-tilde_t for r_t; its cell is a stacked LSTM. Unlike in Bahdanau
// et al., the query is s_t and not s_{t-1}, the cell does not read the context, and r_t does not read y_{t-1}. Without
// input feeding (`about` describes it), all steps can be computed at once, since none depends on the attention of
// another. The biases of W_r and W_o are left out. B batch, S source words, E embedding, A width of h, N hidden, R
// width of the readout, V vocabulary; x_s and y_{t-1} are embeddings.
#pragma once

#include "nn/models/parts.h"

namespace heed::nn {

struct Luong final : Paper<Luong> {
  static constexpr About about{
      .names = {"D9", "input_feeding"},
      .family = "decoders",
      .formula = "s_t = cell([y_{t-1}; r_{t-1}], s_{t-1}),  r_t = tanh(W_r [s_t; c_t]),  r_0 = 0",
      .paper = {"Luong, Pham and Manning, EMNLP 2015", 2015, 1},
      .idea =
          "The decoder receives its previous readout, which contains the previous context, as a further input. So it "
          "can avoid attending to the same word again. Without it a step of Luong's decoder does not know where "
          "earlier steps attended.",
      .wrong =
          "Each step needs the context of the previous one, so attention cannot be computed for all steps of a "
          "sentence at once, not even in training.",
      .shapes = "y [B, E], r [B, R] -> the cell's input [B, E + R]",
      .cost = "3 N R more parameters in a GRU; the steps cannot run in parallel",
      .own = {"zero_fed_columns_are_no_feeding"},
      .cases = "Luong",
  };

  struct Options {
    WordOptions source = {}, target = {};
    EncoderOptions encoder = {};
    DecoderOptions decoder = {};
    AttentionOptions attention = {};  // the widths of query and key are filled in
    std::string reader = "";          // nn/attention/readers/
    bool input_feeding = false;
    std::string start = "", pooling = "";  // what s_0 is computed from: FirstState
    int64_t readout = 0;                   // R; 0: N
    double dropout = 0.1;                  // of embeddings, encoder outputs and the readout, and between layers
    void fields(OptionFields& f);
  };
  Luong(const Options& options, Generator& rng);

  Encoded encode(const Tensor& source, const Tensor& lengths) const;
  Variable embed(const Tensor& words) const;                                             // [..] -> y [.., E]
  Step step(const Variable& y, const DecoderState& before, const Source& source) const;  // y: y_{t-1} [B, E]
  Variable hidden(const Variable& r) const { return dropout(r); }                        // what W_o reads
  Variable logits(const Variable& r) const;                                              // r [.., R] -> [.., V]

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

// All words by one pass of the cell over the sequence; nullopt with input feeding (nn/models/fast/whole_sequence.cpp).
std::optional<Decoded> at_once(const Luong& model, const Variable& y, const Source& source, DecoderState& state,
                               bool weights);
extern template struct Paper<Luong>;  // compiled once, in luong.cpp

}  // namespace heed::nn
