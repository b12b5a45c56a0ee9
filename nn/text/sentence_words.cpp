#include "nn/text/sentence_words.h"

#include <algorithm>
#include <utility>

namespace heed::text {

SentenceWords::SentenceWords(const Vocabulary& vocabulary, const std::vector<std::string>& source)
    : vocabulary_(vocabulary), source_(source) {
  for (const std::string& word : source_)
    if (!vocabulary_.contains(word) && std::find(unknown_.begin(), unknown_.end(), word) == unknown_.end())
      unknown_.push_back(word);
}

std::vector<int64_t> SentenceWords::encode(const std::vector<std::string>& target) const {
  std::vector<int64_t> ids;
  for (const std::string& word : target) {
    auto found = std::find(unknown_.begin(), unknown_.end(), word);
    ids.push_back(found == unknown_.end() ? vocabulary_.id(word) : vocabulary_.size() + (found - unknown_.begin()));
  }
  return ids;
}

std::vector<int64_t> SentenceWords::source() const {
  std::vector<int64_t> ids = encode(source_);
  ids.push_back(Vocabulary::stop);
  return ids;
}

const std::string& SentenceWords::token(int64_t id) const {
  int64_t V = vocabulary_.size();
  if (id < V) return vocabulary_.token(id);
  auto place = static_cast<size_t>(id - V);
  return place < unknown_.size() ? unknown_[place] : vocabulary_.token(Vocabulary::unk);
}

}  // namespace heed::text
