#include "nn/tokenizers/text_stream.h"

#include <algorithm>
#include <string_view>

namespace heed::tokenizers {
namespace {

// The number of bytes at the end of the text that may be the beginning of a stop.
size_t beginning_of_a_stop(std::string_view text, const std::vector<std::string>& stops) {
  size_t longest = 0;
  for (const std::string& stop : stops)
    for (size_t n = std::min(text.size(), stop.size() - 1); n > longest; --n)
      if (text.ends_with(std::string_view(stop).substr(0, n))) longest = n;
  return longest;
}

}  // namespace

TextStream::TextStream(const PublishedTokenizer& tokenizer, std::vector<int64_t> before, std::vector<std::string> stop)
    : tokenizer_(tokenizer), ids_(std::move(before)), stop_(std::move(stop)) {
  std::erase(stop_, "");
  before_ = decoded();
}

// Spaces before punctuation stay: taking one out would change what has been shown.
std::string TextStream::decoded() const {
  const std::string all = tokenizer_.decode(ids_, {.skip_special = true, .clean_up = false});
  return all.starts_with(before_) ? all.substr(before_.size()) : all;
}

std::string TextStream::show(const std::string& text) {
  if (!text.starts_with(shown_)) return "";  // a byte that belongs to no character has taken others with it
  std::string news = text.substr(shown_.size());
  shown_ = text;
  return news;
}

std::string TextStream::add(int64_t id) {
  if (stopped_) return "";
  ids_.push_back(id);
  constexpr std::string_view kUnknown = "\uFFFD";
  std::string text = decoded();
  while (text.ends_with(kUnknown)) text.resize(text.size() - kUnknown.size());
  size_t stop = text.npos;
  for (const std::string& one : stop_) stop = std::min(stop, text.find(one));
  stopped_ = stop != text.npos;
  text.resize(stopped_ ? stop : text.size() - beginning_of_a_stop(text, stop_));
  return show(text);
}

std::string TextStream::rest() { return stopped_ ? "" : show(decoded()); }

}  // namespace heed::tokenizers
