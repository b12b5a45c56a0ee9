#include "tutorials/app/look_without.h"

#include <fmt/format.h>

#include <set>

#include "tensor/error.h"

namespace heed::app {
namespace {

int64_t number_at(const std::string& text, size_t& at) {  // -1: there is none
  size_t end = at;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9' && end - at < 7) ++end;
  const int64_t number = end > at ? std::stoll(text.substr(at, end - at)) : -1;
  at = end;
  return number;
}

std::vector<std::string> between_commas(const std::string& text) {
  std::vector<std::string> items;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    items.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return items;
}

}  // namespace

std::vector<LookHead> heads_in(const std::string& text, const LookSubject& subject) {
  const std::vector<LookAttention>& attentions = subject.attentions();
  std::vector<LookHead> heads;
  for (const std::string& item : between_commas(text)) {
    const size_t colon = item.find(':');
    const std::string name = colon == std::string::npos ? "" : item.substr(0, colon);
    size_t at = colon == std::string::npos ? 0 : colon + 1;
    const int64_t layer = number_at(item, at);
    const bool dot = at < item.size() && item[at] == '.';
    at += dot;
    const int64_t head = dot ? number_at(item, at) : -1;
    if (layer < 0 || head < 0 || at != item.size()) {
      const LookAttention& last = attentions.back();
      throw InputError(fmt::format("look: --without needs heads as layer.head, counted from 0; got \"{}\"; hint: {}",
                                   text, subject.name_of({last.name, std::ssize(last.weights) - 1, last.heads - 1})));
    }
    std::string names;
    const LookAttention* of = attentions.size() == 1 && name.empty() ? &attentions.front() : nullptr;
    for (const LookAttention& one : attentions) {
      names += (names.empty() ? "" : ", ") + one.name;
      if (one.name == name) of = &one;
    }
    if (!of)
      throw InputError(
          fmt::format("look: --without must say of which attention a head is, {}; got \"{}\"; hint: {}:{}.{}", names,
                      item, attentions.back().name, layer, head));
    const auto layers = static_cast<int64_t>(of->weights.size());
    if (layer >= layers || head >= of->heads)
      throw InputError(
          fmt::format("look: --without needs a head of {} layer{} with {} head{} each, counted from 0; got {}", layers,
                      layers == 1 ? "" : "s", of->heads, of->heads == 1 ? "" : "s", item));
    heads.push_back({of->name, layer, head});
  }
  return heads;
}

void hide_words(const std::string& text, const LookSubject& subject, LookWithout& without) {
  const LookWords &source = subject.source(), &target_words = subject.target();
  for (const std::string& item : between_commas(text)) {
    const size_t colon = item.find(':');
    const std::string side = colon == std::string::npos ? "" : item.substr(0, colon);
    size_t at = colon == std::string::npos ? 0 : colon + 1;
    const int64_t word = number_at(item, at);
    const bool target = side.empty() ? source.size() == 0 : side == "target";
    const LookWords& words = target ? target_words : source;
    const bool asks = target == subject.asks_target();
    if (!side.empty() && ((side != "target" && side != "source") || words.size() == 0))
      throw InputError(fmt::format("look: --hide must say of which side a word is, {}; got \"{}\"",
                                   source.size() == 0                                      ? "target here"
                                   : target_words.size() == 0 || subject.model().recurrent ? "source here"
                                                                                           : "source or target",
                                   item));
    if (word < 0 || at != item.size() || word >= words.size())
      throw InputError(
          fmt::format("look: --hide needs numbers of the {} {} words, counted from 0; got \"{}\"; hint: {}",
                      words.size(), target ? "target" : "source", text, asks && subject.asking() == 0 ? 1 : 0));
    if (target && subject.model().recurrent)
      throw InputError(fmt::format(
          "look: --hide takes words of the source here: the decoder is recurrent, and reads its own words one "
          "after another; got \"{}\"",
          item));
    if (word == subject.asking() && asks)
      throw InputError(fmt::format("look: --hide cannot hide the word that asks; got {}, which is \"{}\"", word,
                                   words.shown[static_cast<size_t>(word)]));
    (target ? without.target : without.source).push_back(word);
  }
  const std::set<int64_t> all(without.source.begin(), without.source.end());
  if (source.size() > 0 && static_cast<int64_t>(all.size()) == source.size())
    throw InputError(fmt::format("look: --hide must leave at least one word; got all {}", source.size()));
}

}  // namespace heed::app
