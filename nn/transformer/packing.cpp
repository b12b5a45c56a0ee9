#include "nn/transformer/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "nn/text/vocabulary.h"
#include "tensor/error.h"

namespace heed::nn {
namespace {

void require_segments(const char* name, const Tensor& segments) {
  if (segments.rank() != 2 || segments.dtype() != DType::i64)
    throw ShapeError(fmt::format("{}: segments must be [R, T] i64; got {} {}", name, name_of(segments.dtype()),
                                 to_string(segments.shape())));
}

}  // namespace

Packed pack(const std::vector<std::vector<int64_t>>& sentences, const std::vector<std::vector<size_t>>& rows) {
  size_t width = 0;
  for (const auto& row : rows) {
    size_t words = 0;
    for (size_t i : row) {
      if (i >= sentences.size())
        throw IndexError(fmt::format("pack: no such sentence; got {} of {}", i, sentences.size()));
      words += sentences[i].size();
    }
    width = std::max(width, words);
  }
  Shape shape{static_cast<int64_t>(rows.size()), static_cast<int64_t>(width)};
  Packed out{Tensor::full(shape, text::Vocabulary::pad, DType::i64), Tensor::zeros(shape, DType::i64)};
  for (size_t r = 0; r < rows.size(); ++r) {
    auto* ids = out.ids.data<int64_t>() + r * width;
    auto* segments = out.segments.data<int64_t>() + r * width;
    int64_t number = 0;
    for (size_t i : rows[r]) {
      ++number;
      for (int64_t word : sentences[i]) *ids++ = word, *segments++ = number;
    }
  }
  return out;
}

std::vector<std::vector<size_t>> rows_of(const std::vector<std::vector<int64_t>>& lengths, int64_t width) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  auto longest = [&](size_t i) {
    return lengths[i].empty() ? 0 : *std::max_element(lengths[i].begin(), lengths[i].end());
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return longest(a) > longest(b); });
  std::vector<std::vector<size_t>> rows;
  std::vector<std::vector<int64_t>> used;  // used words: for each row, one per kind of length
  for (size_t i : order) {
    auto fits = [&](const std::vector<int64_t>& row) {
      for (size_t k = 0; k < lengths[i].size(); ++k)
        if (row[k] + lengths[i][k] > width) return false;
      return true;
    };
    size_t r = static_cast<size_t>(std::find_if(used.begin(), used.end(), fits) - used.begin());
    if (r == rows.size()) rows.emplace_back(), used.emplace_back(lengths[i].size());
    rows[r].push_back(i);
    for (size_t k = 0; k < lengths[i].size(); ++k) used[r][k] += lengths[i][k];
  }
  return rows;
}

Tensor segment_places(const Tensor& segments_) {
  require_segments("segment_places", segments_);
  Tensor segments = segments_.contiguous(), places = Tensor::zeros(segments.shape(), DType::i64);
  int64_t T = segments.size(1);
  for (int64_t r = 0; r < segments.size(0); ++r) {
    const int64_t* s = segments.data<int64_t>() + r * T;
    int64_t* p = places.data<int64_t>() + r * T;
    for (int64_t t = 1; t < T; ++t) p[t] = s[t] == s[t - 1] && s[t] != 0 ? p[t - 1] + 1 : 0;
  }
  return places;
}

Tensor same_segment(const Tensor& queries_, const Tensor& keys_) {
  require_segments("same_segment", queries_);
  require_segments("same_segment", keys_);
  if (queries_.size(0) != keys_.size(0))
    throw ShapeError(fmt::format("same_segment: queries and keys must have as many rows; got {} and {}",
                                 to_string(queries_.shape()), to_string(keys_.shape())));
  Tensor queries = queries_.contiguous(), keys = keys_.contiguous();
  int64_t R = queries.size(0), T = queries.size(1), S = keys.size(1);
  Tensor allowed = Tensor::empty({R, T, S}, DType::boolean);
  bool* out = allowed.data<bool>();
  for (int64_t r = 0; r < R; ++r)
    for (int64_t t = 0; t < T; ++t) {
      int64_t mine = queries.data<int64_t>()[r * T + t];
      for (int64_t s = 0; s < S; ++s) *out++ = mine != 0 && mine == keys.data<int64_t>()[r * S + s];
    }
  return allowed;
}

}  // namespace heed::nn
