// Lesson 20's readers: networks that read pairs of a key and a value, and then a question, and answer it. They differ
// in what they can remember.
//
//   x_1 .. x_2N = key value key value ..,  x_{2N+1} = the question, one of the keys;  the answer is its value
//
//   LSTM              h = LSTM(x), answer = softmax(W h_{2N+1})                    one state
//   LSTM + attention  h = LSTM(x_1 .. x_2N), c = attention(question, h)            all states
//   key-value         h = LSTM(x) split in parts, r = attention of its own past    all states, in parts
//   LSTMN             an LSTM that attends to its own earlier states               all states, inside the cell
//   memory network    m_i = A key_i + A value_i, c_i = C key_i + C value_i         no recurrence: N entries
//
// B questions, N pairs, E width of an embedding, D width of a state.
#pragma once

#include <optional>

#include "autograd/ops.h"
#include "nn/attention/attention.h"
#include "nn/attention/structures/key_value.h"
#include "nn/attention/structures/lstmn.h"
#include "nn/attention/structures/memory_network.h"
#include "nn/data/tasks/recall.h"
#include "nn/recurrent/lstm.h"
#include "tensor/indexing.h"

namespace memory {

namespace data = heed::data;
namespace nn = heed::nn;
using heed::Generator, heed::Tensor, heed::Variable;

struct ReaderOptions {
  std::string kind = "LSTM";  // LSTM, LSTM + attention, key-value, LSTMN, memory network
  int64_t vocabulary = 0, answers = 0;
  int64_t width = 64, embedding = 32;
  int64_t parts = 2;  // key-value
  int64_t hops = 1;   // memory network
};

struct Reader : nn::Module {
  using Options = ReaderOptions;
  Reader(const Options& o, Generator& rng)
      : options(o), embedding({.vocabulary = o.vocabulary, .width = o.embedding}, rng) {
    int64_t read = o.width;  // width of what the answer is computed from
    if (o.kind == "LSTMN") {
      lstmn.emplace(nn::LSTMNOptions{.input = o.embedding, .hidden = o.width}, rng);
    } else if (o.kind == "memory network") {
      network.emplace(
          nn::MemoryNetworkOptions{.vocabulary = o.vocabulary, .width = o.embedding, .hops = o.hops, .sentences = 0},
          rng);
      read = o.embedding;
    } else {
      lstm.emplace(nn::LSTMOptions{.input = o.embedding, .hidden = o.width, .forget_bias = 1}, rng);
    }
    if (o.kind == "LSTM + attention")
      attention.emplace(nn::AttentionOptions{.score = {.name = "additive", .query = o.embedding, .key = o.width}}, rng);
    if (o.kind == "key-value") {
      key_value.emplace(nn::KeyValueOptions{.width = o.width, .parts = o.parts, .window = 1000}, rng);
      read = o.width / o.parts;
    }
    answer.emplace(nn::Linear::Options{.in = read, .out = o.answers}, rng);
  }

  struct Read {
    Variable logits;  // [B, answers]
    Tensor weights;   // [B, positions] of the last look, undefined without one
  };
  Read operator()(const data::QueryBatch& b) const {
    if (network) {  // each pair is a sentence of two words, in this order
      nn::MemoryAnswer seen = (*network)(heed::stack(std::vector<Tensor>{b.keys, b.values}, 2), b.query.unsqueeze(1));
      return {(*answer)(seen.state), seen.weights.value().select(1, options.hops - 1).contiguous()};
    }
    if (attention) {
      Variable h = (*lstm)(embedding(b.sequence)).annotations;
      nn::Attended seen = (*attention)(unsqueeze(embedding(b.query), 1), attention->remember(h, h));
      return {(*answer)(select(seen.context, 1, 0)), seen.weights.value().select(1, 0).contiguous()};
    }
    Variable x = embedding(heed::concat(std::vector<Tensor>{b.sequence, b.query.unsqueeze(1)}, 1));
    Variable h = lstmn ? (*lstmn)(x).h : (*lstm)(x).annotations;
    int64_t last = h.size(1) - 1;
    if (!key_value) return {(*answer)(select(h, 1, last)), {}};
    nn::KeyValueOutput seen = (*key_value)(h);
    return {(*answer)(select(seen.output, 1, last)), seen.weights.value().select(1, last).contiguous()};
  }

  void visit(nn::Visitor& v) {
    v.child("embedding", embedding);
    if (lstm) v.child("lstm", *lstm);
    if (lstmn) v.child("lstmn", *lstmn);
    if (attention) v.child("attention", *attention);
    if (key_value) v.child("key_value", *key_value);
    if (network) v.child("network", *network);
    v.child("answer", *answer);
  }
  Options options;
  nn::Embedding embedding;
  std::optional<nn::LSTM> lstm;
  std::optional<nn::LSTMN> lstmn;
  std::optional<nn::Attention> attention;
  std::optional<nn::KeyValueAttention> key_value;
  std::optional<nn::MemoryNetwork> network;
  std::optional<nn::Linear> answer;
};

}  // namespace memory
