// Sequence to sequence through one vector, without attention: the two models of 2014.
//
//   h_1 .. h_S = encoder(x_1 .. x_S)          [B, S, A]
//   c          = the encoder's last states    [B, C]
//   s_0        = tanh(W_s c + b_s)            [B, N]
//
//   Sutskever, Vinyals and Le, NIPS 2014      s_t = cell(y_{t-1}, s_{t-1})           o_t = s_t
//   Cho et al., EMNLP 2014, section 2.2       s_t = cell([y_{t-1}; c], s_{t-1})      o_t = [s_t; c; y_{t-1}]
//
//   p(y_t)     = softmax(W_o tanh(W_r o_t))   [B, V]
//
// Sutskever's decoder reads c in s_0 only, so every later state must keep what s_0 knows of the source. Cho's decoder
// reads c again at each step, and so does its output. What differs in the papers: Sutskever et al. reverse the source,
// copy the encoder's states to s_0 and have no readout tanh(W_r o_t) (W_o acts on s_t); Cho et al. have maxout in place
// of that tanh. With a pooling, c is the pooled encoder outputs. The biases of W_r and W_o are left out. B batch, S
// source words, E embedding, A width of h, C width of c, N hidden, R width of the readout, V vocabulary; x_s and
// y_{t-1} are embeddings.
#pragma once

#include "nn/models/parts.h"

namespace heed::nn {

struct FixedVector : EncoderDecoder {
  struct Options {
    WordOptions source = {}, target = {};
    EncoderOptions encoder = {};
    DecoderOptions decoder = {};
    std::string start = "", pooling = "";  // what s_0 is computed from: FirstState
    int64_t readout = 0;                   // R; 0: N
    double dropout = 0.1;                  // of embeddings, c and the readout, and between layers
    void fields(OptionFields& f);
  };
  Encoded encode(const Tensor& source, const Tensor& lengths) const;  // c as a memory of one position
  Variable embed(const Tensor& words) const;                          // [..] -> y [.., E]
  Variable hidden(const Variable& o) const;  // what W_o reads: o [.., N or N + C + E] -> [.., R]
  Variable logits(const Variable& o) const;  // o -> [.., V]
  bool attends() const override { return false; }
  void visit(Visitor& v) override {
    v.child("source_embedding", source_embedding), v.child("target_embedding", target_embedding);
    v.child("encoder", encoder), v.child("bridge", bridge);
    if (bridge.pooling) v.child("pooling", *bridge.pooling);
    v.child("decoder", decoder);
    if (decoder.memory) v.child("memory", *decoder.memory);
    v.child("readout", readout), v.child("output", output), v.child("dropout", dropout);
  }
  Options options;
  Embedding source_embedding, target_embedding;
  AnyRecurrent encoder;
  FirstState bridge;  // W_s
  RecurrentDecoder decoder;
  Readout readout;  // W_r
  Linear output;    // W_o
  Dropout dropout;

 protected:
  FixedVector(const Options& options, bool reads_c, Generator& rng);  // reads_c: each step and o_t read c
};

struct Sutskever final : Paper<Sutskever, FixedVector> {
  Sutskever(const Options& options, Generator& rng);
  Step step(const Variable& y, const DecoderState& before, const Source& c) const;  // y: y_{t-1} [B, E]
};

struct Cho final : Paper<Cho, FixedVector> {
  Cho(const Options& o, Generator& rng) : Paper(o, /*reads_c=*/true, rng) {}
  Step step(const Variable& y, const DecoderState& before, const Source& c) const;
};

// All words by one pass of the cell over the sequence (nn/models/fast/whole_sequence.cpp).
std::optional<Decoded> at_once(const Sutskever& m, const Variable& y, const Source& c, DecoderState& state, bool);
std::optional<Decoded> at_once(const Cho& m, const Variable& y, const Source& c, DecoderState& state, bool);
extern template struct Paper<Sutskever, FixedVector>;  // compiled once, in fixed_vector.cpp
extern template struct Paper<Cho, FixedVector>;

}  // namespace heed::nn
