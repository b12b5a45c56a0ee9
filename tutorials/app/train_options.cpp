#include "tutorials/app/train_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/error.h"

namespace heed::app {
namespace {

struct Preset {
  const char* name;
  void (*set)(TrainOptions& o);
};

void recurrent(TrainOptions& o, const char* context) {
  o.context = context, o.hidden = o.embedding = 256, o.dropout = 0.3;
  o.min_frequency = 2;
  o.max_epochs = 10;
  o.fit.batch_size = 64, o.fit.learning_rate = 1e-3, o.fit.warmup = 200;
}

void transformer(TrainOptions& o, const nn::TransformerOptions& t) {
  o.architecture = "transformer", o.transformer = t, o.layers = t.encoder_layers, o.dropout = t.dropout;
  o.fit.beta2 = 0.98, o.fit.epsilon = 1e-9, o.fit.label_smoothing = 0.1;
}

// What reaches the highest BLEU in twenty minutes on two cores (lesson 30 has the figures, and the classical recipe).
void multi30k_small(TrainOptions& o) {
  transformer(o, nn::transformer_multi30k_small(0));
  o.bpe_vocabulary = 8000, o.dropout = 0.2;
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

std::string value_text(const OptionTarget& target) {
  if (auto* const* x = std::get_if<int64_t*>(&target)) return std::to_string(**x);
  if (auto* const* x = std::get_if<double*>(&target)) return fmt::format("{}", **x);
  if (auto* const* x = std::get_if<bool*>(&target)) return **x ? "true" : "false";
  return **std::get_if<std::string*>(&target);
}

nn::TransformerOptions transformer_of(const TrainOptions& o) {
  nn::TransformerOptions model = o.transformer;
  model.encoder_layers = model.decoder_layers = o.layers;
  model.dropout = o.dropout;
  return model;
}

nn::Seq2SeqOptions seq2seq_of(const TrainOptions& o) {
  nn::Seq2SeqOptions model{.source_vocabulary = 0, .target_vocabulary = 0};
  model.embedding = o.embedding, model.hidden = o.hidden, model.cell = o.cell, model.context = o.context;
  model.layers = model.decoder_layers = o.layers;
  model.attention.score.name = o.score;
  model.dropout = o.dropout;
  return model;
}

}  // namespace

std::vector<Knob> knobs(TrainOptions& o) {
  std::vector<Knob> all;
  auto add = [&](const char* name, OptionTarget target, const char* help) -> Option& {
    all.push_back({name, target, help, std::make_unique<Option>(name, target, help)});
    return *all.back().option;
  };
  nn::FitOptions& f = o.fit;
  add("tokenize", &o.tokenize, "how lines are split into words").one_of({"space", "words"});
  add("max_length", &o.max_length, "leave out training pairs in which a sentence has more words").between(1, 1000);
  add("limit", &o.limit, "read only the first N training pairs; 0: all").at_least(0);
  add("bpe", &o.bpe, "number of merges of a joint byte-pair encoding; 0: whole words").between(0, 1e6);
  add("bpe_vocabulary", &o.bpe_vocabulary, "size of the joint vocabulary of byte-pair encoding, instead of --bpe")
      .between(0, 1e6);
  add("min_frequency", &o.min_frequency, "rarer tokens become <unk>").at_least(1);
  add("architecture", &o.architecture, "kind of model").one_of({"seq2seq", "transformer"});
  add("cell", &o.cell, "seq2seq: recurrent cell").one_of({"rnn", "gru", "lstm"});
  add("context", &o.context, "seq2seq: what the decoder receives from the encoder")
      .one_of({"attention", "initial_state", "every_step"});
  add("score", &o.score, "seq2seq: attention score");
  add("layers", &o.layers, "number of layers of the encoder, and of the decoder").between(1, 64);
  add("embedding", &o.embedding, "seq2seq: size of the word vectors").between(1, 16384);
  add("hidden", &o.hidden, "seq2seq: size of the recurrent states").between(1, 16384);
  nn::TransformerOptions& t = o.transformer;
  add("width", &t.model, "transformer: model width (d_model)").between(1, 65536);
  add("heads", &t.heads, "transformer: number of attention heads").between(1, 1024);
  add("kv_heads", &t.kv_heads, "transformer: number of key-value heads, a divisor of --heads; 0: the same number")
      .between(0, 1024);
  add("query_key_norm", &t.query_key_norm, "transformer: normalise the queries and keys of each head");
  add("inner", &t.inner, "transformer: feed-forward width (d_ff)").between(1, 65536);
  add("activation", &t.activation, "transformer: activation of the feed-forward network")
      .one_of({"relu", "gelu", "geglu", "swiglu"});
  add("norm", &t.norm, "transformer: layer norm or RMS norm").one_of({"layer", "rms"});
  add("norm_first", &t.norm_first, "transformer: normalise before each sub-layer (pre-norm), not after it");
  add("final_norm", &t.final_norm, "transformer: normalise after the last layer of each stack");
  add("positions", &t.positions, "transformer: kind of positions")
      .one_of({"sinusoidal", "learned", "rope", "rope_interleaved", "shaw", "shaw_keys", "xl", "alibi", "t5", "none"});
  add("max_positions", &t.max_positions, "transformer: number of learned positions").between(2, 65536);
  add("max_distance", &t.max_distance,
      "transformer: shaw and t5 clip larger distances to this; -1: 16 for shaw, 128 for t5")
      .between(-1, 65534);
  add("tie", &t.tie, "transformer: which embedding and output matrices are tied").one_of({"none", "target", "all"});
  add("output_bias", &t.output_bias, "transformer: give the output layer a bias");
  add("attention_dropout", &t.attention_dropout, "transformer: dropout of the attention weights; -1: as --dropout")
      .between(-1, 0.95);
  add("inner_dropout", &t.inner_dropout, "transformer: dropout inside the feed-forward network; -1: as --dropout")
      .between(-1, 0.95);
  add("dropout", &o.dropout, "dropout probability").between(0, 0.95);
  add("batch_size", &f.batch_size, "sentences per batch").between(1, 65536);
  add("batch_tokens", &f.batch_tokens,
      "padded tokens per batch, instead of --batch-size: rows times the longest sentence; 0: off")
      .between(0, 1e8);
  add("accumulate", &f.accumulate, "batches per step (gradient accumulation)").between(1, 10000);
  add("optimizer", &f.optimizer, "optimiser").one_of({"adam", "adamw"});
  add("learning_rate", &f.learning_rate, "peak learning rate").above(0);
  add("schedule", &f.schedule, "schedule of the learning rate")
      .one_of({"warmup_cosine", "noam", "inverse_sqrt", "plateau", "constant"});
  add("warmup", &f.warmup, "warm-up steps, during which the learning rate rises").between(1, 1e9);
  add("factor", &f.factor, "factor of the noam schedule").above(0);
  add("beta1", &f.beta1, "Adam: decay of the mean of the gradients").between(0, 0.9999999);
  add("beta2", &f.beta2, "Adam: decay of the mean of the squared gradients").between(0, 0.9999999);
  add("epsilon", &f.epsilon, "Adam: constant added to the denominator").above(0);
  add("weight_decay", &f.weight_decay, "weight decay").at_least(0);
  add("clip", &f.clip, "clip the norm of all gradients to this; 0: no clipping").at_least(0);
  add("label_smoothing", &f.label_smoothing, "probability that label smoothing spreads over all words")
      .between(0, 0.99);
  add("weights", &f.weights, "parameters to validate and save: the trained ones, or an average of them")
      .one_of({"trained", "ema", "average"});
  add("ema", &f.ema_decay, "--weights ema: decay of the moving average").between(0, 0.9999999);
  add("average", &f.average, "--weights average: number of epochs to average").between(1, 1000);
  add("keep", &f.keep, "which of the validated parameters are saved in the end").one_of({"best", "last"});
  add("measure", &f.measure, "what decides which epoch is best on the validation set").one_of({"loss", "bleu"});
  add("patience", &f.patience, "stop early after this number of epochs without improvement; 0: never").at_least(0);
  add("seed", &o.seed, "seed of parameters, dropout and the order of the data").between(0, 9007199254740992.0);
  add("bleu", &o.bleu, "translate the validation set after each epoch with greedy search");
  auto may_change = [&](Option&) { all.back().may_change = true; };
  may_change(add("max_epochs", &o.max_epochs, "maximum number of passes over the training data").between(1, 1e6));
  may_change(add("max_minutes", &o.max_minutes, "maximum minutes of training, resumed parts included; 0: no limit")
                 .at_least(0));
  may_change(add("save_minutes", &o.save_minutes,
                 "minutes between saves of the training state, in addition to one after each epoch")
                 .at_least(0));
  may_change(add("log_every", &o.log_every, "steps between lines of metrics.jsonl").between(1, 1e9));
  may_change(add("samples", &o.samples, "validation sentences shown after each epoch").between(0, 1000));
  may_change(add("beam", &o.beam, "number of hypotheses in the beam search of the final translation").between(1, 64));
  return all;
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
    if (auto* const* x = std::get_if<int64_t*>(&k.target)) j.set(k.name, **x);
    if (auto* const* x = std::get_if<double*>(&k.target)) j.set(k.name, **x);
    if (auto* const* x = std::get_if<bool*>(&k.target)) j.set(k.name, **x);
    if (auto* const* x = std::get_if<std::string*>(&k.target)) j.set(k.name, **x);
  }
  return j;
}

TrainOptions train_options_from(const io::Json& json) {
  TrainOptions o = preset(json.text("preset"));
  for (Knob& k : knobs(o)) {
    if (auto** x = std::get_if<int64_t*>(&k.target)) **x = json.integer(k.name);
    if (auto** x = std::get_if<double*>(&k.target)) **x = json.number(k.name);
    if (auto** x = std::get_if<bool*>(&k.target)) **x = json.boolean(k.name);
    if (auto** x = std::get_if<std::string*>(&k.target)) **x = json.text(k.name);
    k.option->assign(value_text(k.target));  // is it within its rule?
  }
  return o;
}

nn::TranslationModel::Options model_options(const TrainOptions& o) {
  if (o.architecture == "transformer") return transformer_of(o);
  return seq2seq_of(o);
}

nn::FitOptions fit_options(const TrainOptions& o) {
  nn::FitOptions fit = o.fit;
  fit.seed = static_cast<uint64_t>(o.seed);
  fit.epochs = o.max_epochs;
  if (o.architecture == "transformer") fit.width = o.transformer.model;
  return fit;
}

}  // namespace heed::app
