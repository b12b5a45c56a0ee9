// A model by its published folder: an encoder, a decoder, or both, and the heads whose weights the folder has.
//
//   auto bert = published::open("bert-base-uncased");                      // or {.dtype = DType::f64}
//   auto seen = bert->read({.ids = ids, .mask = mask}, {.weights = true}); // every layer's vectors and attention
//   Variable words = bert->logits("masked_words", seen);                   // [B, T, V]
//   published::save(*bert, "mine");                                        // the same layout, tensors and names
//
// All parameters are Variables that can be trained; weights in f32 are mapped, so that a large model opens at once
// (nn/io/mapped_file.h). The first call looks for NaN, and calls without gradients keep matrices packed (packed.h). B
// batch, T and S tokens, V vocabulary, D width.
#pragma once

#include <map>
#include <mutex>

#include "nn/published/config.h"
#include "nn/published/tower.h"
#include "tensor/half_matrix.h"

namespace heed::io {
class MappedFile;
}

namespace heed::nn::published {

// y = W_o norm(f(W_i x)) + b_o, each part where a family has it.
struct HeadOptions {
  std::string name;  // pooler, masked_words, next_word, classes, word_classes, answer, next_sentence, ..
  // What a head reads as x: words (every word), first, mean, last (the last that is a word), end (the last end token),
  // or pooled (the output of the pooler).
  std::string reads = "words";
  int64_t in, inner = 0, out = 0;  // 0: without W_i, without W_o
  std::string activation = "linear", norm = "";
  double eps = 1e-12, scale = 1;  // scale: a factor for the input of W_o
  bool inner_bias = true, norm_bias = true, out_bias = true;
};
struct Head : Module {
  using Options = HeadOptions;
  Head(const Options& options, Generator& rng);
  Variable operator()(const Variable& x) const;
  void visit(Visitor& v);
  Options options;
  std::optional<Linear> inner, out;
  std::optional<AnyNorm> norm;

 private:
  Packed packed_;
};

struct ModelOptions {
  std::optional<TowerOptions> encoder = {}, decoder = {};
  std::vector<HeadOptions> heads = {};
  std::map<std::string, std::string> ties = {};  // a parameter, and the one it is tied to
  int64_t end = -1;                              // the end token, for heads that read it
};

struct Inputs {
  Tensor ids, mask = {}, kinds = {}, places = {};  // [B, S]; mask bool, undefined: all are words
  Tensor target_ids = {}, target_mask = {};        // [B, T] of the decoder, where there is an encoder too; or none
};
struct Wanted {
  bool weights = false;                                // of attention
  HeadFactors encoder = {}, decoder = {}, cross = {};  // heads that are switched off, or scaled
};
struct Answer {
  Seen encoder, decoder;  // of the parts that the model has
  Inputs inputs;
  const Seen& of_heads() const { return decoder.hidden.empty() ? encoder : decoder; }
};

// How a parameter is stored in a file.
enum class Layout {
  plain,       // as it is here; several parameters are stacked along the first axis
  transposed,  // [in, out] (GPT-2)
  by_head      // several parameters, stacked within each head (GPT-NeoX)
};
// A row of a family's table: names in the file and here, without .weight and .bias where both follow the same rule. #
// is the number of a layer. A row without `ours` is a tensor that models do not need.
struct Name {
  std::string file;
  std::string ours = "";
  Layout layout = Layout::plain;
};
struct Stored {  // a tensor of the file, for saving
  std::string name;
  std::vector<std::string> ours;
  Layout layout;
  Shape shape;
};

struct Family;
struct Model : Module {
  Model(Config config, const Family& family, const ModelOptions& options, Generator& rng);
  // InputError for tokens that the model does not have, IoError for weights that cannot be used.
  Answer read(const Inputs& inputs, const Wanted& wanted = {}) const;
  // For writing, without gradients: reads the tokens that follow those in the memory. `in` has the new tokens and a
  // mask of all tokens so far; places count from the first word, after any padding. `source`: what read() returned for
  // the text to translate, if there is an encoder; the new tokens are then target_ids.
  Answer extend(const Inputs& in, TowerMemory& memory, const Answer& source = {}) const;
  // The output of a head. The first one that is not the pooler, if no name is given. ValueError if there is none.
  Variable logits(const std::string& head, const Answer& answer) const;
  Variable logits(const Answer& answer) const { return logits("", answer); }
  const Head* head(const std::string& name) const;  // nullptr if the folder has none of that name
  void require_usable() const;  // IoError if a file was cut or, at the first call, a weight is not finite
  void visit(Visitor& v);

  Config config;
  const Family& family;
  ModelOptions options;
  std::optional<Tower> encoder, decoder;
  std::vector<Head> heads;
  std::string folder;
  std::vector<Stored> stored;
  std::vector<std::shared_ptr<const io::MappedFile>> files;
  std::vector<std::shared_ptr<const HalfMatrix>> halves;          // matrices in 16 bits; their parameters are stand-ins
  mutable std::vector<std::pair<std::string, Tensor>> unchecked;  // not yet searched for NaN

 private:
  const Tensor& known(const Tensor& ids, const Tower& tower) const;
  Variable seen_by(const Head& head, const Answer& answer) const;
  mutable std::mutex checking_;
};

struct OpenOptions {
  DType dtype = DType::f32;
  bool trainable = false;  // copy transposed weights into rows of their own, as optimisers need them
  // Matrices whose numbers all fit bf16 or f16, as those of files in 16 bits do, stay in 16 bits (half_matrix.h): the
  // same results with half the memory, and texts are written in about half the time. They are not trained. A file in 16
  // bits is read matrix by matrix, so opening it needs no more memory than the model and its largest matrix have.
  bool keep_16_bits = false;
};
bool is_published(const std::string& folder);  // does its config.json have a model_type? IoError if it cannot be read
// IoError of one sentence for a folder that is not complete, belongs to another model or has keys that heed does not
// implement.
std::unique_ptr<Model> open(const std::string& folder, const OpenOptions& options = {});
// model.safetensors and config.json as the family has them, and the other files of the folder that it was opened from.
void save(const Model& model, const std::string& folder);

std::vector<std::string> families();  // the values of model_type that are known

}  // namespace heed::nn::published
