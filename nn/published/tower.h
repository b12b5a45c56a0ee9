// A stack of blocks with its words: the encoder or the decoder of a published model.
//
//   x = norm(W[ids] + P[place] + K[kinds])    the norm where a family has one; W also times sqrt(D); E_o to D where the
//                                             words are narrower than the model (ALBERT, ELECTRA)
//   x <- block(x, bias by distance)           N times; the bias of T5 and MPNet is one table for all blocks
//   x <- norm(x)                              where norms come first
//
// hidden[0] is the input of the first block, hidden[i] the output of block i, the last one after the final norm.
// B batch, T words, D width, E width of a word.
#pragma once

#include "nn/attention/positions/t5.h"
#include "nn/published/block.h"
#include "nn/published/packed.h"

namespace heed::nn::published {

struct TowerOptions {
  int64_t vocabulary = 0, width = 0;  // V, E; 0: D
  bool scale_embedding = false;
  // The row of a word in the table of positions is its place plus `first_place`. Places count
  //   row      all words of a row
  //   words    those that are not the token `padding`, which has place 0      (RoBERTa: first_place = padding)
  //   mask     those that the mask shows; others have the place -1           (OPT)
  int64_t positions = 0, first_place = 0, padding = -1;  // rows of the table; 0: none
  std::string places = "row";
  bool sinusoidal = false;  // the table is computed: sines in the first half of the columns (Marian)
  int64_t kinds = 0;        // kinds of words (BERT's segments)
  bool embedding_norm = false, final_norm = false;
  bool projection_bias = true, project_words = false, project_output = false;  // project_words: before positions (OPT)
  int64_t buckets = 0, max_distance = 128;                                     // of the bias by distance; 0: none
  std::vector<BlockOptions> blocks = {};
  std::vector<size_t> order = {};  // which block is used when; empty: each once (ALBERT repeats them)

  const BlockOptions& block() const { return blocks.front(); }
  int64_t words() const { return width > 0 ? width : block().model; }              // E
  int64_t out() const { return project_output ? words() : blocks.back().wide(); }  // of a state
  size_t depth() const { return order.empty() ? blocks.size() : order.size(); }
  void fields(OptionFields& f);  // of the tower itself
};

// A factor for the output of each head, [H] or [B, H], for each layer: 0 switches a head off. Empty, and undefined for
// a layer: all heads as they are.
using HeadFactors = std::vector<Variable>;

struct TowerCall {
  Tensor mask = {};    // bool [B, S], of all words so far; undefined: all are words
  Tensor kinds = {};   // i64 [B, T]
  Tensor places = {};  // i64 [B, T], in place of those that the tower counts
  Variable source = {};
  Tensor source_mask = {};
  bool weights = false;  // give the attention weights of every block
  HeadFactors heads = {}, cross_heads = {};
};

// What a decoder keeps of the words before (nn/attention/memories/) and of its source.
struct TowerMemory {
  std::vector<std::unique_ptr<AttentionMemory>> self;
  std::vector<HeadMemory> source;
  int64_t words = 0;
  void keep(const Tensor& rows);        // row i becomes what row rows[i] was (beam search)
  void keep_words(const Tensor& rows);  // the same, for rows that keep their source
};

struct Seen {
  std::vector<Variable> hidden;             // [B, T, D]
  std::vector<Variable> attentions, cross;  // [B, H, T, S] of each block
  const Variable& last() const { return hidden.back(); }
};

struct Tower : Module {
  using Options = TowerOptions;
  Tower(const Options& options, Generator& rng);
  // ids [B, T] i64, after the words of the memory if there is one
  Seen operator()(const Tensor& ids, const TowerCall& call = {}, TowerMemory* memory = nullptr) const;
  void visit(Visitor& v);
  Options options;
  Embedding words;
  std::optional<Embedding> positions, kinds;
  std::optional<AnyNorm> embedding_norm, final_norm;
  std::optional<Linear> projection, output_projection;
  std::optional<T5Bias> distances;
  std::vector<Block> blocks;
  Dropout dropout;

 private:
  Packed packed_;
  Variable embedded(const Tensor& ids, const TowerCall& call, int64_t first) const;
  Tensor rows_of_positions(const Tensor& ids, const TowerCall& call, int64_t first) const;
  const Block& block_at(size_t i) const { return blocks[options.order.empty() ? i : options.order[i]]; }
  Tensor sinusoids;  // [positions, D], where they are computed
};

}  // namespace heed::nn::published
