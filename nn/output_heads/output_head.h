// The output head of a decoder: it turns the features of a step into scores of the next word.
//
//   head : features [.., F], alignment [.., S], source words [B, S]  ->  unnormalised log p [.., V']
//
// The log-softmax of the result is log p, so every loss and search that takes logits also takes this result. The head
// decides what its V' outputs stand for:
//
//   softmax             the V words of the vocabulary
//   pointer_generator   the vocabulary, then this sentence's words that the vocabulary lacks   (See et al., ACL 2017)
//   pointer             the positions of the source                              (Vinyals et al., NeurIPS 2015)
//   copynet             as pointer_generator, by scores of its own in place of the attention   (Gu et al., ACL 2016)
//
// A head that copies can write words that the vocabulary lacks. Each such word of the source gets an id of its own, V,
// V + 1, .., which is valid within its sentence (text::SentenceWords assigns them). The embeddings read <unk> for it.
//
// To add a head, write one file in this folder and add its row to output_head.cpp. The dots stand for [B, T], or for
// [B] in a search. B batch, T target words, S source words, F width of the features, V vocabulary.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/module.h"

namespace heed::nn {

struct Linear;

struct OutputHeadOptions {
  std::string name = "softmax";
  int64_t features, vocabulary;  // F, V
  bool bias = true;              // of the vocabulary's layer
  int64_t states = 0;            // C, width of the source's states; 0: F
};

// The source as an output sees it.
struct OutputSource {
  Tensor ids = {};       // [B, S] i64
  Tensor lengths = {};   // [B] i64
  int64_t end = 0;       // one more than the largest id
  Variable states = {};  // the encoder outputs [B, S, C], for heads that score the source themselves
};
OutputSource output_source(const Tensor& ids, const Tensor& lengths);

struct OutputHead : Module {
  using Options = OutputHeadOptions;
  explicit OutputHead(const Options& o) : options(o) {}
  OutputHead(OutputHead&&) = default;
  OutputHead& operator=(OutputHead&&) = default;
  virtual ~OutputHead() = default;

  // `alignment` has a gradient, and is undefined where the head does not need it.
  virtual Variable operator()(const Variable& features, const Variable& alignment,
                              const OutputSource& source) const = 0;
  virtual bool needs_alignment() const { return false; }  // true of all heads that copy
  // The layer that scores the vocabulary, for models that tie its weight to an embedding; null where there is none.
  virtual Linear* vocabulary_layer() { return nullptr; }
  // The ids that the embeddings read for ids of the source, and for ids that this head wrote: [..] -> [..].
  virtual Tensor source_words(const Tensor& ids) const { return ids; }
  virtual Tensor target_words(const Tensor& ids, const OutputSource&) const { return ids; }
  // The outputs that each sentence can write, bool [B, V']; undefined: all of them. The others are unknown words of
  // other sentences, or positions that this one does not have, and have log p = -69 (kUnreached).
  virtual Tensor writable(const OutputSource&) const { return {}; }
  virtual void visit(Visitor&) {}
  Options options;
};

// ValueError for a name that is not known.
std::unique_ptr<OutputHead> make_output_head(const OutputHeadOptions& options, Generator& rng);
bool output_needs_alignment(const std::string& name);
bool output_writes_words(const std::string& name);  // false: it writes positions of the source
std::vector<std::string> output_names();
// The name of the head with this catalogue id (D8) or this name; "" for none.
std::string output_called(const std::string& id_or_name);

// For heads that copy: see copying_head.h. The words' ids with <unk> in the place of those from V on.
Tensor known_words(const Tensor& ids, int64_t vocabulary);
// What each output gets by attention: zeros [.., size] with alignment_s added at slots_s, so that a word that the
// source has twice gets both weights. alignment [.., S], slots [B, S] i64 -> [.., size]
Variable copied(const Variable& alignment, const Tensor& slots, int64_t size);
// True for the outputs that copy a word of the sentence (not padding): slots [B, S] i64, lengths [B] -> bool [B, size]
Tensor reached(const Tensor& slots, const Tensor& lengths, int64_t size);
// The distributions that label smoothing asks for, where each sentence has outputs of its own:
//   q_bt = (1 - e) one-hot(word_bt) + e / |W_b| over W_b, the outputs that sentence b can write; 0 at padding
// words [B, T] i64 (target_out of a batch), writable bool [B, V'] -> [B, T, V']
Tensor smoothed_words(const Tensor& words, const Tensor& writable, double e, DType dtype);
// Added to a probability before its logarithm: outputs without attention then have a finite log p (-69) and gradient.
inline constexpr double kUnreached = 1e-30;

}  // namespace heed::nn
