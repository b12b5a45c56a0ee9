// The letters that the grammar of lesson 27 uses, as symbols, and its sentences in them: what the GPT of
// ./heed generate --mine reads and writes.
//
//   grammar    the dog sleeps </s>          ids of words
//   letters    t h e _ d o g _ s l e e p s  ids of letters, without <s> and </s>; a space between two words
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tensor/error.h"
#include "tutorials/27_decoder/grammar.h"
#include "tutorials/app/mine/pieces.h"

namespace heed::app {

class Letters {
 public:
  static constexpr size_t kLongest = 1000;  // of a text

  explicit Letters(const speaking::Grammar& grammar) : grammar_(grammar) {
    std::string all = " ";
    for (int64_t w = data::Symbols::specials; w < grammar.words().size(); ++w) all += grammar.words().name(w);
    std::ranges::sort(all);
    std::vector<std::string> names;
    for (char c : all)
      if (names.empty() || names.back()[0] != c) names.emplace_back(1, c);
    symbols_ = data::Symbols(names);
  }
  int64_t size() const { return symbols_.size(); }
  const std::string& name(int64_t id) const { return symbols_.name(id); }
  std::string text(const Pieces::Ids& letters) const {
    std::string out;
    for (int64_t id : letters) out += name(id);
    return out;
  }
  Pieces::Ids ids(const std::string& text) const {  // InputError for a letter that the grammar does not have
    if (text.size() > kLongest)
      throw InputError(
          fmt::format("generate --mine: a text may have at most {} letters; got {}", kLongest, text.size()));
    Pieces::Ids out;
    for (char c : text) {
      std::optional<int64_t> id;
      for (int64_t i = data::Symbols::specials; i < size(); ++i)
        if (name(i)[0] == c) id = i;
      if (!id)
        throw InputError(fmt::format(
            "generate --mine: the model knows the letters of its grammar, a to z without {}, and spaces; got \"{}\"",
            missing(), text));
      out.push_back(*id);
    }
    return out;
  }
  Pieces::Ids draw(Generator& rng) const { return ids(grammar_.text(grammar_.draw(rng))); }
  bool grammatical(const Pieces::Ids& letters) const {
    Pieces::Ids sentence;
    const std::string all = text(letters) + " ";
    for (size_t begin = 0, end; (end = all.find(' ', begin)) != std::string::npos; begin = end + 1) {
      const std::string word = all.substr(begin, end - begin);
      int64_t id = data::Symbols::specials;
      while (id < grammar_.words().size() && grammar_.words().name(id) != word) ++id;
      if (id == grammar_.words().size()) return false;
      sentence.push_back(id);
    }
    sentence.push_back(text::Vocabulary::stop);
    return std::isfinite(grammar_.log_p(sentence));
  }

 private:
  std::string missing() const {
    std::string all;
    for (char c = 'a'; c <= 'z'; ++c) {
      bool has = false;
      for (int64_t i = data::Symbols::specials; i < size(); ++i) has = has || name(i)[0] == c;
      if (!has) all += c;
    }
    return all;
  }
  const speaking::Grammar& grammar_;
  data::Symbols symbols_;
};

}  // namespace heed::app
