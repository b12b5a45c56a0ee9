// Who takes part in the league, and with which model.
#include <fmt/format.h>

#include <algorithm>

#include "nn/catalogue/catalogue.h"
#include "nn/models/translation_model.h"
#include "tensor/error.h"
#include "tutorials/app/attention_option.h"
#include "tutorials/league/league.h"

namespace heed::league {
namespace {

using app::TrainOptions;
using nn::CatalogueEntry;
const char* const kControls = "controls";

void apply(TrainOptions& o, const std::string& option, const std::string& text) {
  const std::vector<nn::OptionField> fields = app::fields_called(o, option);
  if (fields.empty()) throw InputError(fmt::format("not an option of {}: {} {}", o.model.name(), option, text));
  for (const nn::OptionField& field : fields) app::assign(field, text);
}
void set(TrainOptions& o, const std::string& option, int64_t value) {
  nn::set_called(o.model.fields(), option, fmt::to_string(value));
}

// Small enough for a minute, large enough for each variant to learn what it can.
TrainOptions baseline(const std::string& architecture) {
  TrainOptions o;
  app::set_paper(o, architecture == "transformer" ? architecture : "bahdanau");
  if (auto* t = o.model.as<nn::Transformer>()) {
    t->model = 32, t->heads = 4, t->inner = 64, t->max_positions = 512, t->norm_first = true;
  } else {
    set(o, "embedding", 24), set(o, "hidden", 36);
    apply(o, "bidirectional", "false");  // a plain dot product needs keys as wide as the queries
  }
  app::set_layers(o, architecture == "transformer" ? 2 : 1);
  app::set_dropout(o, 0);
  return o;
}

// Another paper of the same sizes, whose encoder reads in one direction too.
void fixed_vector(TrainOptions& o, const std::string& paper) {
  app::set_paper(o, paper);
  apply(o, "bidirectional", "false");
}

// The option whose width can be changed without changing attention.
const char* spare(const TrainOptions& o) { return o.model.as<nn::Transformer>() ? "inner" : "embedding"; }

std::vector<Entrant> controls(const std::string& architecture) {
  std::vector<Entrant> all;
  if (architecture == "seq2seq")
    all.push_back({"-", "no attention", kControls, architecture, "paper", "sutskever", true});
  for (const CatalogueEntry& e : nn::stage_entries(nn::Kind::normaliser))
    if (e.family == kControls) all.push_back({e.id, e.name, e.family, architecture, "normaliser", e.name, true});
  return all;
}

bool enters(const CatalogueEntry& e) {
  if (e.family == kControls) return false;  // they take part anyway
  return !e.option.empty() && e.architecture.empty();
}

Entrant entrant(const CatalogueEntry& e, const std::string& architecture) {
  return {e.id, e.name, e.family, architecture, e.option, e.text};
}

}  // namespace

std::vector<Entrant> entrants(const std::string& variants, const std::string& architecture) {
  std::vector<const CatalogueEntry*> chosen;
  for (size_t start = 0; start <= variants.size();) {
    size_t end = std::min(variants.find(',', start), variants.size());
    std::string item = variants.substr(start, end - start);
    start = end + 1;
    size_t before = chosen.size();
    for (const CatalogueEntry& e : nn::catalogue())
      if (enters(e) && (item == "all" || item == e.family)) chosen.push_back(&e);
    if (chosen.size() > before) continue;
    const std::vector<CatalogueEntry>& catalogue = nn::catalogue();
    if (std::any_of(catalogue.begin(), catalogue.end(), [&](const auto& one) { return one.family == item; }))
      throw InputError(
          fmt::format("--variants: no entry of this family is a stage that the league can exchange; got \"{}\"; hint: "
                      "heed attention NAME says how an entry is used",
                      item));
    const CatalogueEntry* e = nn::entry_called(item);
    if (!e) app::chosen_stage(item, "--variants");  // throws an InputError that suggests a name
    if (!e || (!enters(*e) && e->family != kControls))
      throw InputError(fmt::format(
          "attention: --variants takes entries that a model can be given, families or all; got \"{}\"", item));
    chosen.push_back(e);
  }
  std::vector<Entrant> all;
  for (const char* one : {"seq2seq", "transformer"}) {
    if (architecture != "both" && architecture != one) continue;
    for (const Entrant& c : controls(one)) all.push_back(c);
    for (const CatalogueEntry* e : chosen) {
      auto same = [&](const Entrant& other) { return other.id == e->id && other.architecture == one; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(entrant(*e, one));
    }
  }
  return all;
}

int64_t league_parameters(const TrainOptions& o, const LeagueTask& t) {
  Generator rng(1);
  nn::TranslationModel model(o.model, {t.task.source.size(), t.task.target.size()}, rng);
  return nn::count_parameters(model);
}

TrainOptions league_model(const Entrant& e, const LeagueTask& t) {
  TrainOptions o = baseline(e.architecture);
  const int64_t wanted = league_parameters(o, t),
                usual = static_cast<int64_t>(nn::number_of(app::fields_called(o, spare(o))[0]));
  if (!e.option.empty()) {
    if (e.option == "pooling") fixed_vector(o, "cho");  // one vector is all that the decoder gets
    if (e.option == "paper")
      fixed_vector(o, e.text);
    else
      apply(o, e.option, e.text);
    if (e.option == "evaluator" && e.architecture == "seq2seq")
      apply(o, "score", "general");  // a product, not additive
  }
  try {
    nn::try_out(o.model);
  } catch (const Error& error) { throw InputError(error.what()); }
  // Its parameters rise with the spare width in a straight line, so two points give the width.
  const int64_t there = league_parameters(o, t);
  set(o, spare(o), usual + 1);
  const int64_t each = league_parameters(o, t) - there;
  const double steps = static_cast<double>(wanted - there) / static_cast<double>(std::max<int64_t>(each, 1));
  set(o, spare(o), std::max<int64_t>(4, usual + std::llround(steps)));
  return o;
}

}  // namespace heed::league
