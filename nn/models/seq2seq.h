// From one sequence to another: the encoder-decoders of 2014 and 2015, with and without attention.
//
//   h_1 .. h_S = encoder(source)                    annotations, one for each source word         [B, S, A]
//   s_0        = tanh(W h)                          where the decoder begins (Seq2SeqOptions::start)
//
//   Bahdanau    c_t = attention(s_{t-1}, h)         s_t = cell([y_t; c_t], s_{t-1})        o_t = [s_t; c_t; y_t]
//   Luong       s_t = cell([y_t; r_{t-1}], s_{t-1}) c_t = attention(s_t, h)                o_t = [s_t; c_t]
//   every step  c = the encoder's last states       s_t = cell([y_t; c], s_{t-1})          o_t = [s_t; c; y_t]
//   initial     nothing more                        s_t = cell(y_t, s_{t-1})               o_t = s_t
//
//   r_t = tanh(W_r o_t)                             the readout, of width R; fed back only with input feeding, r_0 = 0
//   p(next word) = softmax(W_o dropout(r_t))                     or another output (nn/models/output_heads/)
//
// y_t is the embedding of the word written last. Bahdanau, Cho and Bengio, ICLR 2015; Luong, Pham and Manning, EMNLP
// 2015; Cho et al., EMNLP 2014; Sutskever, Vinyals and Le, NIPS 2014. B batch, S source length, T target length, N
// hidden width, A = N or, in two directions, 2 N, E embedding width, V vocabulary.
#pragma once

#include <memory>
#include <optional>

#include "nn/models/output_heads/output_head.h"
#include "nn/models/seq2seq_options.h"
#include "nn/recurrent/any_recurrent.h"

namespace heed::nn {

// What one step of the decoder hands to the next. Rows are sentences, in every part.
struct DecoderState {
  States cell;        // [B, N] each
  Variable fed = {};  // r_{t-1} [B, R]; undefined without input feeding
  AlignmentState alignment = {};
};

struct Seq2Seq : Module {
  using Options = Seq2SeqOptions;
  Seq2Seq(const Options& options, Generator& rng);

  struct Encoded {
    // Values: the annotations [B, S, A], keys: those as the score wants them. Without attention there is one place
    // only, the fixed vector: values [B, 1, A].
    Memory memory;
    DecoderState state;
  };
  Encoded encode(const Tensor& source, const Tensor& lengths) const;  // [B, S] i64, [B] i64

  struct Step {
    DecoderState state;  // its alignment holds the weights [B, S]
    Variable context;    // c_t [B, A]; undefined where the source is the first state only
    Variable features;   // what logits takes: o_t, or r_t with input feeding
  };
  Step step(const Variable& embedded, const DecoderState& state, const Memory& memory) const;  // one word, [B, E]
  // features [.., width] -> unnormalised log p [.., V]. An output that copies also wants the alignment of the steps
  // [.., S] and the source, and has V' columns (nn/models/output_heads/output_head.h).
  Variable logits(const Variable& features, const Variable& alignment = {}, const OutputSource& source = {}) const;
  Variable embed_target(const Tensor& ids, const OutputSource& source = {}) const;  // [..] -> [.., E]

  // Teacher forcing: the decoder is fed the true words `target_in` [B, T] (<s> first). Returns logits [B, T, V];
  // `weights`, if given, receives the alignment [B, T, S] (undefined without attention).
  //
  // With coverage_loss in the options, an active Penalties (nn/penalties.h) receives the coverage loss.
  //
  // Three ways to the same bits: where no step's input depends on the step before, all steps go through the cell at
  // once; Bahdanau's order with a GRU and additive attention is one node (nn/models/attention_decoder.h), unless a hook
  // or an Observe looks at single steps or the alignment needs a gradient; else step by step.
  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                      Tensor* weights = nullptr) const;

  bool attends() const { return options.context == "attention"; }
  void visit(Visitor& v) {
    v.child("source_embedding", source_embedding);
    v.child("target_embedding", target_embedding);
    v.child("encoder", encoder);
    if (bridge) v.child("bridge", *bridge);
    if (attention) v.child("attention", *attention);
    v.child("decoder", decoder);
    if (readout) v.child("readout", *readout);
    v.child("output", *output);
    v.child("dropout", dropout);
  }
  Options options;
  Embedding source_embedding, target_embedding;
  AnyRecurrent encoder;
  std::optional<Linear> bridge;  // to all layers' states of the decoder; none where it starts at zero
  std::optional<Attention> attention;
  AnyRecurrent decoder;
  std::optional<Linear> readout;
  std::unique_ptr<OutputHead> output;
  Dropout dropout;

 private:
  struct Widths {
    int64_t annotation, input, joined;  // A, of the cell's input, of o_t
  };
  static Widths widths(const Options& options);
  Seq2Seq(const Options& options, const Widths& widths, Generator& rng);
  States first_states(const Variable& annotations, const Tensor& lengths, const States& last) const;
  Variable joined(const Variable& state, const Variable& context, const Variable& embedded) const;  // o_t
  bool one_node() const;        // may attention_decoder stand for the steps?
  bool wants_coverage() const;  // does somebody collect the coverage loss?
};

}  // namespace heed::nn
