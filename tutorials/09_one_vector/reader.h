// The network reads key value key value ..: embedding, bidirectional recurrent layer, pooling, and a small network that
// predicts the value.
//
//   ids [B, S] -> x [B, S, E] -> annotations [B, S, 2 N] -> one vector [B, 2 N] -> with the question [B, 2 N + E]
//       -> tanh [B, N] -> logits [B, 10]
//
// The question is a key. The last network always receives it. Only the pooling `asked` uses it to pool.
#pragma once

#include "autograd/ops.h"
#include "nn/attention/attention_pooling.h"
#include "nn/data/tasks/recall.h"
#include "nn/padding.h"
#include "nn/pool.h"
#include "nn/recurrent/gru.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"

namespace onevector {

namespace nn = heed::nn;
using heed::Tensor, heed::Variable;

struct ReaderOptions {
  std::string pooling = "mean";  // of nn/pool.h; attention, asked, all_positions
  bool question_first = false;   // the key that is asked is read before the pairs
  int64_t symbols = 40, classes = 10, embedding = 16, hidden = 32, layers = 1;
};

struct Reading {
  Variable annotations, vector = {}, weights = {},
                        logits = {};  // [B, S, 2 N], [B, 2 N], [B, 1, S] if there are any, [B, 10]
};

struct Reader : nn::Module {
  using Options = ReaderOptions;
  Reader(const Options& o, heed::Generator& rng)
      : options(o),
        embedding({o.symbols, o.embedding}, rng),
        layer({.input = o.embedding, .hidden = o.hidden, .layers = o.layers, .bidirectional = true}, rng),
        pooling({.score = score_of(o), .learned = o.pooling != "asked"}, rng),
        mix({2 * o.hidden + o.embedding, o.hidden}, rng),
        name({o.hidden, o.classes}, rng) {}

  Reading operator()(const Tensor& sequence, const Tensor& lengths, const Tensor& query) const {
    if (!options.question_first) return pool(layer(embedding(sequence), lengths).annotations, lengths, query);
    Tensor read = heed::concat(std::vector<Tensor>{query.unsqueeze(1), sequence}, 1), longer = heed::add(lengths, 1.0);
    return pool(layer(embedding(read), longer).annotations, longer, query);
  }
  // A fault on purpose: a layer without the lengths, whose backward direction starts in the padding.
  Reading read_padding(const Tensor& sequence, const Tensor& lengths, const Tensor& query) const {
    return pool(layer(embedding(sequence)).annotations, lengths, query);
  }
  Reading pool(const Variable& x, const Tensor& lengths, const Tensor& query) const {  // x [B, S, 2 N]
    Tensor words = nn::length_mask(lengths, x.size(1));
    Variable question = embedding(query);  // [B, E]
    Reading r{.annotations = x};
    if (options.pooling == "attention" || options.pooling == "asked") {
      nn::Attended seen =
          options.pooling == "asked" ? pooling.ask(unsqueeze(question, 1), x, x, words) : pooling(x, x, words);
      r.vector = squeeze(seen.context, 1), r.weights = seen.weights;
    } else if (options.pooling == "all_positions") {
      r.vector = mean(x, {1});  // the fault: divides by S instead of by the number of words
    } else {
      r.vector = nn::pool(options.pooling, x, words);
    }
    r.logits = name(tanh(mix(heed::concat({r.vector, question}, 1))));
    return r;
  }
  void visit(nn::Visitor& v) {
    v.child("embedding", embedding);
    v.child("layer", layer);
    v.child("pooling", pooling);
    v.child("mix", mix);
    v.child("name", name);
  }

  Options options;
  nn::Embedding embedding;
  nn::Recurrent<nn::GRUCell> layer;
  nn::AttentionPooling pooling;
  nn::Linear mix, name;

 private:
  static nn::ScoreOptions score_of(const Options& o) {
    if (o.pooling == "asked") return {.name = "general", .query = o.embedding, .key = 2 * o.hidden};
    return {.name = "dot", .query = 2 * o.hidden, .key = 2 * o.hidden};
  }
};

}  // namespace onevector
