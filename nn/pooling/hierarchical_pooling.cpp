#include "nn/pooling/hierarchical_pooling.h"

#include <algorithm>

#include "autograd/ops.h"

namespace heed::nn {
namespace {

HierarchyLevelOptions level(const PoolerOptions& o, bool first) {
  auto [segment, hidden, attention] = o.settings.as<HierarchicalPooling::Settings>();
  if (hidden == 0) hidden = std::max<int64_t>(1, o.width / 2);
  return {.input = first ? o.width : 2 * hidden, .hidden = hidden, .attention = attention ? attention : 2 * hidden};
}

// Rows of different lengths: the indices that each row reads from x, gathered into one padded tensor.
struct Ragged {
  std::vector<std::vector<int64_t>> rows = {};
  Tensor lengths() const {
    std::vector<int64_t> n;
    for (const auto& row : rows) n.push_back(std::ssize(row));
    return Tensor::from(n, {std::ssize(n)});
  }
  // x [V, D] -> [rows, longest, D], with 0 where a row has ended
  Variable of(const Variable& x) const {
    size_t longest = 0;
    for (const auto& row : rows) longest = std::max(longest, row.size());
    std::vector<int64_t> at;
    for (const auto& row : rows) {
      at.insert(at.end(), row.begin(), row.end());
      at.insert(at.end(), longest - row.size(), x.size(0));
    }
    Variable with_zero = concat({x, Variable(Tensor::zeros({1, x.size(1)}, x.dtype()))}, 0);
    return index_select(with_zero, Tensor::from(at, {std::ssize(rows), static_cast<int64_t>(longest)}));
  }
};

}  // namespace

HierarchicalPooling::HierarchicalPooling(const PoolerOptions& o, Generator& rng)
    : segment(o.settings.as<Settings>().segment),
      level_words(level(o, true), rng),
      level_segments(level(o, false), rng) {}

Variable HierarchicalPooling::operator()(const Variable& x, const Tensor& words) const {
  Call call(*this);
  int64_t B = x.size(0), S = x.size(1), D = x.size(2);
  Tensor real = words.defined() ? words.contiguous() : Tensor();
  Ragged segments, documents, results;  // results: the row of each sentence among the documents, or none
  for (int64_t b = 0; b < B; ++b) {
    int64_t n = 0;
    std::vector<int64_t> own;
    for (int64_t s = 0; s < S; ++s) {
      if (real.defined() && !real.data<bool>()[b * S + s]) continue;
      if (n++ % segment == 0) own.push_back(std::ssize(segments.rows)), segments.rows.emplace_back();
      segments.rows.back().push_back(b * S + s);
    }
    results.rows.push_back(n > 0 ? std::vector<int64_t>{std::ssize(documents.rows)} : std::vector<int64_t>{});
    if (n > 0) documents.rows.push_back(own);
  }
  if (documents.rows.empty()) return Variable(Tensor::zeros({B, width()}, x.dtype()));
  Attended read = level_words(segments.of(reshape(x, {B * S, D})), segments.lengths());  // [R, 2N]
  Attended joined = level_segments(documents.of(read.context), documents.lengths());     // [B', 2N]
  return call.result("context", squeeze(results.of(joined.context), 1));
}

}  // namespace heed::nn
