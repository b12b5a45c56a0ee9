#include "tutorials/app/train_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/attention/normalisers/normaliser.h"
#include "nn/attention/registry.h"
#include "nn/models/output_heads/output_head.h"
#include "tensor/error.h"

namespace heed::app {
namespace {

struct Preset {
  const char* name;
  void (*set)(TrainOptions& o);
};

void recurrent(TrainOptions& o, const char* context) {
  o.seq2seq.context = context;
  set_dropout(o, 0.3), set_layers(o, 1);
  o.min_frequency = 2;
  o.max_epochs = 10;
  o.fit.batch_size = 64, o.fit.learning_rate = 1e-3, o.fit.warmup = 200;
}

void transformer(TrainOptions& o, const nn::TransformerOptions& t) {
  o.architecture = "transformer", o.transformer = t;
  set_dropout(o, t.dropout), set_layers(o, t.encoder_layers);
  o.fit.beta2 = 0.98, o.fit.epsilon = 1e-9, o.fit.label_smoothing = 0.1;
}

// What reaches the highest BLEU in twenty minutes on two cores (lesson 30 has the figures, and the classical recipe).
void multi30k_small(TrainOptions& o) {
  transformer(o, nn::transformer_multi30k_small(0));
  o.bpe_vocabulary = 8000, set_dropout(o, 0.2);
  o.fit.learning_rate = 2e-3, o.fit.warmup = 400;
  o.fit.batch_tokens = 1650;
  o.fit.weights = "ema", o.fit.ema_decay = 0.998, o.fit.measure = "bleu";
  o.max_epochs = 13;
}

// Wu et al.'s model and dropout, behind the sub-layers alone; theirs was inverse_sqrt, 0.005, warm-up 2,000.
void multi30k_tiny(TrainOptions& o) {
  transformer(o, nn::transformer_multi30k_tiny(0));
  o.bpe = 10000;
  o.fit.learning_rate = 0.004, o.fit.warmup = 500, o.fit.clip = 0;
  o.transformer.attention_dropout = o.transformer.inner_dropout = 0;
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
    {"rnn-attention", [](TrainOptions& o) { recurrent(o, "attention"); }},
    {"rnn-every-step", [](TrainOptions& o) { recurrent(o, "every_step"); }},
    {"rnn-fixed", [](TrainOptions& o) { recurrent(o, "initial_state"); }},
    {"base", base},
};

// What both architectures refuse, for a reason that does not depend on the other options: a translator writes one word
// after the other, so no normaliser may need all queries, and no output may write positions.
bool never_trained(const std::string& option, const std::string& name) {
  Generator unused(0);
  if (option == nn::name_of(nn::Kind::normaliser)) return !nn::make_normaliser({.name = name}, unused)->row_wise();
  return option == "output" && !nn::output_writes_words(name);
}

// The names of a field that can be trained.
std::vector<std::string> names_of(const nn::OptionField& f) {
  std::vector<std::string> names = f.names;
  std::erase_if(names, [&](const std::string& one) { return one.empty() || never_trained(f.name, one); });
  return names;
}

// An option that assigns to the field's place; none for a text that has rules of its own.
std::unique_ptr<Option> option_of(const nn::OptionField& f) {
  std::unique_ptr<Option> option;
  const std::string name = option_name(f.name);
  if (auto* const* x = std::get_if<int64_t*>(&f.place)) option = std::make_unique<Option>(name, *x, f.help);
  if (auto* const* x = std::get_if<double*>(&f.place)) option = std::make_unique<Option>(name, *x, f.help);
  if (auto* const* x = std::get_if<bool*>(&f.place)) return std::make_unique<Option>(name, *x, f.help);
  if (auto* const* x = std::get_if<std::string*>(&f.place)) {
    option = std::make_unique<Option>(name, *x, f.help);
    option->one_of(names_of(f));
  } else if (option && f.range.ends == nn::Range::kAbove) {
    option->above(f.range.least);
  } else if (option && (f.range.ends == nn::Range::kBelow || f.range.most == nn::kNoEnd)) {
    option->at_least(f.range.least);  // Knob::assign knows the end
  } else if (option) {
    option->between(f.range.least, f.range.most);
  }
  return option;
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
  f("architecture", architecture, "kind of model", {"seq2seq", "transformer"});
  nn::OptionFields model;
  if (architecture == "transformer")
    transformer.fields(model);
  else
    seq2seq.fields(model);
  for (nn::OptionField& field : model.all) {
    if (field.option == nn::kNoOption) continue;
    if (!field.option.empty()) field.name = field.option;
    f.all.push_back(std::move(field));
  }
  fit.fields(f);
  // Those of the run, most of which may change when it goes on.
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

std::string option_name(std::string knob) {
  std::replace(knob.begin(), knob.end(), '_', '-');
  return "--" + knob;
}

void set_layers(TrainOptions& o, int64_t layers) {
  o.seq2seq.layers = o.seq2seq.decoder_layers = layers;
  o.transformer.encoder_layers = o.transformer.decoder_layers = layers;
}
void set_dropout(TrainOptions& o, double p) { o.seq2seq.dropout = o.transformer.dropout = p; }

void Knob::assign(const std::string& text) const {
  std::string stage = text.substr(0, text.find(':'));
  const bool known = std::count(field.names.begin(), field.names.end(), stage) > 0,
             refused = known && !stage.empty() && never_trained(field.name, stage);  // by the model, which says why
  try {
    if (auto* const* place = std::get_if<std::string*>(&field.place); place && refused)
      **place = text;
    else if (option)
      option->assign(text);
    else if (!known && field.name == nn::name_of(nn::Kind::normaliser))
      Option(option_name(field.name), &stage, "").one_of(names_of(field)).assign(stage);
    else
      std::get<nn::TextPlace>(field.place).set(text);
    nn::OptionField typed = field;
    typed.name = option_name(field.name);
    if (field.range.ends == nn::Range::kBelow) nn::require_options("train", {typed});
  } catch (const ValueError& error) { throw InputError(error.what()); }
}

std::string Knob::notes(bool with_default) const {
  std::vector<std::string> notes;
  if (option) {
    notes = option->notes();
    std::erase_if(notes, [](const std::string& note) { return note.starts_with("default "); });
  }
  if (field.range.ends == nn::Range::kBelow)
    notes = {fmt::format("{} to below {}", field.range.least, field.range.most)};
  if (std::holds_alternative<bool*>(field.place)) notes = {"true | false"};
  if (!field.names.empty() && field.name != "pruned_heads") {  // the names are examples
    notes = {fmt::format("{}", fmt::join(names_of(field), " | "))};
  }
  std::string value = nn::text_of(field);
  if (with_default && !value.empty()) notes.push_back("default " + value);
  return fmt::format("{}", fmt::join(notes, "; "));
}

std::vector<Knob> knobs(TrainOptions& o) {
  std::vector<Knob> all;
  for (nn::OptionField& field : nn::fields_of(o)) {
    std::unique_ptr<Option> option = option_of(field);
    all.push_back({std::move(field), std::move(option)});
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> knob_help() {
  TrainOptions recurrent = preset(TrainOptions().preset), transformer = recurrent;
  recurrent.architecture = "seq2seq", transformer.architecture = "transformer";
  std::vector<Knob> first = knobs(recurrent), second = knobs(transformer);
  auto has = [](const std::vector<Knob>& all, const std::string& name) {
    auto at = std::find_if(all.begin(), all.end(), [&](const Knob& k) { return k.name() == name; });
    return at == all.end() ? nullptr : &*at;
  };
  std::vector<std::pair<std::string, std::string>> help;
  auto add = [&](const Knob& k, const std::string& prefix, const std::string& notes) {
    help.emplace_back(k.name(), fmt::format("{}{}{}", prefix, k.field.help, notes.empty() ? "" : " (" + notes + ")"));
  };
  for (const Knob& k : first) {
    if (k.name() == "batch_size")  // behind those of the model
      for (const Knob& own : second)
        if (!has(first, own.name())) add(own, "transformer: ", own.notes());
    const Knob* other = has(second, k.name());
    if (!other) {
      add(k, "seq2seq: ", k.notes());
      continue;
    }
    std::string one = nn::text_of(k.field), two = nn::text_of(other->field);
    bool same = one == two || k.name() == "architecture";
    std::string notes = (k.field.names.size() < other->field.names.size() ? other : &k)->notes(same);
    if (same) one = two;
    if (one != two && !one.empty()) notes += fmt::format("; default with seq2seq {}", one);
    if (one != two && !two.empty()) notes += fmt::format("; default with transformer {}", two);
    add(k, "", notes);
  }
  return help;
}

std::string settings_help() {
  std::string text = "settings of attention, as in window:64 or dilated:4,gap=3:\n";
  for (nn::Kind kind : {nn::Kind::score, nn::Kind::scope, nn::Kind::normaliser, nn::Kind::position, nn::Kind::evaluator,
                        nn::Kind::pooling, nn::Kind::reader, nn::Kind::memory})
    for (const nn::CatalogueEntry& e : nn::stage_entries(kind))
      for (const nn::Setting& s : e.settings)
        text += fmt::format("  {:<25}  {} ({} to {}; default {})\n", fmt::format("{}:{}=", e.name, s.name), s.help,
                            s.least, s.most, s.value);
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
  for (const Knob& k : knobs(copy)) {
    const io::Json one = nn::json_of({k.field});
    j.set(k.name(), one.at(k.name()));
  }
  return j;
}

TrainOptions train_options_from(const io::Json& json) {
  TrainOptions o = preset(json.text("preset"));
  o.architecture = json.text("architecture");
  if (o.architecture != "seq2seq" && o.architecture != "transformer")
    throw IoError(fmt::format("the architecture must be seq2seq or transformer; got \"{}\"", o.architecture));
  try {
    nn::read_option_fields(nn::fields_of(o), json, {"preset"});
    for (const Knob& k : knobs(o))
      if (std::string text = nn::text_of(k.field); !text.empty()) k.assign(text);  // is it within its rule?
  } catch (const ValueError& error) { throw IoError(error.what()); }
  return o;
}

nn::TranslationModel::Options model_options(const TrainOptions& o) {
  if (o.architecture == "transformer") return o.transformer;
  return o.seq2seq;
}

nn::FitOptions fit_options(const TrainOptions& o) {
  nn::FitOptions fit = o.fit;
  fit.seed = static_cast<uint64_t>(o.seed);
  fit.epochs = o.max_epochs;
  if (o.architecture == "transformer") fit.width = o.transformer.model;
  return fit;
}

}  // namespace heed::app
