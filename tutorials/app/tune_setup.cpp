#include "tutorials/app/tune_setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/error.h"
#include "tutorials/app/tune_data.h"

namespace heed::app {
namespace {

namespace published = nn::published;
using data::EncodedPair;

const published::Tower& tower_of(const published::Model& model) {
  return model.decoder ? *model.decoder : *model.encoder;
}

// The longest text that the model can read; 0: any.
int64_t longest_of(const published::Model& model) {
  const published::TowerOptions& t = tower_of(model).options;
  return t.positions == 0 ? 0 : t.positions - t.first_place - (t.places == "words" ? 1 : 0);
}

void require_kind(const published::Model& model, const TuneFiles& files) {
  const std::string family = model.config.family();
  if (model.encoder && model.decoder)
    throw InputError(fmt::format("train: --from takes an encoder or a decoder; got a {}, which is both", family));
  if (!files.labels.empty() && model.decoder)
    throw InputError(fmt::format(
        "train: --labels needs an encoder, such as BERT; got a {}, a decoder; hint: --text trains it on a text",
        family));
  if (!files.text.empty() && !model.head(model.encoder ? "masked_words" : "next_word"))
    throw InputError(fmt::format("train: --text needs a model with the head of {}; got the {} in \"{}\" without it",
                                 model.encoder ? "masked words" : "the next word", family, files.from));
}

void split(std::vector<EncodedPair> all, uint64_t seed, TuneSetup& s) {
  const std::vector<bool> held = held_out_tenth(all.size(), seed);
  for (size_t i = 0; i < all.size(); ++i) (held[i] ? s.valid : s.train).push_back(std::move(all[i]));
}

std::vector<EncodedPair> encoded(const std::vector<LabelledText>& texts, const TuneSetup& s, int64_t longest,
                                 const std::string& file) {
  std::vector<EncodedPair> out;
  for (const LabelledText& one : texts) {
    const auto at = std::find(s.labels.begin(), s.labels.end(), one.label);
    if (at == s.labels.end())
      throw InputError(
          fmt::format("train: the labels of \"{}\" must be those of the training texts; got \"{}\"", file, one.label));
    out.push_back({s.tokenizer->encode(one.text, {.max_length = longest}).ids(), {at - s.labels.begin()}});
  }
  return out;
}

void read_classes(const TuneFiles& files, const TuneOptions& o, TuneSetup& s) {
  const std::vector<LabelledText> texts = read_labelled(files.labels);
  s.labels = labels_in(texts);
  const std::vector<std::string> known = published::labels_of(*s.model);  // of a folder that knows classes
  std::vector<std::string> sorted = known;
  std::sort(sorted.begin(), sorted.end());
  if (s.model->head("classes") && sorted == s.labels) s.labels = known;
  s.model = published::open_for_classes(files.from, {.labels = s.labels, .seed = static_cast<uint64_t>(o.seed)});
  const std::vector<EncodedPair> all = encoded(texts, s, o.max_length, files.labels);
  if (!files.valid.empty()) {
    s.train = all;
    const std::vector<LabelledText> valid = read_labelled(files.valid);
    s.valid = encoded(valid, s, o.max_length, files.valid);
    for (const LabelledText& one : valid) s.shown.push_back(one.text);
    return;
  }
  split(all, static_cast<uint64_t>(o.seed), s);
  const std::vector<bool> held = held_out_tenth(texts.size(), static_cast<uint64_t>(o.seed));
  for (size_t i = 0; i < texts.size(); ++i)
    if (held[i]) s.shown.push_back(texts[i].text);
}

// Special tokens are never asked for: the words are those after them, and before a [MASK] that is the last token.
data::MaskingOptions masking_of(const TuneSetup& s, const TuneOptions& o) {
  const auto mask = s.tokenizer->special("mask_token");
  if (!mask) throw InputError("train: masked words need a tokenizer with a mask token; got one without");
  data::MaskingOptions m{.vocabulary = tower_of(*s.model).options.vocabulary,
                         .first_word = 0,
                         .mask = *mask,
                         .seed = static_cast<uint64_t>(o.seed)};
  if (*mask == m.vocabulary - 1) --m.vocabulary;
  for (const char* role : {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"})
    if (const auto id = s.tokenizer->special(role); id && *id < m.vocabulary)
      m.first_word = std::max(m.first_word, *id + 1);
  return m;
}

void read_masked_words(const TuneFiles& files, const TuneOptions& o, TuneSetup& s) {
  s.masking = masking_of(s, o);
  auto texts_in = [&](const std::string& path) {
    std::vector<EncodedPair> texts;
    for (const std::string& line : text_lines(path)) {
      std::vector<int64_t> ids = s.tokenizer->encode(line, {.max_length = o.max_length}).ids();
      s.tokens += std::ssize(ids);
      if (std::any_of(ids.begin(), ids.end(), [&](int64_t id) { return id >= s.masking.first_word; }))
        texts.push_back({std::move(ids), {}});
    }
    if (std::ssize(texts) < 2)
      throw InputError(
          fmt::format("train: \"{}\" must have texts with known words, one per line; got {}", path, texts.size()));
    return texts;
  };
  std::vector<EncodedPair> all = texts_in(files.text);
  if (files.valid.empty()) return split(std::move(all), static_cast<uint64_t>(o.seed), s);
  s.train = std::move(all), s.valid = texts_in(files.valid);
}

std::vector<std::string> training_lines(const TuneFiles& files) {
  return files.lines.empty() ? text_lines(files.text) : files.lines;
}

void read_windows(const TuneFiles& files, const TuneOptions& o, TuneSetup& s) {
  std::vector<int64_t>&train = s.train_tokens, &valid = s.valid_tokens;
  train = tokens_of(*s.tokenizer, training_lines(files));
  s.tokens = std::ssize(train);
  if (!files.valid.empty()) {
    valid = tokens_of(*s.tokenizer, text_lines(files.valid));
  } else {  // its end: windows that overlapped training text would say nothing
    const auto cut = train.end() - std::ssize(train) / 10;
    valid.assign(cut, train.end());
    train.erase(cut, train.end());
  }
  if (std::ssize(train) <= o.max_length || valid.size() < 2)
    throw InputError(
        fmt::format("train: the text must be longer than a window of {} tokens; got {} tokens for training and {} for "
                    "validation; hint: a longer text or, of heed train, a smaller --max-length",
                    o.max_length, train.size(), valid.size()));
  const int64_t begin = s.tokenizer->special("bos_token").value_or(-1);
  s.train = nn::windows_of(train, o.max_length, begin), s.valid = nn::windows_of(valid, o.max_length, begin);
  if (o.epoch_steps == 0) return;
  if (const auto all = std::ssize(s.valid); files.valid.empty() && all > kValidWindows) {
    std::vector<EncodedPair> some;
    for (int64_t i = 0; i < kValidWindows; ++i) some.push_back(s.valid[static_cast<size_t>(i * all / kValidWindows)]);
    s.valid = std::move(some);
  }
  s.windows = s.train;
  Generator(static_cast<uint64_t>(o.seed)).shuffle(s.windows);  // so that every epoch reads from the whole text
  s.train.clear();
  for (size_t i = 0, n = static_cast<size_t>(o.epoch_steps * o.fit.batch_size * o.fit.accumulate); i < n; ++i)
    s.train.push_back(s.windows[i % s.windows.size()]);
}

// A new model and its tokenizer, which is learned from the text at first and read again when the run goes on.
void make_new(const TuneFiles& files, TuneOptions& o, const std::string& out, TuneSetup& s) {
  const bool bert = files.made == "bert";
  if (out.empty()) {
    const tokenizers::LearnOptions learn{.vocabulary = o.model.vocabulary, .max_length = o.max_length};
    const std::vector<std::string> lines = training_lines(files);
    s.learned = bert ? learn_wordpiece(lines, learn) : learn_byte_pairs(lines, learn);
    s.tokenizer.emplace(tokenizers::PublishedTokenizer::described_by(s.learned->tokenizer, s.learned->config));
  } else {
    s.tokenizer.emplace(tokenizers::PublishedTokenizer::open(out));
  }
  published::NewModelOptions sizes = o.model;
  sizes.vocabulary = s.tokenizer->vocabulary_size(), sizes.longest = o.max_length;
  try {
    s.model = published::make(bert ? published::bert_config(sizes) : published::llama_config(sizes),
                              static_cast<uint64_t>(o.seed));
  } catch (const ValueError& error) { throw InputError(error.what()); }
}

}  // namespace

TuneOptions::TuneOptions() {
  fit.batch_size = 32, fit.patience = 3, fit.optimizer = "adamw", fit.weight_decay = 0.01, fit.learning_rate = 0;
}

void TuneOptions::fields(nn::OptionFields& f) {
  f("max_length", max_length,
    "longest text in tokens; longer ones are cut. With --text for a decoder, the length of the windows that it is cut "
    "into",
    {2, 1 << 20});
  f("max_epochs", max_epochs, "epochs to train", {1, 1e6}).may_change = true;
  f("epoch_steps", epoch_steps,
    fmt::format("--text for a decoder: an epoch has this many steps, and the next one goes on in the text; validation "
                "then reads at most {} windows of the held-out tenth, evenly spread; 0: an epoch reads all of it",
                kValidWindows),
    {0, 10000});
  f("max_minutes", max_minutes, "stop after this time of work; 0: no limit").may_change = true;
  f("save_minutes", save_minutes, "minutes between saved states within an epoch").may_change = true;
  f("log_every", log_every, "steps between two lines of metrics.jsonl", {1, 1e9});
  f("samples", samples, "validation texts in the report, after each epoch", {0, 1000}).may_change = true;
  f("prompt", prompt,
    "--text for a decoder: what the samples in the report go on with; default: beginnings of validation windows")
      .may_change = true;
  f("seed", seed, "seed of the held-out tenth, of drawn weights, of dropout and of the order of texts", {0, 1e15});
  f("lora", lora,
    "train low-rank adapters of this rank, and no other weights but those of a head of classes; 0: all weights",
    {0, 4096});
  auto of_lora = [&](nn::OptionField& field) {
    field.needs = nn::Need{"lora", "at least 1", [this] { return lora > 0; }};
  };
  of_lora(f("lora_alpha", lora_alpha, "their product is multiplied by this divided by the rank; 0: twice the rank"));
  of_lora(f("lora_where", lora_where, "the matrices that get adapters, by name: * stands for any text"));
  nn::OptionFields of_fit;
  fit.fields(of_fit);
  for (nn::OptionField& field : of_fit.all)
    for (const char* name : {"batch_size", "accumulate", "precision", "optimizer", "learning_rate", "schedule",
                             "warmup", "weight_decay", "clip", "keep", "patience"})
      if (field.name == name) f.all.push_back(field);
  model.fields(f);
  for (nn::OptionField& field : f.all)
    if (field.name == "learning_rate") field.range = {}, field.help = "peak learning rate; 0: as below";
}

TuneSetup set_up_tuning(const TuneFiles& files, TuneOptions& o, const std::string& out) {
  TuneSetup s;
  if (!files.made.empty()) {
    make_new(files, o, out, s);
  } else {
    s.model = published::open(files.from, {.trainable = true});
    require_kind(*s.model, files);
    s.tokenizer.emplace(tokenizers::PublishedTokenizer::open(files.from));
    if (const int64_t known = s.tokenizer->vocabulary_size(), V = tower_of(*s.model).options.vocabulary; known > V)
      throw InputError(fmt::format(
          "train: the tokenizer must be that of the model; got tokens up to {} and a model of {}", known - 1, V));
  }
  if (const int64_t most = longest_of(*s.model); most > 0) o.max_length = std::min(o.max_length, most);
  s.pad = s.tokenizer->special("pad_token").value_or(0);
  s.task = !files.labels.empty() ? TuneTask::classes : s.model->encoder ? TuneTask::masked_words : TuneTask::next_word;
  if (s.task != TuneTask::next_word && (o.epoch_steps > 0 || !o.prompt.empty()))
    throw InputError(fmt::format("train: {} is for a decoder that learns from a text; got an encoder",
                                 o.epoch_steps > 0 ? "--epoch-steps" : "--prompt"));
  if (s.task == TuneTask::classes) read_classes(files, o, s);
  if (s.task == TuneTask::masked_words) read_masked_words(files, o, s);
  if (s.task == TuneTask::next_word) read_windows(files, o, s);
  if (s.train.empty()) throw InputError("train: a tenth is held out, so there must be at least two texts; got one");
  return s;
}

}  // namespace heed::app
