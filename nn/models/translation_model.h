// The model inside a trainer or a translator: either a Seq2Seq or a Transformer, behind one interface.
//
//   TranslationModel model(Seq2SeqOptions{...}, rng);
//   model(source, lengths, target_in)            // logits [B, T, V], teacher forcing
//   model.search(source, lengths)                // for greedy and beam search (nn/decode/search.h)
//
// The parameters have the same names as in the model itself. B batch, S source length, T target length, V
// vocabulary.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "nn/decode/search.h"
#include "nn/io/json.h"
#include "nn/models/seq2seq.h"
#include "nn/transformer/transformer.h"

namespace heed::nn {

struct TranslationModel : Module {
  using Options = std::variant<Seq2SeqOptions, TransformerOptions>;
  TranslationModel(const Options& options, Generator& rng);

  // As in Seq2Seq: `weights`, if given, receives the alignment [B, T, S] (undefined without attention).
  Variable operator()(const Tensor& source, const Tensor& lengths, const Tensor& target_in,
                      Tensor* weights = nullptr) const;
  // OutputHead::writable: the outputs that each sentence can write, bool [B, V']; undefined: all of them.
  Tensor writable(const Tensor& source, const Tensor& lengths) const {
    return std::visit([&](const auto& m) { return m.writable(source, lengths); }, model);
  }
  std::unique_ptr<SearchModel> search(const Tensor& source, const Tensor& lengths) const;

  void set_checkpoint(int64_t layers);  // see TransformerStack; ValueError for a Seq2Seq, unless it is 0

  bool attends() const;           // true: has attention weights
  std::string output() const;     // the name of its output
  int64_t max_positions() const;  // maximum number of tokens it can read or write; 0: no limit
  const Seq2Seq* seq2seq() const { return std::get_if<Seq2Seq>(&model); }
  Options options() const;

  void visit(Visitor& v) {
    std::visit([&](auto& m) { v.child("", m); }, model);
  }
  std::variant<Seq2Seq, Transformer> model;
};

// The field "architecture" says which model it is, seq2seq or transformer. The sizes of the vocabularies are not part
// of the JSON. Throws IoError for an invalid value, or a key that is neither an option nor among the `others`.
io::Json to_json(const TranslationModel::Options& options);
TranslationModel::Options translation_options_from(const io::Json& json, std::vector<std::string> others = {});

// Builds a small model with these stages and runs it once, forward, backward and word by word: ValueError or ShapeError
// says what does not go together, before any data is read. Sizes that must fit each other are checked as they are.
void try_out(const TranslationModel::Options& options);

std::string output_of(const TranslationModel::Options& options);  // the name of its output (nn/output_heads/)
// A copy of the options with the vocabulary sizes filled in.
TranslationModel::Options sized(TranslationModel::Options options, int64_t source_vocabulary,
                                int64_t target_vocabulary);
// Returns whether the largest parameters in a file have the sizes that the options give. Called before memory for a
// model is allocated.
bool fits(const TranslationModel::Options& options, const io::SafeTensors& file);

}  // namespace heed::nn
