#include "tutorials/app/train_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/attention/normalisers/normaliser.h"
#include "nn/attention/registry.h"
#include "nn/output_heads/output_head.h"
#include "nn/pooling/pooler.h"
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

// What --help says of a field in brackets: its range or names, and its value.
std::string notes_of(const nn::OptionField& f, bool with_default = true) {
  nn::OptionField shown = f;
  shown.names = f.any_text ? std::vector<std::string>() : names_of(f);
  std::vector<std::string> notes = Option(shown).rules();
  if (std::holds_alternative<bool*>(f.place)) notes = {"true | false"};
  std::string value = nn::text_of(f);
  if (with_default && !value.empty()) notes.push_back("default " + value);
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

void set_layers(TrainOptions& o, int64_t layers) {
  o.seq2seq.layers = o.seq2seq.decoder_layers = layers;
  o.transformer.encoder_layers = o.transformer.decoder_layers = layers;
}
void set_dropout(TrainOptions& o, double p) { o.seq2seq.dropout = o.transformer.dropout = p; }

void assign(const nn::OptionField& field, const std::string& text) {
  std::string stage = text.substr(0, text.find(':'));
  const bool known = std::count(field.names.begin(), field.names.end(), stage) > 0,
             refused = known && !stage.empty() && never_trained(field.name, stage),  // by the model, which says why
      unknown = !known && field.name == nn::name_of(nn::Kind::normaliser);           // says which can be trained
  if (auto* const* place = std::get_if<std::string*>(&field.place); place && refused) return void(**place = text);
  nn::OptionField typed = field;
  typed.name = option_name(field.name), typed.names = names_of(field);
  if (unknown) typed.place = &stage;
  if (typed.range.ends == nn::Range::kBelow) typed.range = {typed.range.least};  // require_options says where it ends
  Option(typed).assign(unknown ? stage : text);
  typed.range = field.range;
  try {
    nn::require_options("train", {typed});
  } catch (const ValueError& error) { throw InputError(error.what()); }
}

std::vector<std::pair<std::string, std::string>> option_help() {
  TrainOptions recurrent = preset(TrainOptions().preset), transformer = recurrent;
  recurrent.architecture = "seq2seq", transformer.architecture = "transformer";
  const std::vector<nn::OptionField> first = nn::fields_of(recurrent), second = nn::fields_of(transformer);
  auto in = [](const std::vector<nn::OptionField>& all, const std::string& name) {
    auto at = std::find_if(all.begin(), all.end(), [&](const nn::OptionField& f) { return f.name == name; });
    return at == all.end() ? nullptr : &*at;
  };
  std::vector<std::pair<std::string, std::string>> help;
  auto add = [&](const nn::OptionField& f, const std::string& prefix, const std::string& notes) {
    help.emplace_back(f.name, fmt::format("{}{}{}", prefix, f.help, notes.empty() ? "" : " (" + notes + ")"));
  };
  for (const nn::OptionField& f : first) {
    if (f.name == "batch_size")  // behind those of the model
      for (const nn::OptionField& own : second)
        if (!in(first, own.name)) add(own, "transformer: ", notes_of(own));
    const nn::OptionField* other = in(second, f.name);
    if (!other) {
      add(f, "seq2seq: ", notes_of(f));
      continue;
    }
    std::string one = nn::text_of(f), two = nn::text_of(*other);
    bool same = one == two || f.name == "architecture";
    const bool wider = other->range.least < f.range.least;  // a number there that means something
    std::string notes = notes_of(wider || f.names.size() < other->names.size() ? *other : f, same);
    if (same) one = two;
    if (one != two && !one.empty()) notes += fmt::format("; default with seq2seq {}", one);
    if (one != two && !two.empty()) notes += fmt::format("; default with transformer {}", two);
    add(wider ? *other : f, "", notes);
  }
  return help;
}

std::string settings_help() {
  std::string text = "settings of attention, as in window:64 or dilated:4,gap=3:\n";
  for (const nn::Stages& stages : nn::all_stages())
    for (const nn::CatalogueEntry& e : *stages.rows)
      for (const nn::OptionField& s : e.settings)
        text += fmt::format("  {:<25}  {} ({} to {}; default {})\n", fmt::format("{}:{}=", e.name, s.name), s.help,
                            s.range.least, s.range.most, number_of(s));
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
  o.architecture = json.text("architecture");
  if (o.architecture != "seq2seq" && o.architecture != "transformer")
    throw IoError(fmt::format("the architecture must be seq2seq or transformer; got \"{}\"", o.architecture));
  try {
    nn::read_option_fields(nn::fields_of(o), json, {"preset"});
    for (const nn::OptionField& f : nn::fields_of(o))
      if (std::string text = nn::text_of(f); !text.empty()) assign(f, text);  // is it within its rule?
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
