// The options of the transformers of nn/transformer/transformer.h. One set of options describes three models, which
// differ in the parts that they have:
//
//                             words in, words out                      layers
//   Transformer               source_vocabulary, target_vocabulary     encoder_layers, decoder_layers (with a source)
//   Bert                      source_vocabulary, encoder outputs       encoder_layers
//   LanguageModel             target_vocabulary, the same              decoder_layers (without)
//
// The number of parameters, which determines the size of a model's file, follows from the options. D width of the
// model, H heads, F feed-forward width, N layers, P positions, V vocabulary, G heads of keys and values, E = D G/H,
// K = D/H width of a head, R the max_distance of a position:
//
//   attention A = 2 D^2 + 2 D E + 2 D + 2 E = 4 D^2 + 4 D where G = H, and what is around it (nn/attention/around/)
//   self-attention A_s = A + s,  shaw s = 2 (2 R + 1) K, shaw_keys half of it, xl s = D^2 + 2 D, else 0
//                  of the layers that share keys with an earlier one: without 2 E (D + 1)
//   self-attention, where a mixer stands in its place: what the mixer has
//   feed-forward W = 2 D F + F + D, with a gate 3 D F + 2 F + D
//   norm n = 2 D, rms D              final norm f = n or 0
//   encoder = N (A_s + W + 2 n) + f + t                    t5 t = 32 H (its buckets times H), else 0
//   decoder = N (A_s + A + W + 3 n) + f + t, without a source as encoder
//   embedding = V D, + P D where positions are learned     output = V D + V, V where the matrix is the embedding's,
//                                                          D + 1 more with pointer_generator, 0 with pointer
#pragma once

#include <map>
#include <string>

#include "nn/attention/registry.h"
#include "nn/io/json.h"
#include "nn/options.h"
#include "nn/transformer/layer_options.h"

namespace heed::nn {

struct TransformerOptions {
  static constexpr double kAsDropout = -1;  // the same number as `dropout`
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  int64_t model = 512, heads = 8, inner = 2048;  // D, H, F
  int64_t kv_heads = 0;                          // G, a divisor of H; 0: H
  // Wrappers of attention (nn/attention/around/), by their names: each is on or off, or has a text.
  struct AroundOption {
    bool on = false;
    std::string text = {};
  };
  std::map<std::string, AroundOption> around = {};
  int64_t shared_keys = 1;  // layers in a row whose self-attention reads the keys and values of the first of them
  int64_t encoder_layers = 6, decoder_layers = 6;
  std::string activation = "relu";  // relu, gelu, geglu, swiglu
  std::string norm = "layer";       // layer, rms
  bool norm_first = false;
  // At the end of each stack: norm first needs it, nn.Transformer has it always, the paper never.
  bool final_norm = true;
  double dropout = 0.1;  // of embeddings with positions, and of the output of each sub-layer
  double attention_dropout = kAsDropout, inner_dropout = kAsDropout;  // of weights; inside the feed-forward network
  // How the model receives the position of a word:
  //   sinusoidal   added to the embedding: sines and cosines, for any length
  //   learned      added to the embedding: a table of max_positions rows, and no sentence may be longer
  //   none         not at all: an encoder sees a bag of words; a decoder learns the order from its causal mask
  //   the others   inside attention, in every layer (nn/attention/positions/): ./heed attention --list. An attention
  //                whose position is made for products without a root begins with smaller queries instead (t5)
  // Those inside attention act in self-attention only, since source and target have no common positions.
  std::string positions = default_stage(Kind::position, Role::embedding);  // with settings: shaw:16
  int64_t max_positions = 512;
  // The stages of self-attention, as text (nn/attention/registry.h): window:64, sparsemax, .. Cross-attention has the
  // same score, normaliser and evaluator. An empty score is scaled_dot, or what the positions were made for.
  std::string score = "", scope = default_stage(Kind::scope), normaliser = default_stage(Kind::normaliser),
              evaluator = default_stage(Kind::evaluator);
  // The self-attention of each layer, if the layers differ: items separated by commas. The layers of each stack take
  // them in turn, starting again after the last. `attention` stands for the stages above; a scope (window:64) or an
  // evaluator (tiled) replaces that stage; a mixer (average) stands in the place of self-attention
  // (nn/attention/mixers/mixer.h). Empty: all layers are alike. Cross-attention is the same in all layers.
  std::string mixers = "";
  std::string encoder_mixers = "";  // of the encoder, if not empty; `mixers` are then the decoder's
  bool scale_embedding = true;      // by sqrt(D): the entries of a word are then about as large as those of a position
  // Which matrices are one and the same (Press and Wolf, EACL 2017):
  //   none      source embedding, target embedding, output layer
  //   target    the output layer's weight is the target embedding
  //   all       the source embedding too: one vocabulary for both languages
  std::string tie = "none";
  bool output_bias = true;
  std::string output = "softmax";  // the head (nn/output_heads/); one that copies needs one vocabulary
  int64_t token_types = 0;         // of a Bert: kinds of words that have a vector of their own (BERT's segments)

  // All options but the sizes of the vocabularies. The JSON of a model's file, the checks and the options of heed train
  // are derived from this list.
  void fields(OptionFields& f);
};

// The wrappers that are on, in the order of the registry (the first is outermost).
Arounds arounds_of(const TransformerOptions& options);

// ValueError for a name that is not known, a size that cannot be, or two choices that do not go together.
TransformerOptions completed(TransformerOptions options);

// The largest number of words that a sentence may have, by its positions and its mixers; 0: any number.
int64_t position_limit(const TransformerOptions& options);
// The position stage of self-attention; `none` if positions are added to the embedding.
HeadPositionOptions head_position_of(const TransformerOptions& options);

enum class TransformerPart { encoder, decoder, language_model };
TransformerStackOptions stack_of(const TransformerOptions& options, TransformerPart part);

// The number of parameters of a Transformer: the formulas above, and what score, scope, normaliser and evaluator have.
int64_t transformer_parameters(const TransformerOptions& options);
int64_t encoder_parameters(const TransformerOptions& options);  // of the encoder's stack, without the embedding

// Vaswani et al., NeurIPS 2017, table 3: 6 + 6 layers, norm last, one matrix for all words; 63.1 million parameters for
// a vocabulary of 37,000.
TransformerOptions transformer_base(int64_t vocabulary);
// For Multi30k's 29,000 pairs. small: 3 + 3 layers, D 256, norm first. tiny: 4 + 4 layers, D 128, norm last, and more
// dropout: on so little text a small model is the better one (Wu et al., ACL 2021).
TransformerOptions transformer_multi30k_small(int64_t vocabulary);
TransformerOptions transformer_multi30k_tiny(int64_t vocabulary);

// The JSON of a model's file, without the sizes of the vocabularies. IoError for an invalid value, or a key that is
// neither an option nor among the `others`, which the file has for itself.
io::Json to_json(const TransformerOptions& options);
TransformerOptions transformer_options_from(const io::Json& json, const std::vector<std::string>& others = {});

}  // namespace heed::nn
