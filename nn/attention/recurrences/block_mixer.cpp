#include "nn/attention/recurrences/block_mixer.h"

#include <algorithm>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

// Which word is in each column, and in which column each word is. Both undefined: the words are the columns.
struct Columns {
  int64_t first, count;       // the place of column 0 in its block
  Tensor word = {};           // i64 [B, G]
  Tensor there = {};          // bool [B, G]: false for a column without a word
  Tensor column = {};         // i64 [B, T]
  std::vector<int64_t> next;  // the place of the next word of each sentence
};

Columns columns_of(const Tensor& given, const std::vector<int64_t>& places, int64_t T, int64_t C) {
  const auto B = static_cast<int64_t>(places.size());
  const Tensor words = given.defined() ? given.contiguous() : Tensor::full({B, T}, 1, DType::boolean);
  Columns c{*std::min_element(places.begin(), places.end()), 1, {}, {}, {}, {}};
  std::vector<int64_t> column, ends;
  bool alike = true;
  for (int64_t b = 0; b < B; ++b) {
    int64_t at = places[static_cast<size_t>(b)] - c.first;
    alike = alike && at == 0;
    for (int64_t t = 0; t < T; ++t) {
      const bool word = words.data<bool>()[b * T + t];
      column.push_back(word ? at++ : 0);
      alike = alike && word;
    }
    ends.push_back(at);
    c.next.push_back((c.first + at) % C);
    c.count = std::max(c.count, at);
  }
  if (alike) return c;
  std::vector<int64_t> word(static_cast<size_t>(B * c.count), 0);
  std::vector<double> there(word.size(), 0);
  for (int64_t b = 0; b < B; ++b)
    for (int64_t t = 0; t < T; ++t)
      if (words.data<bool>()[b * T + t]) {
        const auto i = static_cast<size_t>(b * c.count + column[static_cast<size_t>(b * T + t)]);
        word[i] = t, there[i] = 1;
      }
  c.word = Tensor::from(word, {B, c.count});
  c.there = Tensor::from(there, {B, c.count}).to(DType::boolean);
  c.column = Tensor::from(column, {B, T});
  return c;
}

Variable rows_at(const Variable& x, const Tensor& index) {  // x [B, T, D], index [B, N] -> [B, N, D]
  return gather(x, 1, index.unsqueeze(-1).expand({index.size(0), index.size(1), x.size(2)}).contiguous());
}

}  // namespace

Variable BlockMixer::Piece::after(const Variable& ended, const Variable& open) const {
  if (!ends()) return open;
  return words.defined() ? where(words.slice(2, columns() - 1, columns()), ended, open) : ended;
}

Variable BlockMixer::Piece::words_of(const Variable& x) const {
  return words.defined() ? masked_fill(x, logical_not(words), 0) : x;
}

Variable BlockMixer::Piece::placed(const Variable& open, const Variable& x) const {
  const int64_t to = from + columns();
  return concat({slice(open, 2, 0, from), words.defined() ? where(words, x, slice(open, 2, from, to)) : x,
                 slice(open, 2, to, size)},
                2);
}

Variable BlockMixer::pass(const Variable& x, const Tensor& words, int64_t, std::vector<Variable>& state) const {
  const int64_t B = x.size(0), T = x.size(1), C = block();
  std::vector<int64_t> places(static_cast<size_t>(B), 0);
  if (state.empty()) {
    state = start(B, x.dtype());
  } else {
    for (int64_t b = 0; b < B; ++b)
      places[static_cast<size_t>(b)] = static_cast<int64_t>(state.back().value().at({b, 0}));
    state.pop_back();
  }
  Columns c = columns_of(words, places, T, C);
  const bool moved = c.word.defined();
  Variable seen = moved ? masked_fill(rows_at(x, c.word), logical_not(c.there).unsqueeze(-1), 0) : x;
  const std::vector<Variable> all = parts(seen, c.there);
  std::vector<Variable> outputs;
  for (int64_t at = 0, to = 0, G = moved ? c.count : T; at < G; at = to) {
    Piece piece{{}, (c.first + at) % C, C, {}};
    to = std::min(G, at + C - piece.from);
    for (const Variable& part : all) piece.parts.push_back(slice(part, 2, at, to));
    if (moved) piece.words = c.there.slice(1, at, to).contiguous().unsqueeze(1).unsqueeze(-1);
    outputs.push_back(read(piece, state));
  }
  Tensor next = Tensor::zeros({B, 1}, x.dtype());
  for (int64_t b = 0; b < B; ++b) next.set({b, 0}, static_cast<double>(c.next[static_cast<size_t>(b)]));
  state.emplace_back(next);
  Variable o = join_heads(concat(outputs, 2));
  return finished(x, moved ? words_only(rows_at(o, c.column), words) : o);
}

}  // namespace heed::nn
