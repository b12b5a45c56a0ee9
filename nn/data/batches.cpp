#include "nn/data/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "nn/text/vocabulary.h"
#include "tensor/error.h"

namespace heed::data {
namespace {

constexpr int64_t kPoolBatches = 50;

using Members = std::vector<int64_t>;

Members all_members(const std::vector<EncodedPair>& pairs) {
  Members order(pairs.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void sort_by_length(const std::vector<EncodedPair>& pairs, Members::iterator begin, Members::iterator end) {
  auto key = [&](int64_t i) {
    const EncodedPair& p = pairs[static_cast<size_t>(i)];
    return std::pair(p.source.size(), p.target.size());
  };
  std::stable_sort(begin, end, [&](int64_t a, int64_t b) { return key(a) < key(b); });
}

std::vector<Members> cut(const Members& order, size_t begin, size_t end, int64_t batch_size) {
  std::vector<Members> batches;
  for (size_t i = begin; i < end; i += static_cast<size_t>(batch_size)) {
    size_t last = std::min(end, i + static_cast<size_t>(batch_size));
    batches.emplace_back(order.begin() + static_cast<int64_t>(i), order.begin() + static_cast<int64_t>(last));
  }
  return batches;
}

void require_batch_size(int64_t batch_size) {
  if (batch_size < 1) throw ValueError(fmt::format("batches: the batch size must be at least 1; got {}", batch_size));
}

Generator generator_of(uint64_t seed, int64_t epoch) {
  return Generator(seed + 0x9E3779B97F4A7C15u * static_cast<uint64_t>(epoch + 1));
}

}  // namespace

Widths widths_of(const std::vector<EncodedPair>& pairs, const std::vector<int64_t>& members) {
  Widths w;
  for (int64_t m : members) {
    const EncodedPair& p = pairs[static_cast<size_t>(m)];
    w.source = std::max(w.source, int64_t{std::ssize(p.source)});
    w.target = std::max(w.target, int64_t{std::ssize(p.target)} + 1);
  }
  return w;
}

Batch make_batch(const std::vector<EncodedPair>& pairs, std::vector<int64_t> members, const Widths& least) {
  if (members.empty()) throw ValueError("make_batch: needs at least one sentence; got none");
  auto B = static_cast<int64_t>(members.size());
  int64_t S = least.source, T = least.target;
  for (int64_t m : members) {
    if (m < 0 || std::cmp_greater_equal(m, pairs.size()))
      throw IndexError(fmt::format("make_batch: a member must lie in [0, {}); got {}", pairs.size(), m));
    const EncodedPair& p = pairs[static_cast<size_t>(m)];
    if (p.source.empty()) throw ValueError(fmt::format("make_batch: a source must not be empty; got sentence {}", m));
    S = std::max(S, static_cast<int64_t>(p.source.size()));
    T = std::max(T, static_cast<int64_t>(p.target.size()) + 1);
  }
  Batch batch;
  batch.source = Tensor::zeros({B, S}, DType::i64);  // <pad> has the id 0
  batch.lengths = Tensor::empty({B}, DType::i64);
  batch.target_in = Tensor::zeros({B, T}, DType::i64);
  batch.target_out = Tensor::zeros({B, T}, DType::i64);
  for (int64_t b = 0; b < B; ++b) {
    const EncodedPair& p = pairs[static_cast<size_t>(members[static_cast<size_t>(b)])];
    auto n = static_cast<int64_t>(p.target.size());
    std::copy(p.source.begin(), p.source.end(), batch.source.data<int64_t>() + b * S);
    batch.lengths.data<int64_t>()[b] = static_cast<int64_t>(p.source.size());
    int64_t *in = batch.target_in.data<int64_t>() + b * T, *out = batch.target_out.data<int64_t>() + b * T;
    in[0] = text::Vocabulary::start;
    std::copy(p.target.begin(), p.target.end(), in + 1);
    std::copy(p.target.begin(), p.target.end(), out);
    out[n] = text::Vocabulary::stop;
    batch.tokens += n + 1;
  }
  batch.members = std::move(members);
  return batch;
}

Batch make_source_batch(const std::vector<std::vector<int64_t>>& sources) {
  std::vector<EncodedPair> pairs;
  for (const auto& s : sources) pairs.push_back({s, {}});
  return make_batch(pairs, all_members(pairs));
}

std::vector<Members> epoch_batches(const std::vector<EncodedPair>& pairs, int64_t batch_size, uint64_t seed,
                                   int64_t epoch) {
  require_batch_size(batch_size);
  static_assert(text::Vocabulary::pad == 0);
  Generator rng = generator_of(seed, epoch);
  Members order = all_members(pairs);
  rng.shuffle(order);
  std::vector<Members> batches;
  auto pool = static_cast<size_t>(std::min(batch_size, static_cast<int64_t>(order.size()) + 1) * kPoolBatches);
  for (size_t begin = 0; begin < order.size(); begin += pool) {
    size_t end = std::min(order.size(), begin + pool);
    sort_by_length(pairs, order.begin() + static_cast<int64_t>(begin), order.begin() + static_cast<int64_t>(end));
    for (auto& b : cut(order, begin, end, batch_size)) batches.push_back(std::move(b));
  }
  rng.shuffle(batches);
  return batches;
}

std::vector<Members> token_batches(const std::vector<EncodedPair>& pairs, int64_t max_tokens, uint64_t seed,
                                   int64_t epoch) {
  auto length = [&](int64_t i) {
    const EncodedPair& p = pairs[static_cast<size_t>(i)];
    return static_cast<int64_t>(std::max(p.source.size(), p.target.size() + 1));
  };
  Generator rng = generator_of(seed, epoch);
  Members order = all_members(pairs);
  rng.shuffle(order);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return length(a) < length(b); });
  std::vector<Members> batches;
  for (int64_t i : order) {
    if (length(i) > max_tokens)
      throw ValueError(fmt::format("token_batches: a batch of {} tokens must hold the longest pair; got one of {}",
                                   max_tokens, length(i)));
    // The pairs are sorted by length, so this pair is the longest of its batch.
    if (batches.empty() || (static_cast<int64_t>(batches.back().size()) + 1) * length(i) > max_tokens)
      batches.emplace_back();
    batches.back().push_back(i);
  }
  rng.shuffle(batches);
  return batches;
}

std::vector<Members> sorted_batches(const std::vector<EncodedPair>& pairs, int64_t batch_size, int64_t max_tokens) {
  require_batch_size(batch_size);
  Members order = all_members(pairs);
  sort_by_length(pairs, order.begin(), order.end());
  if (max_tokens == 0) return cut(order, 0, order.size(), batch_size);
  std::vector<Members> batches;
  for (int64_t i : order) {  // this sentence is the longest so far
    int64_t length = std::ssize(pairs[static_cast<size_t>(i)].source);
    if (batches.empty() || std::ssize(batches.back()) == batch_size ||
        (std::ssize(batches.back()) + 1) * length > max_tokens)
      batches.emplace_back();
    batches.back().push_back(i);
  }
  return batches;
}

}  // namespace heed::data
