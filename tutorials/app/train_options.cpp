#include "tutorials/app/train_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/attention/normalisers/normaliser.h"
#include "nn/attention/registry.h"
#include "nn/output_heads/output_head.h"
#include "nn/pooling/pooler.h"
#include "nn/transformer/transformer.h"
#include "tensor/error.h"

namespace heed::app {
namespace {

struct Preset {
  const char* name;
  void (*set)(TrainOptions& o);
};

void recurrent(TrainOptions& o, const char* paper) {
  set_paper(o, paper);
  set_dropout(o, 0.3), set_layers(o, 1);
  o.min_frequency = 2;
  o.max_epochs = 10;
  o.fit.batch_size = 64, o.fit.learning_rate = 1e-3, o.fit.warmup = 200;
}

void transformer(TrainOptions& o, const nn::TransformerOptions& t) {
  o.model = nn::paper_of<nn::Transformer>(t);
  o.fit.beta2 = 0.98, o.fit.epsilon = 1e-9, o.fit.label_smoothing = 0.1;
}

// The highest BLEU in twenty minutes on two cores (lesson 30 has the figures, and the classical recipe).
void multi30k_small(TrainOptions& o) {
  transformer(o, nn::transformer_multi30k_small(0));
  o.bpe_vocabulary = 8000, set_dropout(o, 0.2);
  o.fit.learning_rate = 2e-3, o.fit.warmup = 400;
  o.fit.batch_tokens = 1650;
  o.fit.weights = "ema", o.fit.ema_decay = 0.998, o.fit.measure = "bleu";
  o.max_epochs = 13;
}

// The model of Wu et al., with their dropout, here only after the sub-layers. Their schedule was inverse_sqrt with
// learning rate 0.005 and 2,000 warm-up steps.
void multi30k_tiny(TrainOptions& o) {
  transformer(o, nn::transformer_multi30k_tiny(0));
  o.bpe = 10000;
  o.fit.learning_rate = 0.004, o.fit.warmup = 500, o.fit.clip = 0;
  auto& model = *o.model.as<nn::Transformer>();
  model.attention_dropout = model.inner_dropout = 0;
  o.fit.batch_tokens = 4096;
  o.fit.weights = "average", o.fit.average = 10, o.fit.keep = "last";
  o.beam = 5;
  o.max_epochs = 60;
}

// Vaswani et al., NeurIPS 2017: about 25,000 tokens a step, the mean of the last five checkpoints.
void base(TrainOptions& o) {
  transformer(o, nn::transformer_base(0));
  o.bpe_vocabulary = 37000;
  o.fit.schedule = "noam", o.fit.warmup = 4000, o.fit.factor = 1, o.fit.clip = 0;
  o.fit.batch_tokens = 4096, o.fit.accumulate = 6;
  o.fit.weights = "average", o.fit.average = 5, o.fit.keep = "last";
  o.beam = 4;
}

const Preset kPresets[] = {
    {"multi30k-tiny", multi30k_tiny},
    {"multi30k-small", multi30k_small},
    {"rnn-attention", [](TrainOptions& o) { recurrent(o, "bahdanau"); }},
    {"rnn-every-step", [](TrainOptions& o) { recurrent(o, "cho"); }},
    {"rnn-fixed", [](TrainOptions& o) { recurrent(o, "sutskever"); }},
    {"base", base},
};

// Names that no paper can be trained with, whatever the other options: a translator writes one word after the other, so
// a normaliser must not need all queries, and an output must not write positions.
bool never_trained(const std::string& option, const std::string& name) {
  Generator unused(0);
  if (option == nn::name_of(nn::Kind::normaliser)) return !nn::make_normaliser({.name = name}, unused)->row_wise();
  return option == "output" && !nn::output_writes_words(name);
}

// encoder.hidden is hidden, and position is positions.
std::string brief_name(const nn::OptionField& f) {
  return f.option.empty() ? f.name.substr(f.name.rfind('.') + 1) : f.option;
}

// The names of a field that can be trained.
std::vector<std::string> names_of(const nn::OptionField& f) {
  std::vector<std::string> names = f.names;
  std::erase_if(names, [&](const std::string& one) { return one.empty() || never_trained(f.name, one); });
  return names;
}

// The text in brackets after a field in --help: its range or names.
std::string notes_of(const nn::OptionField& f) {
  nn::OptionField shown = f;
  shown.names = f.any_text ? std::vector<std::string>() : names_of(f);
  std::vector<std::string> notes = Option(shown).rules();
  if (std::holds_alternative<bool*>(f.place)) notes = {"true | false"};
  return fmt::format("{}", fmt::join(notes, "; "));
}

}  // namespace

void TrainOptions::fields(nn::OptionFields& f) {
  f("tokenize", tokenize, "how lines are split into words", {"space", "words"});
  f("max_length", max_length,
    "leave out training pairs in which a sentence has more words; with byte-pair encoding, more pieces", {1, 1000});
  f("limit", limit, "read only the first N training pairs; 0: all");
  f("bpe", bpe, "number of merges of a joint byte-pair encoding; 0: whole words", {0, 1e6});
  f("bpe_vocabulary", bpe_vocabulary, "size of the joint vocabulary of byte-pair encoding, instead of --bpe", {0, 1e6});
  f("min_frequency", min_frequency, "rarer tokens become <unk>", {1});
  f("paper",
    nn::TextPlace{[this] { return model.name(); }, [this](const std::string& name) { set_paper(*this, name); }},
    "the model, by the paper that it is from", nn::paper_names());
  const std::vector<nn::OptionField> own = model.fields();
  for (const nn::OptionField& field : own) {
    if (field.option == nn::kNoOption) continue;
    nn::OptionField& named = f.all.emplace_back(field);
    const std::string brief = brief_name(field);
    if (std::count_if(own.begin(), own.end(), [&](const auto& g) { return nn::is_called(g, brief); }) == 1)
      named.name = brief;
  }
  fit.fields(f);
  // Options of the run; most of them may change when it is resumed.
  f("seed", seed, "seed of parameters, dropout and the order of the data", {0, 9007199254740992.0});
  f("bleu", bleu, "translate the validation set after each epoch with greedy search");
  const size_t lasting = f.all.size();
  f("max_epochs", max_epochs, "maximum number of passes over the training data", {1, 1e6});
  f("max_minutes", max_minutes, "maximum minutes of training, resumed parts included; 0: no limit");
  f("save_minutes", save_minutes, "minutes between saves of the training state, in addition to one after each epoch");
  f("log_every", log_every, "steps between lines of metrics.jsonl", {1, 1e9});
  f("samples", samples, "validation sentences shown after each epoch", {0, 1000});
  f("beam", beam, "number of hypotheses in the beam search of the final translation", {1, 64});
  for (size_t i = lasting; i < f.all.size(); ++i) f.all[i].may_change = true;
}

nn::AnyPaper usual_model() {
  nn::AnyPaper paper = nn::paper_called("bahdanau");
  for (const char* size : {"hidden", "embedding"}) nn::set_called(paper.fields(), size, "256");
  return paper;
}

void set_paper(TrainOptions& o, const std::string& name) {
  nn::AnyPaper next = nn::paper_called(name);
  if (next.name() == o.model.name()) return;
  auto text = [&](const std::string& option) -> std::string {
    for (const nn::OptionField& f : o.model.fields())
      if (nn::is_called(f, option)) return nn::text_of(f);
    return "256";
  };
  for (const char* kept : {"hidden", "embedding", "layers", "dropout"}) nn::set_called(next.fields(), kept, text(kept));
  nn::set_called(next.fields(), "decoder_layers", text("layers"));
  o.model = next;
}
void set_layers(TrainOptions& o, int64_t layers) {
  for (const char* name : {"layers", "decoder_layers"}) nn::set_called(o.model.fields(), name, fmt::to_string(layers));
}
void set_dropout(TrainOptions& o, double p) { nn::set_called(o.model.fields(), "dropout", fmt::to_string(p)); }

std::vector<nn::OptionField> fields_called(TrainOptions& o, const std::string& name) {
  std::vector<nn::OptionField> called = nn::fields_of(o);
  std::erase_if(called, [&](const nn::OptionField& f) { return !nn::is_called(f, name); });
  return called;
}

void assign(const nn::OptionField& field, const std::string& text) {
  std::string stage = text.substr(0, text.find(':'));
  const bool known = std::count(field.names.begin(), field.names.end(), stage) > 0,
             refused = known && !stage.empty() && never_trained(field.name, stage),  // the model's error has the reason
      unknown = !known && field.name == nn::name_of(nn::Kind::normaliser);           // the error lists all names
  if (auto* const* place = std::get_if<std::string*>(&field.place); place && refused) return void(**place = text);
  nn::OptionField typed = field;
  typed.name = option_name(field.name), typed.names = names_of(field);
  if (unknown) typed.place = &stage;
  if (typed.range.ends == nn::Range::kBelow) typed.range = {typed.range.least};  // require_options checks the upper end
  Option(typed).assign(unknown ? stage : text);
  typed.range = field.range;
  try {
    nn::require_options("train", {typed});
  } catch (const ValueError& error) { throw InputError(error.what()); }
}

namespace {

// One line of --help: an option, together for all papers that have it.
struct HelpLine {
  std::string name, help, notes;
  size_t names = 0;  // `notes` are those of the paper with the most names
  struct OfPaper {
    std::string paper, range, usual;
  };
  std::vector<OfPaper> papers = {};  // those that have it, each with its range and default
};

std::string text_of(const HelpLine& line) {
  const size_t all = nn::paper_names().size();
  std::string papers, notes = line.notes;
  for (const HelpLine::OfPaper& one : line.papers) papers += (papers.empty() ? "" : ", ") + one.paper;
  if (line.papers.size() + 1 == all && papers.find("transformer") == std::string::npos) papers = "all but transformer";
  // "default 1", or "default with cho 1; default with luong 2" where the papers differ.
  auto note = [&](const std::string& what, std::string HelpLine::OfPaper::*part) {
    std::vector<std::pair<std::string, std::string>> values;  // which, with what papers
    for (const HelpLine::OfPaper& one : line.papers) {
      auto at = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == one.*part; });
      if (at == values.end())
        values.emplace_back(one.*part, one.paper);
      else
        at->second += ", " + one.paper;
    }
    for (const auto& [value, with] : values)
      if (!value.empty())
        notes += fmt::format("{}{}{}{}", notes.empty() ? "" : "; ", what,
                             values.size() == 1 ? "" : fmt::format("with {} ", with), value);
  };
  note("", &HelpLine::OfPaper::range);
  note("default ", &HelpLine::OfPaper::usual);
  return fmt::format("{}{}{}", line.papers.size() == all ? "" : papers + ": ", line.help,
                     notes.empty() ? "" : " (" + notes + ")");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> option_help() {
  std::vector<HelpLine> lines;
  for (const std::string& paper : nn::paper_names()) {
    TrainOptions o = preset(TrainOptions().preset);
    const std::string usual = o.model.name();
    set_paper(o, paper);
    size_t after = 0;  // where to insert a line that other papers do not have
    for (const nn::OptionField& f : nn::fields_of(o)) {
      std::vector<std::string> names{f.name};
      if (const std::string brief = brief_name(f); brief != f.name) names.insert(names.begin(), brief);
      for (const std::string& name : names) {
        auto at = std::find_if(lines.begin(), lines.end(), [&](const HelpLine& l) { return l.name == name; });
        if (at == lines.end()) {
          const bool one_side = name == f.name && names.size() > 1;
          at = lines.insert(
              lines.begin() + static_cast<std::ptrdiff_t>(after),
              {name, one_side ? fmt::format("the same, of the {} alone", name.substr(0, name.find('.'))) : f.help, ""});
        }
        if (f.help.starts_with(at->help + ";")) at->help = f.help;  // what -1 means, with the papers that know it
        if (f.names.size() > at->names) at->names = f.names.size(), at->notes = notes_of(f);
        if (at->papers.empty() || at->papers.back().paper != paper)
          at->papers.push_back({paper, f.names.empty() ? notes_of(f) : "",
                                name == "paper"   ? usual
                                : f.usual.empty() ? nn::text_of(f)
                                                  : f.usual});
        after = static_cast<size_t>(at - lines.begin()) + 1;
      }
    }
  }
  std::vector<std::pair<std::string, std::string>> help;
  for (const HelpLine& line : lines) help.emplace_back(line.name, text_of(line));
  return help;
}

std::string settings_help() {
  std::string text = "settings of attention, as in window:64 or dilated:4,gap=3:\n";
  auto line = [&](const std::string& name, const std::string& help) {
    text += fmt::format("  {:<25}  {}\n", name, help);
  };
  for (const nn::Stages& stages : nn::all_stages())
    for (const nn::CatalogueEntry& e : *stages.rows) {
      for (const nn::OptionField& s : e.settings)
        line(fmt::format("{}:{}=", e.name, s.name),
             fmt::format("{} ({}; default {})", s.help, in_words(s.range), number_of(s)));
      for (const std::string& variant : e.settings.empty() ? std::vector<std::string>() : e.variants)
        line(variant + ":", "the same as " + e.name + ":");
    }
  text.pop_back();
  return text;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& p : kPresets) names.emplace_back(p.name);
  return names;
}

TrainOptions preset(const std::string& name) {
  TrainOptions o;
  for (const Preset& p : kPresets)
    if (name == p.name) {
      p.set(o);
      o.preset = name;
      return o;
    }
  std::string near = nearest(name, preset_names());
  throw InputError(fmt::format("--preset: must be one of {}; got \"{}\"{}", fmt::join(preset_names(), ", "), name,
                               near.empty() ? "" : "; nearest: " + near));
}

io::Json to_json(const TrainOptions& options) {
  TrainOptions copy = options;
  io::Json j = io::Json::object({{"preset", options.preset}});
  const io::Json fields = nn::json_of(nn::fields_of(copy));
  for (const io::Member& m : fields.items()) j.set(m.key, m.value);
  return j;
}

TrainOptions train_options_from(const io::Json& json) {
  TrainOptions o = preset(json.text("preset"));
  if (!json.contains("paper"))
    throw InputError("a run must name its paper; got one of an earlier version; hint: a new run");
  try {
    set_paper(o, json.text("paper"));
    nn::read_option_fields(nn::fields_of(o), json, {"preset"});
    for (const nn::OptionField& f : nn::fields_of(o)) {  // checks its range and names
      const bool unsaid = f.names.empty() || std::count(f.names.begin(), f.names.end(), "") > 0;
      if (std::string text = nn::text_of(f); !text.empty() || !unsaid) assign(f, text);
    }
  } catch (const ValueError& error) { throw InputError(error.what()); }
  return o;
}

nn::FitOptions fit_options(const TrainOptions& o) {
  nn::FitOptions fit = o.fit;
  fit.seed = static_cast<uint64_t>(o.seed);
  fit.epochs = o.max_epochs;
  if (const auto* t = o.model.as<nn::Transformer>()) fit.width = t->model;
  return fit;
}

}  // namespace heed::app
