#include "nn/data/tasks/tasks.h"

#include <fmt/format.h>

#include <utility>

#include "nn/text/vocabulary.h"
#include "tensor/error.h"

namespace heed::data {

static_assert(text::Vocabulary::pad == 0 && text::Vocabulary::unk == 1 && text::Vocabulary::start == 2 &&
              text::Vocabulary::stop == 3 && text::Vocabulary::specials == Symbols::specials);

Symbols::Symbols(const std::vector<std::string>& names) : names_{"<pad>", "<unk>", "<s>", "</s>"} {
  for (const std::string& name : names) {
    if (!ids_.emplace(name, size()).second)
      throw ValueError(fmt::format("symbols: each must be given once; got \"{}\" twice", name));
    names_.push_back(name);
  }
}

int64_t Symbols::id(std::string_view name) const {
  auto found = ids_.find(std::string(name));
  if (found == ids_.end()) throw ValueError(fmt::format("symbols: must be one of the task's; got \"{}\"", name));
  return found->second;
}

const std::string& Symbols::name(int64_t id) const {
  if (id < 0 || id >= size()) throw IndexError(fmt::format("symbols: an id must lie in [0, {}); got {}", size(), id));
  return names_[static_cast<size_t>(id)];
}

std::vector<int64_t> Symbols::encode(const std::vector<std::string>& tokens) const {
  std::vector<int64_t> ids;
  ids.reserve(tokens.size() + 1);  // with room for </s>
  for (const std::string& token : tokens) ids.push_back(id(token));
  return ids;
}

std::vector<std::string> Symbols::decode(const std::vector<int64_t>& ids) const {
  std::vector<std::string> tokens;
  for (int64_t id : ids) {
    if (id == text::Vocabulary::stop) break;
    if (id != text::Vocabulary::pad && id != text::Vocabulary::start) tokens.push_back(name(id));
  }
  return tokens;
}

EncodedPair Task::encode(const AlignedPair& pair, EncodeOptions options) const {
  EncodedPair encoded{source.encode(pair.source), target.encode(pair.target)};
  if (options.append_stop) encoded.source.push_back(text::Vocabulary::stop);
  return encoded;
}

std::vector<EncodedPair> Task::encode(const std::vector<AlignedPair>& pairs, EncodeOptions options) const {
  std::vector<EncodedPair> encoded;
  encoded.reserve(pairs.size());
  for (const AlignedPair& pair : pairs) encoded.push_back(encode(pair, options));
  return encoded;
}

LabelBatch label_batch(const std::vector<EncodedPair>& pairs, std::vector<int64_t> members) {
  Batch batch = make_batch(pairs, std::move(members));
  std::vector<int64_t> labels;
  for (int64_t m : batch.members) {
    const std::vector<int64_t>& answer = pairs[static_cast<size_t>(m)].target;
    if (answer.size() != 1)
      throw ValueError(fmt::format("label_batch: an answer must be one symbol; got {} in pair {}", answer.size(), m));
    labels.push_back(answer[0] - Symbols::specials);
  }
  auto B = static_cast<int64_t>(labels.size());
  return {batch.source, batch.lengths, Tensor::from(labels, {B}), std::move(batch.members)};
}

}  // namespace heed::data
