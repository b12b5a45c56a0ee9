#include "nn/data/masked_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensor/error.h"

namespace heed::data {
namespace {

void require(const MaskingOptions& o) {
  bool share = o.share >= 0 && o.share <= 1;
  if (!share || !(o.hidden >= 0) || !(o.exchanged >= 0) || o.hidden + o.exchanged > 1 + 1e-9)
    throw ValueError(
        fmt::format("mask_words: shares must lie in [0, 1], hidden and exchanged together too; got share {}, hidden "
                    "{}, exchanged {}",
                    o.share, o.hidden, o.exchanged));
  if (o.first_word < 0 || o.vocabulary < o.first_word + 2)
    throw ValueError(
        fmt::format("mask_words: needs at least two words to choose from; got a vocabulary of {} with {} "
                    "specials",
                    o.vocabulary, o.first_word));
}

}  // namespace

MaskedText mask_words(const std::vector<int64_t>& ids, const MaskingOptions& o, Generator random) {
  require(o);
  std::vector<int64_t> places;  // positions of words
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] >= o.first_word) places.push_back(static_cast<int64_t>(i));
  if (places.empty()) throw ValueError("mask_words: a text must have a word to ask for; got none");
  auto n = static_cast<int64_t>(places.size());
  auto k = std::max<int64_t>(1, std::llround(o.share * static_cast<double>(n)));
  for (int64_t i = 0; i < k; ++i)  // the first k steps of a shuffle
    std::swap(places[static_cast<size_t>(i)], places[static_cast<size_t>(i + random.below(n - i))]);
  places.resize(static_cast<size_t>(k));
  std::sort(places.begin(), places.end());
  MaskedText text{.ids = ids, .places = std::move(places), .words = {}};
  for (int64_t place : text.places) {
    int64_t& id = text.ids[static_cast<size_t>(place)];
    text.words.push_back(id);
    double chance = random.uniform();
    if (chance < o.hidden) {
      id = o.mask;
    } else if (chance < o.hidden + o.exchanged) {
      int64_t other = o.first_word + random.below(o.vocabulary - o.first_word - 1);
      id = other < id ? other : other + 1;  // any word but itself
    }
  }
  return text;
}

Generator masking_generator(const MaskingOptions& o, int64_t epoch, int64_t text) {
  // Each text has 2^20 numbers of the stream to itself and uses far fewer.
  return Generator(o.seed + 0x9E3779B97F4A7C15u * static_cast<uint64_t>(epoch + 1), static_cast<uint64_t>(text) << 20);
}

Batch masked_batch(const std::vector<EncodedPair>& texts, std::vector<int64_t> members, const MaskingOptions& o,
                   int64_t epoch, const Widths& least) {
  std::vector<EncodedPair> masked;
  std::vector<std::vector<int64_t>> places;
  std::vector<int64_t> words, flat;
  for (int64_t m : members) {
    if (m < 0 || m >= std::ssize(texts))
      throw IndexError(fmt::format("masked_batch: a member must lie in [0, {}); got {}", texts.size(), m));
    MaskedText text = mask_words(texts[static_cast<size_t>(m)].source, o, masking_generator(o, epoch, m));
    masked.push_back({std::move(text.ids), {}});
    places.push_back(std::move(text.places));
    words.insert(words.end(), text.words.begin(), text.words.end());
  }
  std::vector<int64_t> all(masked.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  Batch batch = make_batch(masked, std::move(all), {.source = least.source});
  int64_t S = batch.source.size(1);
  for (size_t b = 0; b < places.size(); ++b)
    for (int64_t s : places[b]) flat.push_back(static_cast<int64_t>(b) * S + s);
  batch.tokens = std::ssize(words);
  batch.target_in = Tensor::from(flat, {batch.tokens});
  batch.target_out = Tensor::from(words, {batch.tokens});
  batch.members = std::move(members);
  return batch;
}

std::vector<int64_t> marked(const TextMarks& marks, const std::vector<int64_t>& first,
                            const std::vector<int64_t>& second) {
  std::vector<int64_t> ids{marks.cls};
  ids.insert(ids.end(), first.begin(), first.end());
  ids.push_back(marks.sep);
  if (second.empty()) return ids;
  ids.insert(ids.end(), second.begin(), second.end());
  ids.push_back(marks.sep);
  return ids;
}

Tensor segment_kinds(const Tensor& ids_, int64_t sep) {
  if (ids_.rank() != 2 || ids_.dtype() != DType::i64)
    throw ShapeError(
        fmt::format("segment_kinds: needs ids [B, S] i64; got {} {}", name_of(ids_.dtype()), to_string(ids_.shape())));
  Tensor ids = ids_.contiguous(), kinds = Tensor::zeros(ids.shape(), DType::i64);
  for (int64_t b = 0, S = ids.size(1); b < ids.size(0); ++b)
    for (int64_t s = 1; s < S; ++s) {
      int64_t at = b * S + s;
      kinds.data<int64_t>()[at] = kinds.data<int64_t>()[at - 1] | (ids.data<int64_t>()[at - 1] == sep ? 1 : 0);
    }
  return kinds;
}

}  // namespace heed::data
