#include "nn/attention/structures/hierarchical.h"

#include <fmt/format.h>

#include <algorithm>

#include "autograd/ops.h"
#include "nn/padding.h"
#include "tensor/indexing.h"

namespace heed::nn {
namespace {

// The R sentences of the batch that have at least one word, and the position of each in its document.
struct Sentences {
  std::vector<int64_t> from;         // [R]: the index b M + m of each sentence in the batch
  std::vector<int64_t> lengths;      // [R]: the number of words of each
  std::vector<int64_t> counts;       // [B]: the number of these sentences in each document
  std::vector<int64_t> row, column;  // [B M]: index among the R; b M' + index in the document; -1: no words
  int64_t longest = 0, most = 0;     // maximum words per sentence, sentences per document (M')
};

Sentences sentences_of(const Tensor& ids, const Tensor& lengths_) {
  if (ids.rank() != 3 || ids.dtype() != DType::i64 || lengths_.dtype() != DType::i64 ||
      !(lengths_.shape() == Shape{ids.size(0), ids.size(1)}))
    throw ShapeError(fmt::format(
        "HierarchicalAttention: needs ids [B, M, L] and lengths [B, M], both i64; got {} {} and {} {}",
        name_of(ids.dtype()), to_string(ids.shape()), name_of(lengths_.dtype()), to_string(lengths_.shape())));
  Tensor lengths = lengths_.contiguous();
  int64_t B = ids.size(0), M = ids.size(1), L = ids.size(2);
  Sentences s;
  for (int64_t b = 0; b < B; ++b) {
    int64_t count = 0;
    for (int64_t m = 0; m < M; ++m) {
      int64_t n = lengths.data<int64_t>()[b * M + m];
      if (n < 0 || n > L)
        throw ValueError(
            fmt::format("HierarchicalAttention: a length must lie in [0, {}]; got {} in sentence {} of "
                        "document {}",
                        L, n, m, b));
      s.row.push_back(n == 0 ? -1 : static_cast<int64_t>(s.from.size()));
      s.column.push_back(n == 0 ? -1 : count++);
      if (n == 0) continue;
      s.from.push_back(b * M + m);
      s.lengths.push_back(n);
      s.longest = std::max(s.longest, n);
    }
    if (count == 0)
      throw ValueError(fmt::format("HierarchicalAttention: a document must have words; got none in {}", b));
    s.counts.push_back(count);
    s.most = std::max(s.most, count);
  }
  for (size_t at = 0; at < s.column.size(); ++at)
    if (s.column[at] >= 0) s.column[at] += static_cast<int64_t>(at) / M * s.most;
  return s;
}

Tensor vector_of(const std::vector<int64_t>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

// The rows of x [V, D..] at the given indices, and a row of zeros where the index is -1.
Variable rows_or_zero(const Variable& x, std::vector<int64_t> index, const Shape& shape) {
  Shape one = x.shape();
  one[0] = 1;
  for (int64_t& i : index)
    if (i < 0) i = x.size(0);
  return index_select(concat({x, Variable(Tensor::zeros(one, x.dtype()))}, 0), Tensor::from(index, shape));
}

}  // namespace

HierarchyLevel::HierarchyLevel(const Options& o, Generator& rng)
    : options(o),
      encoder({.input = o.input, .hidden = o.hidden, .bidirectional = true}, rng),
      hidden({.in = 2 * o.hidden, .out = o.attention}, rng),
      attention({.score = {.query = o.attention, .key = o.attention}}, rng) {}

Attended HierarchyLevel::operator()(const Variable& x, const Tensor& lengths) const {
  Call call(*this);
  Variable h = encoder(x, lengths).annotations;  // [R, L, 2N]
  Attended seen = attention(tanh(hidden(h)), h, length_mask(lengths, x.size(1)));
  return {call.result("context", squeeze(seen.context, 1)), call.result("weights", squeeze(seen.weights, 1))};
}

HierarchicalAttention::HierarchicalAttention(const Options& o, Generator& rng)
    : options(o),
      embedding({.vocabulary = o.vocabulary, .width = o.embedding}, rng),
      words({.input = o.embedding, .hidden = o.hidden, .attention = o.attention}, rng),
      sentences({.input = 2 * o.hidden, .hidden = o.hidden, .attention = o.attention}, rng),
      dropout({.p = o.dropout}, rng) {}

DocumentRead HierarchicalAttention::operator()(const Tensor& ids, const Tensor& lengths) const {
  Call call(*this);
  Sentences s = sentences_of(ids, lengths);
  int64_t B = ids.size(0), M = ids.size(1), L = ids.size(2);
  Tensor real = index_select(ids.reshape({B * M, L}), vector_of(s.from)).slice(1, 0, s.longest);  // [R, longest]
  Attended read = words(dropout(embedding(real.contiguous())), vector_of(s.lengths));

  std::vector<int64_t> first_ones(static_cast<size_t>(B * s.most), -1);  // [B, M'], without gaps
  for (size_t at = 0; at < s.row.size(); ++at)
    if (s.row[at] >= 0) first_ones[static_cast<size_t>(s.column[at])] = s.row[at];
  Attended joined = sentences(dropout(rows_or_zero(read.context, first_ones, {B, s.most})), vector_of(s.counts));

  Variable of_words = pad(read.weights, {{.axis = 1, .after = L - s.longest}});  // [R, L]
  return {call.result("document", joined.context), call.result("words", rows_or_zero(of_words, s.row, {B, M})),
          call.result("sentences", rows_or_zero(reshape(joined.weights, {B * s.most}), s.column, {B, M}))};
}

}  // namespace heed::nn
