#include "tutorials/app/look_translator.h"

#include <algorithm>

#include "tutorials/app/translate_prompt.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

std::vector<std::string> words_of_line(const std::string& line, const text::Tokenizer& tokenizer, const char* which) {
  require_short(line);
  std::vector<std::string> words = tokenizer.split(line);
  if (words.empty()) refuse_empty(which);
  return words;
}

}  // namespace

TranslatorLook::TranslatorLook(nn::Translator translator, const LookOptions& o) : translator_(std::move(translator)) {
  kind = "next_word", asks_target = true;
  const nn::TranslatorParts& parts = translator_.parts;
  const int64_t places = translator_.model.max_positions();
  add_text(words_of_line(o.text, parts.tokenizers.source, "text"), parts.bpe, parts.source, *this, source);
  source.add(text::Vocabulary::stop, "</s>", true);
  require_places(source, places);
  target.add(text::Vocabulary::start, "<s>", true);
  if (o.second) {
    add_text(words_of_line(*o.second, parts.tokenizers.target, "second text"), parts.bpe, parts.target, *this, target);
  } else {
    const nn::Translation greedy = or_refuse([&] { return translator_.translate(o.text); });
    written = greedy.text;
    for (size_t i = 0; i + 1 < greedy.target.size(); ++i) {
      const int64_t id = parts.target.id(greedy.target[i]);
      target.add(id, legible(parts.target.token(id)), false);
    }
  }
  require_places(target, places);
  asking = target.size() - 1;
}

std::string TranslatorLook::label(int64_t number) const { return legible(translator_.parts.target.token(number)); }

void add_text(const std::vector<std::string>& words, const std::optional<text::Bpe>& bpe,
              const text::Vocabulary& vocabulary, LookModel& look, LookWords& to, int64_t side) {
  for (const std::string& piece : bpe ? bpe->segment(words) : words) {
    const int64_t id = vocabulary.id(piece);
    if (id == text::Vocabulary::unk && std::find(look.unknown.begin(), look.unknown.end(), piece) == look.unknown.end())
      look.unknown.push_back(piece);
    to.add(id, legible(vocabulary.token(id)), false, side);
  }
}

void require_short(const std::string& line) {
  if (const std::string fault = line_too_long(line); !fault.empty()) throw InputError("look: " + fault);
}

void require_rows(const nn::Pipeline& a, const std::string& where) {
  const nn::AttentionOptions& stages = a.stages;
  std::string what;
  if (!a.normaliser->row_wise() || !a.normaliser->rows_sum_to_one()) what = "normaliser " + stages.normaliser.name;
  if (!a.scope->rows_sum_to_one()) what = "scope " + stages.scope.name;
  if (a.evaluator && !a.evaluator->rows_sum_to_one()) what = "evaluator " + stages.evaluator.name;
  if (!what.empty())
    throw InputError(fmt::format(
        "look: the page needs rows of weights that sum to 1, each computed alone; got the {} in {}", what, where));
}

}  // namespace heed::app
