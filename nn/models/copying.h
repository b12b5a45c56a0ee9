// A model with attention that can copy words of the source: it wraps any paper M and puts an output of
// nn/output_heads/ in the place of M's output layer.
//
//   pointer_generator   See, Liu and Manning, ACL 2017      write a word of the vocabulary or copy one, by a gate
//   copynet             Gu et al., ACL 2016                 writing and copying compete in one softmax
//   pointer             Vinyals et al., NeurIPS 2015        copy only: the outputs are the positions of the source
//
// This output (`head`) reads what M's output layer would read (`hidden`), M's attention weights and the source. Source
// words that the vocabulary lacks have ids V, V + 1, .. in their sentence, and the embeddings read <unk> for them. A
// pointer ignores the readout, so M is built without one, unless input feeding needs it. B batch, T target words, S
// source words, V vocabulary, V' outputs of the head.
#pragma once

#include "nn/models/bahdanau.h"
#include "nn/models/deep_fusion.h"
#include "nn/models/luong.h"
#include "nn/output_heads/output_head.h"

namespace heed::nn {

template <class M>
struct Copying final : Paper<Copying<M>> {
  struct Options {
    typename M::Options model = {};
    std::string output = "pointer_generator";  // one that copies
  };
  Copying(const Options& options, Generator& rng);

  struct Read : Source {  // the encoder outputs, and the words that can be copied
    OutputSource words;
    void keep(const Tensor& rows);
  };
  struct Encoded {
    Read source;
    DecoderState state;
  };
  Encoded encode(const Tensor& source, const Tensor& lengths) const;
  Decoded decode(const Tensor& words, const Read& source, DecoderState& state, bool weights) const;
  Variable logits(const Decoded& decoded, const Read& source) const;  // [B, T, V']

  const Reader* reader() const { return model.reader(); }
  int64_t max_positions() const override { return model.max_positions(); }
  Tensor writable(const Tensor& source, const Tensor& lengths) const override {
    return head->writable(output_source(source, lengths));
  }
  void visit(Visitor& v) override { v.child("", model), v.child("output", *head); }
  Options options;
  M model;  // its output layer becomes the head's, or is dropped
  std::unique_ptr<OutputHead> head;
};

extern template struct Copying<Bahdanau>;  // compiled once, in copying.cpp
extern template struct Copying<Luong>;
extern template struct Copying<DeepFusion>;

}  // namespace heed::nn
