#include <algorithm>
#include <map>

#include "nn/catalogue/catalogue.h"
#include "tutorials/course/drawings/drawings.h"

namespace heed::course {

const std::vector<Drawing>& drawings() {
  static const std::vector<Drawing> all = {
      {"strides", "One buffer, three views",
       "Twelve numbers are stored once, in a row. Below, the same numbers as a 3 by 4 matrix a with strides 4 and 1, "
       "as its transpose with strides 1 and 4, and as the slice of its columns 1 and 2, with strides 4 and 1 and "
       "offset 1. Element (i, j) of each is the number at offset plus i times the first stride plus j times the "
       "second.",
       draw_strides},
      {"graph", "A computational graph, forward and backward",
       "The graph of y = tanh(a b + a) times e to the power b. Values flow from the leaves a and b on the left through "
       "mul, add, tanh and exp to the product y on the right. Along the same edges gradients flow back from y, where "
       "the gradient is 1, to a and b; where a value is used twice, the gradients of both uses are added.",
       draw_graph},
      {"rnn", "A recurrent network, folded and unrolled",
       "On the left one RNN cell: the word vector x enters from below, the state h leaves at the top and returns to "
       "the cell. On the right the same cell drawn once for each word of the agreement on: each copy passes its state "
       "to the next. All copies have the same weights.",
       draw_rnn},
      {"lstm", "The LSTM cell",
       "The cell state c runs along the top from left to right: it is multiplied by the forget gate f, and the product "
       "of the input gate i and the candidate g is added. Below, four layers (forget, input, candidate, output) read "
       "the last state h and the word x. The new state h is the tanh of the cell times the output gate o.",
       draw_lstm},
      {"gru", "The GRU cell",
       "The state h runs along the top from left to right: it is multiplied by the update gate z, and the candidate n "
       "times 1 minus z is added. The reset gate r decides how much of the old state the candidate reads. All three "
       "layers read the word x.",
       draw_gru},
      {"one_vector", "Encoder, one vector, decoder",
       "At the top an encoder reads the agreement .. was signed, a state for each word. Only its last state becomes "
       "the one vector c in the middle, a row of eight numbers. From it the decoder at the bottom writes l' accord .. "
       "a été signé, one state for each word.",
       draw_one_vector},
      {"attention", "Encoder, attention, decoder",
       "The encoder states of the agreement .. was signed are at the top, each with its weight for the word that is "
       "being written, signé: the weight of signed is by far the largest, that of was is the second. Arrows as thick "
       "as the weights lead from all encoder states to the context c, and from there to the decoder state. The query "
       "is the decoder's last state.",
       draw_attention},
      {"qkv", "Queries, keys and values",
       "Four words x of width 4 are projected by W_q, W_k and W_v to queries, keys and values of width 3. Queries and "
       "keys give the scores, a 4 by 4 matrix; a softmax of each row gives the weights; the weights and the values "
       "give the context, again one row of width 3 for each word.",
       draw_qkv},
      {"heads", "Several heads",
       "Five words x of width 12 go to three heads. Each head has its own 5 by 5 matrix of weights and a context of "
       "width 4. The contexts are put side by side to width 12, and the matrix W^O mixes them to the output of width "
       "12.",
       draw_heads},
      {"block", "A transformer layer, norm last and norm first",
       "Two columns, read from bottom to top. Norm last: self-attention, sum with its input, norm, feed-forward "
       "network, sum, norm. Norm first: norm, self-attention, sum with the input, norm, feed-forward network, sum; so "
       "the way past the sub-layers has nothing on it from the bottom to the top.",
       draw_block},
      {"masks", "Padding, causal and cross masks",
       "Three grids with a row for each query and a column for each key. Padding: all rows may read the three words "
       "and none the two padded keys. Causal: row t may read the keys up to t, a triangle. Cross: four target words "
       "may read all four source words, but not the padded key.",
       draw_masks},
      {"positions", "Absolute and relative positions",
       "On the left, absolute: a table with one row of sinusoids for each position is added to the table of the words. "
       "On the right, relative: a number that depends on the distance of query and key alone is added to each score; "
       "it is the same along each diagonal, 0 in the middle and -1, -2, .. away from it.",
       draw_positions},
      {"cache", "Decoding with a key-value cache",
       "Four steps of decoding. In each, the query of the new word reads all keys K and values V so far. One row of "
       "each is new in every step; the rows above it are kept from the steps before and not computed again.",
       draw_cache},
      {"tiled", "Tiled attention",
       "At the top a matrix of scores in nine tiles: those before the current one are done and not stored, those after "
       "it not yet computed. Below, the three blocks of one row of scores, with the running maximum m and the running "
       "sum l after each block.",
       draw_tiled},
      {"memory", "A key-value memory",
       "A query u on the left is compared with four keys; the arrows are as thick as the weights. Each key belongs to "
       "a value, and the values, weighted alike, are summed to o on the right. A dashed arrow leads back: the next hop "
       "asks with u plus o.",
       draw_memory},
      {"map", "The field by year",
       "A row for each year from 2014, with the names of what this library has from that year. The colours are those "
       "of scores and normalisers, of scopes and positions, of structures and mixers, of evaluators, and of all "
       "others, such as training rules. Most names are from 2019 to 2025.",
       draw_map},
      {"encoder_decoder", "The whole transformer",
       "On the left the encoder: the source words and their positions go through N layers of self-attention and a "
       "feed-forward network. On the right the decoder: the target words so far go through N layers of causal "
       "self-attention, attention to the encoder outputs, and a feed-forward network; then a linear layer and a "
       "softmax give the next word. A thick arrow leads from the encoder outputs to the decoder's second attention.",
       draw_encoder_decoder},
      {"transformer", "The transformer, block by block",
       "Two towers of blocks, read from bottom to top. On the left the encoder: embedding, positions, then N layers, "
       "each of which has a norm and self-attention, a sum with what came in, a norm and a feed-forward network, and a "
       "sum again; a last norm gives the encoder outputs m. On the right the decoder: embedding, positions, then N "
       "layers of masked self-attention, cross-attention and a feed-forward network, each with its norm before it and "
       "its sum after it; then a norm, a linear layer and a softmax give the next word. A thick arrow leads from the "
       "encoder outputs to cross-attention, as keys and values.",
       draw_transformer},
      {"soft_lookup", "A table and attention",
       "On the left a table of four keys and values: the query 2 finds the key 2 and reads its value, 30. On the right "
       "the same table with the query 2.1: each row has a weight, the larger the nearer its key, and what is read is "
       "the weighted mean of all values.",
       draw_soft_lookup},
      {"hierarchical", "Hierarchical attention",
       "At the bottom the words of two sentences, i am a student and i love reading, each word with its weight within "
       "its sentence. Arrows as thick as the weights lead to a vector for each sentence, and from the two sentences, "
       "again with weights, to one vector for the document at the top.",
       draw_hierarchical},
      {"beam", "Beam search with two hypotheses",
       "A tree of choices. From the start, the has the probability 0.6 and a 0.4; both are kept. In the second step "
       "the cat has 0.33, the dog 0.27, a cat 0.04 and a dog 0.36: a dog and the cat are kept. Greedy search, which "
       "had kept the alone, ends with the cat and misses the best sentence, a dog.",
       draw_beam},
      {"segments", "Checkpointing: what is stored",
       "Five rows of nine boxes, one box for the input of each layer, in three segments. No checkpoints: all nine "
       "inputs are stored. Forward with checkpoints: only the inputs of the segments, x0, x3 and x6, are stored. "
       "Backward goes through segment 3, then 2, then 1; in each the two other inputs of the segment are computed "
       "again, and what a finished segment held is freed. At most five inputs are stored at a time.",
       draw_segments},
      {"states", "A state that is written by five rules",
       "Three words are written, Ann: Rome, Bob: Oslo and Ann: Oslo, into a table with the rows Ann and Bob and the "
       "columns Rome and Oslo, by five rules. In the end the sum says that Ann is in both towns. The decay has halved "
       "all that is older. The gate, closed at the last word, has forgotten Bob. The delta rule says that Ann is in "
       "Oslo and has left Bob alone. The reflection overshoots: -2 for Rome and 2 for Oslo.",
       draw_states},
      {"regions", "Six ways to read a picture",
       "Six copies of a picture of 8 rows and 12 columns, each with the places that one place, in row 4 and column 9, "
       "reads in one layer. Windows: a square of 4 by 4 places that the place shares with others. Shifted windows: "
       "such a square that begins 2 places later. Neighbourhood: the 3 by 3 places around it. Stripes: 2 whole rows "
       "and 2 whole columns. Criss-cross: its own row and column. Grid: 4 by 4 places that are spread over the whole "
       "picture.",
       draw_regions},
      {"tokens", "One text in five vocabularies",
       "The text lowest café 1992 as tokens of five small vocabularies. Words: lowest, unknown, 1992. WordPiece: low, "
       "est within a word, cafe without its accent, 19, 92 within a word. Byte-level BPE: low, est, a space with caf, "
       "the two bytes of é, a space with 19, 9, 2. Unigram: low, est, caf, unknown, 19, 92. BPE with byte fallback: "
       "low, est, caf, the two bytes of é as numbers, 19, 92. A mark before a word is its space.",
       draw_tokens},
      {"simplex", "Five scores, three normalisers",
       "Bars for the weights of five keys with the scores 2, 1.5, 1, 0 and -1. Softmax: 0.463, 0.281, 0.170, 0.063 "
       "and 0.023. Entmax with alpha 1.5: 0.624, 0.292 and 0.084, and the last two are exactly 0. Sparsemax: 0.750 and "
       "0.250, and the "
       "last three are exactly 0.",
       draw_simplex},
      {"copying", "Writing or copying",
       "Three rows of bars for the words owns, from, lamp, mirano and tukela. Written, with probability 0.25: 0.02 for "
       "owns, 0.03 for from, 0.20 for lamp; mirano and tukela are not in the vocabulary and have none. Copied: 0.11 "
       "for lamp, 0.60 for mirano, 0.04 for tukela. Together: mirano wins with 0.60, and lamp has the sum of both "
       "ways, 0.31.",
       draw_copying},
  };
  return all;
}

const Drawing* drawing_called(const std::string& name) {
  const auto found =
      std::find_if(drawings().begin(), drawings().end(), [&](const Drawing& d) { return d.name == name; });
  return found == drawings().end() ? nullptr : &*found;
}

const Drawing& drawing_of_entry(const std::string& id) {
  static const std::map<std::string, std::string> own = {
      {"E1", "qkv"},         {"E4", "encoder_decoder"}, {"E7", "hierarchical"},
      {"E3", "memory"},      {"E5", "heads"},           {"E6", "masks"},
      {"G6", "heads"},       {"G7", "heads"},           {"G3", "cache"},
      {"E18", "cache"},      {"H1", "block"},           {"H11", "block"},
      {"M6", "regions"},     {"M7", "regions"},         {"M8", "regions"},
      {"M11", "regions"},    {"M12", "regions"},        {"B1", "qkv"},
      {"B8", "soft_lookup"}, {"B9", "soft_lookup"},
  };
  const nn::CatalogueEntry& entry = nn::catalogue_entry(id);
  const auto found = own.find(entry.id);
  if (found != own.end()) return *drawing_called(found->second);
  switch (entry.kind) {
    case nn::Kind::scope:
      return *drawing_called("masks");
    case nn::Kind::position:
      return *drawing_called("positions");
    case nn::Kind::evaluator:
      return *drawing_called("tiled");
    case nn::Kind::normaliser:
    case nn::Kind::regulariser:
      return *drawing_called("qkv");
    case nn::Kind::pooling:
      return *drawing_called("hierarchical");
    case nn::Kind::reader:
      return *drawing_called("soft_lookup");
    default:
      return *drawing_called("attention");
  }
}

std::string svg_of(const Drawing& drawing) {
  return drawing.make().svg(drawing.name, drawing.title, drawing.alternative);
}

}  // namespace heed::course
