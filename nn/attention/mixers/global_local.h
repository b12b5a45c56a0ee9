// Global-local attention, after the extended transformer construction (ETC): besides the words of the text ("long"
// words) there is one global word for each block of l of them. Words read their neighbours and all global words; global
// words read everything; each of them in one softmax:
//
//   word t of the text     {words |s - t| <= r} by l2l, {all global words} by l2g
//   global word j          {all global words} by g2g, {all words, or with `apart` those of its block} by g2l
//   score of a pair        (q . (k + a_label) + c_label) / sqrt(K),   k, v by the projections of its kind of pair, one
//                          q for words and one for global words
//   label                  l2l and g2g: the distance, at most R to either side; l2g and g2l: is the word of that block?
//
// The labels of words and of global words have tables of their own; a begins at N(0, 1/4), cut off at 1, and c at 0, as
// in the authors' program. There the caller makes the labels; these are the ones of the paper for one global word a
// block. In ETC the global words are a second input, with tokens of their own (one for each sentence, say), that passes
// through all layers beside the text. Here a stack of these mixers passes them on, as g <- LayerNorm(g + what they have
// read), and the first layer makes them: the means of the inputs of their blocks.
// So they have no feed-forward network of their own. The last block of a sentence may be shorter. Global words read
// later words, so it is for encoders. The masks are computed here over all pairs. B batch, T words, J global words, D
// width of the model, H heads, K = D / H.
#pragma once

#include <optional>

#include "nn/attention/mixers/heads.h"
#include "nn/layers.h"
#include "nn/norm.h"

namespace heed::nn {

// A number a [n, H, K] and c [n, H] for each of n labels.
struct PairLabels {
  void visit(Visitor& v, const char* name) { v.parameter(name, key), v.parameter(std::string(name) + "_bias", bias); }
  Variable key, bias;
};

struct GlobalLocalMixer final : Mixer {
  struct Settings {
    int64_t radius = 84;
    int64_t block = 16;
    int64_t max_distance = 12;
    bool shared = false;
    bool apart = false;
    void fields(OptionFields& f) {
      f("radius", radius, "r, words on each side that a word reads", {0, 65536});
      f("block", block, "l, words for each global word", {1, 65536});
      f("max_distance", max_distance, "R, larger distances have one label", {0, 4096});
      f("shared", shared, "one projection for the four kinds of pairs");
      f("apart", apart, "a global word reads the words of its own block only");
    }
  };
  static constexpr About about{
      .names = {"K10", "global_local", "ETC", "extended transformer construction"},
      .formula =
          "words: softmax over {|s - t| <= r} and all global words; global words: over all; q . (k + a_label) + c",
      .paper = {"Ainslie et al., EMNLP 2020", 2020, 4},
      .idea =
          "A word of a long text reads its neighbours one by one and the rest through a few global words. The global "
          "words read everything, so any two words are two steps apart. Labels tell a pair its distance, or whether a "
          "word belongs to the block of a global word.",
      .wrong =
          "Neighbours and global words share one softmax; two of them would give the neighbours the same weight "
          "wherever they are. Labels between words and global words are no distances.",
      .cost = "2 T (2 r + 1 + 2 J) D products in a kernel, 2 T^2 D under the mask here; 12 D^2 parameters and more",
      .own = {"a_wide_radius_reads_global_and_long_words", "apart_global_words_read_one_block",
              "global_words_pass_to_the_next_layer"},
      .exempt = {{kLaterWordsAreNotRead, "its global words read all words"}},
  };

  GlobalLocalMixer(const MixerOptions& options, Generator& rng);
  Mixed mix(const Variable& x, const MixerInput& in) const override;
  bool passes() const override { return true; }
  void visit(Visitor& v) override;
  // The global words that the first layer makes, [B, J, D].
  Variable made(const Variable& x, const Tensor& words) const;
  MixerOptions options;
  Settings settings;
  bool last;                         // in the last layer global words are only read: the parts marked * are missing
  std::vector<Linear> projections;   // q, k, v of l2l; k, v of l2g; q, k, v of g2g*; k, v of g2l*; or q, k, v for all
  Linear long_out;                   // [D, D]
  PairLabels distances, of_global;   // of words: 2 R + 1 labels of l2l; 2 of l2g, another block and its own
  std::optional<Linear> global_out;  // * [D, D]
  std::optional<LayerNorm> norm;     // *
  PairLabels global_distances, of_long;  // * of global words: of g2g and g2l

 private:
  struct Pair {
    Variable scores, values;  // [B, H, rows, columns], [B, H, columns, K]
  };
  // `from` reads `to`; labels i64 [B or 1, 1, rows, columns]
  Pair pair(size_t kind, const Variable& from, const Variable& to, const PairLabels& table, const Tensor& labels) const;
};

}  // namespace heed::nn
