// Recurrent sequence-to-sequence models: the encoder-decoders of 2014 and 2015, with and without attention.
//
//   h_1 .. h_S = encoder(source)                    encoder outputs, one per source word          [B, S, A]
//   s_0        = tanh(W h)                          the decoder's first state (Seq2SeqOptions::start)
//
//   Bahdanau    c_t = attention(s_{t-1}, h)         s_t = cell([y_t; c_t], s_{t-1})        o_t = [s_t; c_t; y_t]
//   Luong       s_t = cell([y_t; r_{t-1}], s_{t-1}) c_t = attention(s_t, h)                o_t = [s_t; c_t]
//   deep        c_t = attention([y_t; c_{t-1}], h)  s_t = cell(y_t, s_{t-1}, r_t a_t)       o_t = [s_t; c_t; y_t]
//   every step  c = the encoder's last states       s_t = cell([y_t; c], s_{t-1})          o_t = [s_t; c; y_t]
//   initial     only s_0 depends on the source      s_t = cell(y_t, s_{t-1})               o_t = s_t
//
//   r_t = tanh(W_r o_t)                             the readout, of width R; fed back only with input feeding, r_0 = 0
//   p(next word) = softmax(W_o dropout(r_t))                     or another output (nn/output_heads/)
//
// Deep fusion: a_t are the encoder's memory cells, read with the weights of c_t, and r_t = sigmoid(W_g [c_t; y_t]) is
// how much of them is added to the decoder's. With the option `pooling`, pooled encoder outputs take the place of the
// last states; with `reader`, c_t is read by a choice instead of a mean; with `memory`, s_t in o_t has also read s_1 ..
// s_{t-1}.
//
// y_t is the embedding of the previous target word. Bahdanau, Cho and Bengio, ICLR 2015; Luong, Pham and Manning, EMNLP
// 2015; Cho et al., EMNLP 2014; Sutskever, Vinyals and Le, NIPS 2014. B batch, S source length, T target length, N
// hidden width, A = N or, with a bidirectional encoder, 2 N, E embedding width, V vocabulary.
#pragma once

#include <memory>
#include <optional>

#include "nn/attention/structures/output_memory.h"
#include "nn/models/parts.h"
#include "nn/models/seq2seq_options.h"
#include "nn/output_heads/output_head.h"
#include "nn/pooling/pooling.h"

namespace heed::nn {

// What a search needs of it is virtual: a model that computes the same in another way, or something else, derives from
// it and is decoded like it (tutorials/app/mine/model.h).
struct Seq2Seq : EncoderDecoder {
  using Options = Seq2SeqOptions;
  Seq2Seq(const Options& options, Generator& rng);

  struct Encoded {
    // values: the encoder outputs [B, S, A]; keys: the same, prepared for the score. With deep fusion the values [B, S,
    // 2N] have the memory cells beside them. Without attention the values [B, 1, C] have a single position, the fixed
    // vector.
    Memory memory;
    DecoderState state;
  };
  virtual Encoded encode(const Tensor& source, const Tensor& lengths) const;  // [B, S] i64, [B] i64

  struct Step {
    DecoderState state;  // its alignment has the attention weights [B, S]
    Variable context;    // c_t [B, A]; undefined if only s_0 depends on the source
    Variable features;   // the input of logits: o_t, or r_t with input feeding
    HardRead read = {};  // what a reader has read, T = 1; empty without one
  };
  virtual Step step(const Variable& embedded, const DecoderState& state, const Memory& memory) const;  // a word, [B, E]
  // features [.., width] -> unnormalised log p [.., V]. An output that copies also needs the alignment of the steps
  // [.., S] and the source, and returns V' columns (nn/output_heads/output_head.h).
  virtual Variable logits(const Variable& features, const Variable& alignment = {},
                          const OutputSource& source = {}) const;
  Variable embed_target(const Tensor& ids, const OutputSource& source = {}) const;  // [..] -> [.., E]
  // The source as the output sees it, of a sentence that was encoded.
  OutputSource seen_by_output(const Tensor& source, const Tensor& lengths, const Memory& memory) const;
  // OutputHead::writable: the outputs that each sentence can write, bool [B, V']; undefined: all of them.
  Tensor writable(const Tensor& source, const Tensor& lengths) const override {
    return output->writable(output_source(source, lengths));
  }

  // Teacher forcing: the decoder's inputs are the true words `target_in` [B, T] (<s> first). Returns logits [B, T, V];
  // `weights`, if given, receives the alignment [B, T, S] (undefined without attention, and with an evaluator that
  // never stores weights, such as tiled).
  //
  // If the options set coverage_loss or another penalty of attention, the active Penalties object (nn/penalties.h), if
  // any, receives it.
  //
  // There are three ways to compute this, with the same bits. If no step's input depends on the previous step, all
  // steps go through the cell at once. Bahdanau's order with a GRU and additive attention is one node of the graph
  // (nn/models/attention_decoder.h), unless a hook or an Observe needs the single steps or the alignment needs a
  // gradient. Otherwise the steps are computed one after the other.
  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in, Tensor* weights) const {
    Variable alignment, out = forced(source, lengths, target_in, weights ? &alignment : nullptr, false);
    if (weights && alignment.defined()) *weights = alignment.value();
    return out;
  }
  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                      Variable* alignment = nullptr) const override {
    return forced(source, lengths, target_in, alignment, alignment && grad_enabled());
  }
  std::unique_ptr<SearchModel> search(const Tensor& source, const Tensor& lengths) const override;
  Variable encoder_outputs(const Tensor& source, const Tensor& lengths) const override {
    return encode(source, lengths).memory.values;
  }
  int64_t max_positions() const override {
    return attends() ? most_source_words(*attention, source_embedding.weight.dtype()) : 0;
  }

  bool attends() const override { return options.context == "attention"; }
  void visit(Visitor& v) override {
    v.child("source_embedding", source_embedding);
    v.child("target_embedding", target_embedding);
    v.child("encoder", encoder);
    if (bridge) v.child("bridge", *bridge);
    if (pooling) v.child("pooling", *pooling);
    if (attention) v.child("attention", *attention);
    if (reader) v.child("reader", *reader);
    if (gate) v.child("gate", *gate);
    v.child("decoder", decoder);
    if (output_memory) v.child("memory", *output_memory);
    if (readout) v.child("readout", *readout);
    v.child("output", *output);
    v.child("dropout", dropout);
  }
  Options options;
  Embedding source_embedding, target_embedding;
  AnyRecurrent encoder;
  std::optional<Linear> bridge;  // to the first states of all decoder layers; none if they are 0
  std::optional<Pooling> pooling;
  std::optional<Attention> attention;
  std::unique_ptr<Reader> reader;
  std::optional<Linear> gate;  // deep fusion: W_g
  AnyRecurrent decoder;
  std::unique_ptr<OutputMemory> output_memory;
  std::optional<Linear> readout;
  std::unique_ptr<OutputHead> output;
  Dropout dropout;

 private:
  struct Widths {
    int64_t annotation, pooled, start, input, joined;  // A, C, what s_0 is made of, the cell's input, o_t
  };
  static Widths widths(const Options& options);
  Seq2Seq(const Options& options, const Widths& widths, Generator& rng);
  bool fuses() const { return attends() && options.order == "deep"; }
  Attended look(const Variable& query, const Memory& memory, AlignmentState& state, HardRead& read) const;
  States first_states(const Variable& annotations, const Tensor& lengths, const States& last,
                      const Variable& pooled) const;
  Variable joined(const Variable& state, const Variable& context, const Variable& embedded) const;  // o_t
  Variable forced(const Tensor& source, const Tensor& lengths, const Tensor& target_in, Variable* alignment,
                  bool with_gradient) const;
  bool one_node() const;         // whether attention_decoder can compute all steps
  bool wants_penalties() const;  // whether somebody collects a penalty of attention
  void add_attention_penalties(const Variable& alignment, const Tensor& target_in, const Tensor& lengths) const;
};

}  // namespace heed::nn
