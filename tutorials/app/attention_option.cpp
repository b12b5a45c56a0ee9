#include "tutorials/app/attention_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "nn/catalogue/catalogue.h"
#include "nn/output_heads/output_head.h"
#include "tensor/error.h"
#include "tutorials/common/options.h"

namespace heed::app {
namespace {

std::string changed(std::string text, int (*change)(int)) {
  for (char& c : text) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return text;
}

// The name, or alternative name, most similar to a typo. Capitals count first, and are ignored if nothing is similar.
std::string nearest_entry(const std::string& called) {
  std::vector<std::string> names = nn::output_names();
  for (const nn::CatalogueEntry& e : nn::catalogue())
    if (!e.option.empty()) names.push_back(e.name), names.insert(names.end(), e.also.begin(), e.also.end());
  if (std::string near = nearest(called, names); !near.empty()) return near;
  std::vector<std::string> small;
  for (const std::string& name : names) small.push_back(changed(name, std::tolower));
  std::string near = nearest(changed(called, std::tolower), small);
  return near.empty() ? "" : names[static_cast<size_t>(std::find(small.begin(), small.end(), near) - small.begin())];
}

}  // namespace

ChosenStage chosen_stage(const std::string& item, const std::string& from) {
  if (item.empty()) throw InputError(fmt::format("{}: must be names separated by commas; got an empty one", from));
  if (item.find_first_of("&|") != std::string::npos) return {"scope", item};
  size_t colon = item.find(':');
  std::string called = item.substr(0, colon), settings = colon == std::string::npos ? "" : item.substr(colon);
  const nn::CatalogueEntry* entry = nn::entry_called(called);
  if (entry && !entry->architecture.empty()) {
    const std::string hint = "--paper " + entry->architecture;
    if (entry->option.empty())
      throw InputError(fmt::format("{}: {} is part of every {}; got \"{}\"; hint: {}", from, entry->name,
                                   entry->architecture, item, hint));
    throw InputError(fmt::format("{}: {} is an option of its own, off unless it is given; got \"{}\"; hint: {} {} {}",
                                 from, entry->name, item, hint, option_name(entry->option), entry->text));
  }
  const std::string chosen_by = entry ? entry->option : "";
  if (!chosen_by.empty()) {
    // The entry itself, or the variant of it that was meant.
    std::string name = entry->text, small = changed(called, std::tolower);
    if (std::count(entry->variants.begin(), entry->variants.end(), small)) name = small;
    if (!settings.empty()) name = name.substr(0, name.find(':'));
    return {chosen_by, name + settings};
  }
  for (const std::string& name : {called, changed(called, std::tolower), changed(called, std::toupper)})
    if (std::string output = nn::output_called(name); !output.empty()) return {"output", output + settings};
  if (entry && entry->kind == nn::Kind::scope)
    throw InputError(fmt::format("{}: {} {} is part of the models, and not chosen by its name; got \"{}\"", from,
                                 nn::name_of(entry->kind), entry->name, item));
  if (entry)
    throw InputError(
        fmt::format("{}: chooses a score, scope, normaliser, position, evaluator, mixer, cell, pooling, "
                    "reader, memory or output; "
                    "got {}, {} of the kind {}",
                    from, item, entry->id, nn::name_of(entry->kind)));
  std::string near = nearest_entry(called);
  throw InputError(fmt::format("{}: no entry of the catalogue is called this; got \"{}\"; {}", from, item,
                               near.empty() ? "./heed attention --list shows all" : "nearest: " + near));
}

std::string stage_text(const std::string& option, const std::string& text) {
  size_t end = text.find_first_of(":&|");
  const nn::CatalogueEntry* entry = nn::entry_called(text.substr(0, end));
  if (!entry || entry->option != option || (end != std::string::npos && text[end] != ':')) return text;
  try {
    return chosen_stage(text).text;
  } catch (const InputError&) { return text; }  // not a stage: the option's own error lists the names
}

std::vector<ChosenStage> chosen_stages(const std::vector<std::string>& lists) {
  std::vector<ChosenStage> all;
  std::string whole;
  for (const std::string& list : lists) whole += (whole.empty() ? "" : ",") + list;
  if (whole.empty()) return all;
  for (const std::string& item : nn::stage_texts(whole)) all.push_back(chosen_stage(item));
  return all;
}

}  // namespace heed::app
