#include "nn/attention/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tensor/error.h"

namespace heed::nn {
namespace {

constexpr const char* kChosenByCall = "auto";

// Number of single-letter changes that lead from a to b (Levenshtein, 1966).
size_t edits(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

std::string nearest_of(const std::string& name, const std::vector<std::string>& names) {
  auto away = [&](const std::string& known) { return edits(name, known); };
  auto best =
      std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) { return away(a) < away(b); });
  bool near = best != names.end() && away(*best) <= std::max<size_t>(1, name.size() / 3);
  return near ? "; nearest: " + *best : "";
}

// Some C++ standard libraries (emscripten's) have no std::from_chars for double; strtod also accepts spaces, a plus and
// hexadecimal digits, which are refused here.
double number_in(const std::string& text, const std::string& whole) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  bool plain = !text.empty() && text[0] != '+' && text.find_first_not_of("0123456789+-.e") == std::string::npos;
  if (!plain || end != text.c_str() + text.size() || !std::isfinite(value))
    throw ValueError(fmt::format("attention: a setting must be a number; got `{}` in `{}`; hint: as in dilated:4,gap=2",
                                 text, whole));
  return value;
}

}  // namespace

std::string name_of(Kind kind) {
  static const char* const names[] = {"score",        "normaliser", "scope",       "position",      "evaluator",
                                      "structure",    "reader",     "regulariser", "training rule", "pooling",
                                      "block option", "control",    "output",      "memory",        "mixer"};
  return names[static_cast<size_t>(kind)];
}

bool can_be_built(const CatalogueEntry& e) {
  return e.score || e.scope || e.normaliser || e.position || e.evaluator || e.pooling || e.reader || e.memory ||
         e.mixer;
}

std::string own_case_row(const CatalogueEntry& e) {
  return (e.kind == Kind::position ? "MultiHeadAttention " : e.kind == Kind::mixer ? "Mixer " : "Attention ") + e.name;
}

std::string case_row(const CatalogueEntry& e) {
  if (!e.cases.empty()) return e.cases;
  bool stage = e.kind == Kind::score || e.kind == Kind::scope || e.kind == Kind::normaliser ||
               e.kind == Kind::position || e.kind == Kind::mixer;
  return stage && can_be_built(e) && !e.exempt.contains("gradient") ? own_case_row(e) : "";
}

const std::vector<CatalogueEntry>& stage_entries(Kind kind) {
  auto with_factory = [](std::vector<CatalogueEntry> rows, auto factory) {
    std::erase_if(rows, [&](const CatalogueEntry& e) { return !(e.*factory); });
    return rows;
  };
  static const std::map<Kind, std::vector<CatalogueEntry>> of = {
      {Kind::score, score_entries()},
      {Kind::scope, scope_entries()},
      {Kind::normaliser, normaliser_entries()},
      {Kind::position, position_entries()},
      {Kind::evaluator, evaluator_entries()},
      {Kind::mixer, mixer_entries()},
      {Kind::reader, with_factory(reader_entries(), &CatalogueEntry::reader)},
      {Kind::memory, with_factory(structure_entries(), &CatalogueEntry::memory)},
  };
  if (auto found = of.find(kind); found != of.end()) return found->second;
  throw ValueError(fmt::format(
      "attention: it has no stages of this kind; got {}; hint: poolings() has those of pooling", name_of(kind)));
}

std::vector<std::string> stage_names(const Stages& stages) {
  std::vector<std::string> names;
  if (stages.kind == Kind::evaluator) names.push_back(kChosenByCall);
  for (const CatalogueEntry& e : *stages.rows) {
    if (!can_be_built(e)) continue;
    names.push_back(e.name);
    names.insert(names.end(), e.variants.begin(), e.variants.end());
  }
  return names;
}

std::vector<std::string> embedding_positions() {
  std::vector<std::string> names;
  for (const CatalogueEntry& e : stage_entries(Kind::position))
    if (e.embedding_position) names.push_back(e.name);
  return names;
}

bool added_to_embedding(const std::string& position) {
  std::vector<std::string> names = embedding_positions();
  return std::find(names.begin(), names.end(), position) != names.end();
}

const CatalogueEntry& stage_entry(const Stages& stages, const std::string& name) {
  for (const CatalogueEntry& e : *stages.rows)
    if (can_be_built(e) && (e.name == name || std::count(e.variants.begin(), e.variants.end(), name))) return e;
  std::vector<std::string> names = stage_names(stages);
  throw ValueError(fmt::format("attention: no {} of this name; got `{}`; there are {}{}", name_of(stages.kind), name,
                               fmt::join(names, ", "), nearest_of(name, names)));
}

std::string default_stage(const Stages& stages, Role role) {
  if (stages.kind == Kind::evaluator) return kChosenByCall;
  for (const CatalogueEntry& e : *stages.rows)
    if (std::count(e.default_for.begin(), e.default_for.end(), role)) return e.name;
  throw ValueError(
      fmt::format("attention: no {} is the default there; hint: mark a row of the registry", name_of(stages.kind)));
}

bool chosen_by_call(const StageOptions& evaluator) { return evaluator.name.empty() || evaluator.name == kChosenByCall; }

StageOptions completed_stage(const Stages& stages, StageOptions o, const std::string& name) {
  if (o.name.empty()) o.name = name.empty() ? default_stage(stages) : name;
  if (stages.kind == Kind::evaluator && chosen_by_call(o)) return o;
  const CatalogueEntry& row = stage_entry(stages, o.name);
  for (const auto& given : o.settings) {
    bool known = false;
    std::vector<std::string> names;
    for (const OptionField& s : row.settings) names.push_back(s.name), known = known || s.name == given.first;
    if (!known)
      throw ValueError(fmt::format("{}: no setting of this name; got `{}`; there {}", o.name, given.first,
                                   names.empty() ? "are none" : fmt::format("are {}", fmt::join(names, ", "))));
  }
  for (const OptionField& s : row.settings) {
    double value = o.settings.emplace(s.name, number_of(s)).first->second;
    if (!s.range.holds(value) || (is_whole(s) && value != std::floor(value)))
      throw ValueError(fmt::format("{}: {} must be {} in [{}, {}]; got {}", o.name, s.name,
                                   is_whole(s) ? "an integer" : "a number", s.range.least, s.range.most, value));
  }
  return o;
}

bool joins(const std::string& scope) { return scope.find_first_of("&|") != std::string::npos; }

StageOptions stage_from(const Stages& stages, const std::string& text) {
  StageOptions o;
  if (joins(text)) {  // a composition, taken apart when it is made
    for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = text.find_first_of("&|", begin);
      if (begin == text.size() || end == begin)
        throw ValueError(fmt::format("scope: a scope is missing beside & or |; got `{}`", text));
      stage_from(stages,
                 text.substr(begin, end == std::string::npos ? end : end - begin));  // says what is wrong with it
    }
    return {.name = text};
  }
  size_t colon = text.find(':');
  o.name = text.substr(0, colon);
  if (o.name.empty()) o.name = default_stage(stages);
  if (stages.kind == Kind::evaluator && o.name == kChosenByCall) {
    if (colon == std::string::npos) return o;
    throw ValueError(fmt::format("{}: it has no settings; got `{}`", o.name, text));
  }
  const CatalogueEntry& row = stage_entry(stages, o.name);
  for (size_t at = colon; at != std::string::npos;) {
    size_t begin = at + 1;
    at = text.find(',', begin);
    std::string part = text.substr(begin, at == std::string::npos ? at : at - begin);
    size_t equals = part.find('=');
    if (equals == std::string::npos && row.settings.empty())
      throw ValueError(fmt::format("{}: it has no settings; got `{}`", o.name, text));
    std::string name = equals == std::string::npos ? row.settings.front().name : part.substr(0, equals);
    if (o.settings.contains(name))
      throw ValueError(fmt::format("{}: a setting must be given once; got {} twice in `{}`", o.name, name, text));
    o.settings[name] = number_in(equals == std::string::npos ? part : part.substr(equals + 1), text);
  }
  return completed_stage(stages, o);
}

std::string text_of(const Stages& stages, const StageOptions& options) {
  if (joins(options.name)) return options.name;
  StageOptions o = completed_stage(stages, options);
  if (stages.kind == Kind::evaluator && chosen_by_call(o)) return o.name;
  const CatalogueEntry& row = stage_entry(stages, o.name);
  std::string text = o.name;
  for (const OptionField& s : row.settings)
    if (double value = o.settings.at(s.name); value != number_of(s))
      text += fmt::format("{}{}={}", text == o.name ? ":" : ",", s.name, value);
  return text;
}

std::vector<std::string> stage_texts(const std::string& list) {
  std::vector<std::string> texts;
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = list.find(',', begin);
    std::string part = list.substr(begin, end == std::string::npos ? end : end - begin);
    // gap=3 alone is a setting of the stage before it.
    bool setting = !texts.empty() && part.find('=') != std::string::npos && part.find(':') == std::string::npos;
    if (setting)
      texts.back() += "," + part;
    else
      texts.push_back(part);
  }
  return texts;
}

TextPlace stage_place(const Stages& stages, StageOptions* stage) {
  return {[=] { return text_of(stages, *stage); },
          [=](const std::string& text) {
            StageOptions named = stage_from(stages, text);
            stage->name = named.name, stage->settings = named.settings;
          }};
}

TextPlace stage_place(const Stages& stages, std::string* place, bool may_be_empty) {
  return {[=] { return *place; },
          [=](const std::string& text) {
            if (!text.empty() || !may_be_empty) stage_from(stages, text);
            *place = text;
          }};
}

TextPlace stage_list_place(const Stages& stages, std::string* place) {
  return {[=] { return *place; },
          [=](const std::string& list) {
            const std::vector<std::string> texts = list.empty() ? std::vector<std::string>() : stage_texts(list);
            for (const std::string& text : texts) {
              if (text.empty())
                throw ValueError(fmt::format("attention: a {} must have a name; got an empty one in `{}`",
                                             name_of(stages.kind), list));
              stage_from(stages, text);
            }
            *place = list;
          }};
}

}  // namespace heed::nn
