// Rewriting, cutting and joining texts together with their spans.
#include "nn/text/aligned_text.h"

#include <fmt/format.h>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::text {

namespace {

constexpr size_t most_growth = 64;

}  // namespace

Pattern characters(bool (*wanted)(char32_t)) {
  return [wanted](std::string_view text) {
    std::vector<Stretch> found;
    for (size_t at = 0, begin = 0; at < text.size(); begin = at) {
      bool match = wanted(next(text, at));
      if (!match && !found.empty() && !found.back().matched)
        found.back().end = at;
      else
        found.push_back({begin, at, match});
    }
    return found;
  };
}

Pattern literal(std::string wanted) {
  return [wanted](std::string_view text) {
    std::vector<Stretch> found;
    size_t at = 0;
    while (at < text.size()) {
      size_t next = wanted.empty() ? text.npos : text.find(wanted, at);
      if (next == text.npos) next = text.size();
      if (next > at) found.push_back({at, next, false});
      if (next < text.size()) found.push_back({next, next + wanted.size(), true});
      at = next + wanted.size();
    }
    return found;
  };
}

void AlignedText::become(std::string text, std::vector<Span> from) {
  if (text.size() > longest_)
    throw InputError(fmt::format("normalize: a text must not become more than {} times as long; got {} bytes",
                                 most_growth, text.size()));
  text_ = std::move(text), from_ = std::move(from);
}

AlignedText::AlignedText(std::string_view input) : text_(input), longest_(most_growth * (input.size() + 1000)) {
  from_.reserve(input.size());
  uint32_t place = 0;
  for (size_t at = 0; at < input.size(); ++place) {
    next(input, at);
    from_.resize(at, {place, place + 1});
  }
}

Span AlignedText::span(size_t begin, size_t end) const {
  if (begin >= end || end > from_.size()) return {begin_, begin_};
  return {from_[begin].begin, from_[end - 1].end};
}

void AlignedText::rewrite(const std::vector<Change>& changes, size_t dropped_first) {
  std::string text;
  std::vector<Span> from;
  text.reserve(text_.size()), from.reserve(from_.size());
  size_t at = 0;
  auto drop = [&](size_t characters) {
    while (characters-- > 0 && at < text_.size()) next(text_, at);
  };
  drop(dropped_first);
  for (const Change& c : changes) {
    Span span{begin_, begin_};
    if (c.change <= 0 && at < from_.size())
      span = from_[at];
    else if (at > 0)
      span = from_[at - 1];
    append(text, c.character);
    from.resize(text.size(), span);
    if (c.change <= 0) drop(static_cast<size_t>(1 - c.change));
  }
  become(std::move(text), std::move(from));
}

void AlignedText::keep_if(const std::function<bool(char32_t)>& wanted) {
  std::vector<Change> changes;
  size_t dropped_first = 0;
  for (size_t at = 0; at < text_.size();) {
    char32_t c = next(text_, at);
    if (wanted(c))
      changes.push_back({c, 0});
    else if (changes.empty())
      ++dropped_first;
    else
      --changes.back().change;
  }
  rewrite(changes, dropped_first);
}

void AlignedText::map(char32_t (*to)(char32_t)) {
  std::vector<Change> changes;
  for (size_t at = 0; at < text_.size();) changes.push_back({to(next(text_, at)), 0});
  rewrite(changes);
}

void AlignedText::prepend(std::string_view text) {
  if (text_.empty()) return;
  text_.insert(0, text);
  from_.insert(from_.begin(), text.size(), Span(from_.front()));
}

void AlignedText::replace(const Pattern& pattern, std::string_view with) {
  std::string text;
  std::vector<Span> from;
  for (const Stretch& s : pattern(text_)) {
    size_t last = s.end > 0 ? s.end - 1 : 0;  // all that is new comes from the last byte of what it replaces
    if (s.matched) {
      text += with;
      from.resize(text.size(), from_.empty() ? Span{begin_, begin_} : from_[last]);
    } else {
      text.append(text_, s.begin, s.end - s.begin);
      from.insert(from.end(), from_.begin() + static_cast<std::ptrdiff_t>(s.begin),
                  from_.begin() + static_cast<std::ptrdiff_t>(s.end));
    }
  }
  become(std::move(text), std::move(from));
}

AlignedText AlignedText::part(size_t begin, size_t end) const {
  AlignedText result;
  result.text_ = text_.substr(begin, end - begin);
  result.from_.assign(from_.begin() + static_cast<std::ptrdiff_t>(begin),
                      from_.begin() + static_cast<std::ptrdiff_t>(end));
  result.begin_ = span(begin, end).begin;
  result.longest_ = longest_;
  return result;
}

std::vector<AlignedText> AlignedText::split(const Pattern& pattern, Behaviour behaviour) const {
  std::vector<Stretch> cuts;
  bool before = false;  // did the stretch before this one match, and was it left alone?
  for (const Stretch& s : pattern(text_)) {
    bool joins = false;
    if (behaviour == Behaviour::removed && s.matched) continue;
    if (behaviour == Behaviour::with_previous) joins = s.matched && !before;
    if (behaviour == Behaviour::contiguous) joins = s.matched == before;
    if (joins && !cuts.empty())
      cuts.back().end = s.end;
    else
      cuts.push_back(s);
    before = s.matched;
  }
  if (behaviour == Behaviour::with_next) {  // a match joins what follows it, but not another match
    std::vector<Stretch> joined;
    for (const Stretch& s : cuts) {
      if (!joined.empty() && joined.back().matched && !s.matched)
        joined.back() = {joined.back().begin, s.end, false};
      else
        joined.push_back(s);
    }
    cuts = std::move(joined);
  }
  std::vector<AlignedText> parts;
  parts.reserve(cuts.size());
  for (const Stretch& s : cuts)
    if (s.end > s.begin) parts.push_back(part(s.begin, s.end));
  return parts;
}

}  // namespace heed::text
