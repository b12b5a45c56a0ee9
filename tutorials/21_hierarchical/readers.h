// Six ways to turn a document into one vector (hierarchical: Yang et al., NAACL 2016):
//
//   hierarchical         words -> sentences -> document, attention at both (nn/attention/structures/hierarchical.h)
//   hierarchical mean    the same encoders, with a mean in place of attention at both levels
//   flat                 one GRU over all words in a row, attention over all of them
//   flat, boundaries     the same with a marker after each sentence
//   flat mean            one GRU over all words in a row, the mean of its outputs
//   bag of words         the mean of the word vectors; no order, no sentences
//
// B documents, M sentences, L words of a sentence, R = B M, N units of a GRU in one direction.
#pragma once

#include <optional>

#include "autograd/ops.h"
#include "nn/attention/structures/hierarchical.h"
#include "nn/data/tasks/documents.h"
#include "nn/padding.h"
#include "nn/pool.h"
#include "tensor/elementwise.h"
#include "tensor/reduce.h"

namespace hierarchy {

namespace nn = heed::nn;
namespace data = heed::data;
using heed::Tensor, heed::Variable;

// All words of each document in a row, with a marker after each sentence if `mark` is given.
struct Row {
  Tensor ids, lengths;  // [B, T], [B]
  Tensor belongs;       // [B, M, T]: 1 if word t is part of sentence m, otherwise 0
};
inline Row in_a_row(const data::DocumentBatch& batch, std::optional<int64_t> mark) {
  int64_t B = batch.words.size(0), M = batch.words.size(1);
  std::vector<std::vector<int64_t>> rows(static_cast<size_t>(B)), sentence(rows.size());
  size_t longest = 0;
  for (int64_t b = 0; b < B; ++b) {
    auto& row = rows[static_cast<size_t>(b)];
    auto& where = sentence[static_cast<size_t>(b)];
    for (int64_t m = 0; m < M; ++m) {
      int64_t words = batch.word_counts.data<int64_t>()[b * M + m];
      for (int64_t w = 0; w < words; ++w)
        row.push_back(batch.words.data<int64_t>()[(b * M + m) * batch.words.size(2) + w]);
      if (mark && words > 0) row.push_back(*mark);
      where.resize(row.size(), m);
    }
    longest = std::max(longest, row.size());
  }
  auto T = static_cast<int64_t>(longest);
  Row out{Tensor::zeros({B, T}, heed::DType::i64), Tensor::zeros({B}, heed::DType::i64), Tensor::zeros({B, M, T})};
  for (int64_t b = 0; b < B; ++b) {
    const auto& row = rows[static_cast<size_t>(b)];
    out.lengths.data<int64_t>()[b] = std::ssize(row);
    for (size_t t = 0; t < row.size(); ++t) {
      out.ids.data<int64_t>()[b * T + static_cast<int64_t>(t)] = row[t];
      out.belongs.data<float>()[(b * M + sentence[static_cast<size_t>(b)][t]) * T + static_cast<int64_t>(t)] = 1;
    }
  }
  return out;
}

struct ReaderOptions {
  std::string kind;
  int64_t vocabulary;  // without the marker of sentence ends, whose id is this number
  int64_t embedding = 16, hidden = 16, attention = 16;
};

struct Read {
  Variable document;      // [B, D]
  Tensor sentences = {};  // [B, M]: weights of the sentences; undefined without attention
  Tensor words = {};      // weights of the words: hierarchical [B, M, L], flat [B, T]
};

struct Reader : nn::Module {
  using Options = ReaderOptions;
  Reader(const Options& o, heed::Generator& rng) : options(o) {
    nn::Embedding::Options table{.vocabulary = o.vocabulary + 1, .width = o.embedding};
    nn::HierarchyLevelOptions level{.input = o.embedding, .hidden = o.hidden, .attention = o.attention};
    if (by_sentences())
      tree.emplace(
          nn::HierarchicalOptions{
              .vocabulary = o.vocabulary + 1, .embedding = o.embedding, .hidden = o.hidden, .attention = o.attention},
          rng);
    if (!by_sentences()) embedding.emplace(table, rng);
    if (in_one_row()) row.emplace(level, rng);
  }
  bool by_sentences() const { return options.kind.starts_with("hierarchical"); }
  bool in_one_row() const { return options.kind.starts_with("flat"); }
  int64_t width() const { return options.kind == "bag of words" ? options.embedding : 2 * options.hidden; }

  Read operator()(const data::DocumentBatch& batch) const {
    if (options.kind == "hierarchical") {
      nn::DocumentRead r = (*tree)(batch.words, batch.word_counts);
      return {r.document, r.sentences.value(), r.words.value()};
    }
    if (options.kind == "hierarchical mean") return {mean_of_means(batch)};
    Row all = in_a_row(batch, options.kind == "flat, boundaries" ? std::optional(options.vocabulary) : std::nullopt);
    Tensor words = nn::length_mask(all.lengths, all.ids.size(1));  // [B, T]
    Variable x = (*embedding)(all.ids);
    if (options.kind == "bag of words") return {nn::pool("mean", x, words)};
    if (options.kind == "flat mean") return {nn::pool("mean", row->encoder(x, all.lengths).annotations, words)};
    nn::Attended seen = (*row)(x, all.lengths);  // [B, 2N], [B, T]
    Tensor w = seen.weights.value();
    return {seen.context, heed::sum(mul(all.belongs, w.unsqueeze(1)), heed::Dims{2}, false), w};
  }

  // The encoder outputs of the words, [R, L, 2N]; used for tagging.
  Variable annotations(const data::DocumentBatch& batch) const {
    int64_t R = batch.words.size(0) * batch.words.size(1);
    return tree->words
        .encoder(tree->embedding(batch.words.reshape({R, batch.words.size(2)})), batch.word_counts.reshape({R}))
        .annotations;
  }

  void visit(nn::Visitor& v) {
    if (tree) v.child("tree", *tree);
    if (embedding) v.child("embedding", *embedding);
    if (row) v.child("row", *row);
  }
  Options options;
  std::optional<nn::HierarchicalAttention> tree;
  std::optional<nn::Embedding> embedding;
  std::optional<nn::HierarchyLevel> row;

 private:
  Variable mean_of_means(const data::DocumentBatch& batch) const {
    int64_t B = batch.words.size(0), M = batch.words.size(1), L = batch.words.size(2);
    Variable h = annotations(batch);
    Variable s = nn::pool("mean", h, nn::length_mask(batch.word_counts.reshape({B * M}), L));  // [R, 2N]
    Variable g = tree->sentences.encoder(reshape(s, {B, M, s.size(1)}), batch.sentences).annotations;
    return nn::pool("mean", g, nn::length_mask(batch.sentences, M));
  }
};

// Predicts the class of a document: logits [B, classes].
struct Classifier : nn::Module {
  using Options = ReaderOptions;
  Classifier(const Options& o, int64_t classes, heed::Generator& rng)
      : reader(o, rng), name({reader.width(), classes}, rng) {}
  Variable operator()(const data::DocumentBatch& batch) const { return name(reader(batch).document); }
  void visit(nn::Visitor& v) {
    v.child("reader", reader);
    v.child("name", name);
  }
  Reader reader;
  nn::Linear name;
};

// Predicts the tag of each word from its encoder output and, if `whole`, from the vector of the document: [R, L, 3].
struct Tagger : nn::Module {
  Tagger(const ReaderOptions& o, bool whole_, heed::Generator& rng)
      : reader(o, rng),
        hidden({(whole_ ? 2 : 1) * reader.width(), 2 * reader.width()}, rng),
        name({2 * reader.width(), 3}, rng),
        whole(whole_) {}
  Variable operator()(const data::DocumentBatch& batch) const {
    Variable h = reader.annotations(batch);  // [R, L, 2N]
    if (whole) {
      int64_t R = h.size(0), M = batch.words.size(1);
      Variable d = reader(batch).document;  // [B, 2N]
      d = reshape(expand(unsqueeze(unsqueeze(d, 1), 1), {d.size(0), M, h.size(1), d.size(1)}),
                  {R, h.size(1), d.size(1)});
      h = heed::concat(std::vector{h, d}, 2);
    }
    return name(tanh(hidden(h)));
  }
  void visit(nn::Visitor& v) {
    v.child("reader", reader);
    v.child("hidden", hidden);
    v.child("name", name);
  }
  Reader reader;
  nn::Linear hidden, name;
  bool whole;
};

}  // namespace hierarchy
