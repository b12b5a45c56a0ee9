#include "tutorials/app/train_run.h"

#include <fmt/format.h>

#include <cmath>

#include "nn/attention/registry.h"
#include "nn/io/file.h"
#include "nn/io/pack.h"
#include "nn/text/bleu.h"
#include "tensor/error.h"
#include "tutorials/app/train_report.h"
#include "tutorials/common/output.h"

namespace heed::app {
namespace {

std::vector<std::vector<std::string>> sources_of(const std::vector<text::TokenPair>& pairs) {
  std::vector<std::vector<std::string>> out;
  for (const auto& p : pairs) out.push_back(p.source);
  return out;
}

text::Vocabulary vocabulary_of(const std::vector<text::TokenPair>& pairs, const text::Bpe* bpe, bool source,
                               bool target, int64_t min_frequency) {
  text::WordCounts counts;
  for (const auto& p : pairs) {
    if (source) counts.add(bpe ? bpe->segment(p.source) : p.source);
    if (target) counts.add(bpe ? bpe->segment(p.target) : p.target);
  }
  return text::Vocabulary(counts, {.min_frequency = min_frequency});
}

// To four digits. A small weight stays small: the page marks those that are exactly zero.
std::vector<double> rounded(const std::vector<float>& values) {
  std::vector<double> out;
  for (float v : values) out.push_back(std::stod(fmt::format("{:.4g}", v)));
  return out;
}

// The options that stay when a run goes on.
io::Json lasting(TrainOptions o) {
  const io::Json all = to_json(o);
  io::Json kept = io::Json::object();
  for (const nn::OptionField& f : nn::fields_of(o))
    if (!f.may_change) kept.set(f.name, all.at(f.name));
  return kept;
}

bool with_pieces(const TrainOptions& o) { return o.bpe > 0 || o.bpe_vocabulary > 0; }
text::BpeOptions pieces_of(const TrainOptions& o) { return {.merges = o.bpe, .vocabulary_size = o.bpe_vocabulary}; }

}  // namespace

namespace {
double bleu_of(const std::vector<std::string>& hypotheses, const std::vector<text::TokenPair>& pairs) {
  std::vector<std::string> references;
  for (const text::TokenPair& pair : pairs) references.push_back(fmt::format("{}", fmt::join(pair.target, " ")));
  return text::bleu(hypotheses, references, {.tokens = text::BleuTokens::none}).bleu;
}
}  // namespace

double bleu_of(const std::vector<nn::Translation>& translations, const std::vector<text::TokenPair>& pairs) {
  std::vector<std::string> hypotheses;
  for (const nn::Translation& t : translations) hypotheses.push_back(fmt::format("{}", fmt::join(t.words, " ")));
  return bleu_of(hypotheses, pairs);
}

nn::Translator fresh_translator(const TrainOptions& o, const TranslateData& d) {
  nn::TranslatorParts parts{.tokenizers = d.tokenizers, .source = {}, .target = {}};
  if (with_pieces(o)) {
    parts.bpe = d.bpe ? *d.bpe : learn_pieces(d.train, pieces_of(o));
    parts.source = parts.target = vocabulary_of(d.train, &*parts.bpe, true, true, o.min_frequency);
  } else if (nn::output_needs_alignment(o.model.output())) {
    parts.source = parts.target = vocabulary_of(d.train, nullptr, true, true, o.min_frequency);  // to copy words
  } else {
    parts.source = vocabulary_of(d.train, nullptr, true, false, o.min_frequency);
    parts.target = vocabulary_of(d.train, nullptr, false, true, o.min_frequency);
  }
  if (const auto* t = o.model.as<nn::Transformer>(); t && t->tie == "all" && !parts.bpe)
    throw InputError("train: tie all needs one vocabulary for both languages; got words; hint: --bpe, or --tie target");
  return nn::Translator(std::move(parts), o.model, static_cast<uint64_t>(o.seed));
}

TranslateData read_data(const TrainFiles& files, const TrainOptions& o) {
  TranslateData d = load_translate_data({.pairs = files.pairs,
                                         .source = files.source,
                                         .target = files.target,
                                         .valid_source = files.valid_source,
                                         .valid_target = files.valid_target,
                                         .tokenize = o.tokenize,
                                         .max_length = o.max_length,
                                         .limit = o.limit});
  if (with_pieces(o)) limit_pieces(d, learn_pieces(d.train, pieces_of(o)), o.max_length);
  return d;
}

io::Json config_of(const TrainFiles& files, const TrainOptions& o, const TranslateData& d) {
  return io::Json::object({{"program", "heed " HEED_VERSION},
                           {"data", io::Json::object({{"src", files.source},
                                                      {"tgt", files.target},
                                                      {"valid_src", files.valid_source},
                                                      {"valid_tgt", files.valid_target},
                                                      {"pairs", files.pairs},
                                                      {"training_pairs", d.train.size()},
                                                      {"validation_pairs", d.validation.size()},
                                                      {"fingerprint", fmt::format("{:016x}", d.fingerprint)}})},
                           {"options", to_json(o)}});
}

TrainRun::TrainRun(const TrainOptions& options, const TranslateData& data, nn::Ranks& ranks, bool shard)
    : ranks_(ranks),
      shard_(shard),
      options_(options),
      data_(data),
      translator_(fresh_translator(options, data)),
      train_(translator_.encode(data.train)),
      valid_(translator_.encode(data.validation)),
      loop_({.max_epochs = options.max_epochs,
             .log_every = options.log_every,
             .max_minutes = options.max_minutes,
             .save_minutes = options.save_minutes},
            lasting(options)),
      run_(fit_model(), train_, valid_, checked_options()) {
  if (ranks.size() == 1) return;
  nn::require_same(ranks, "configuration", to_json(options).dump());
  nn::require_same(ranks, "data", fmt::format("{:016x}", data.fingerprint));
  nn::require_same(ranks, "vocabulary", vocabularies());
}

std::string TrainRun::vocabularies() const {
  io::Packer all;
  for (const text::Vocabulary* words : {&translator_.parts.source, &translator_.parts.target})
    for (const std::string& line : words->to_lines()) all.add(line);
  for (const auto* pairs : {&train_, &valid_})
    for (const data::EncodedPair& pair : *pairs)
      for (const auto* side : {&pair.source, &pair.target})
        for (int64_t id : *side) all.add(id);
  return all.bytes;
}

nn::FitModel TrainRun::fit_model() {
  nn::FitModel model = nn::fit_model(translator_.model);
  model.parts.push_back(loop_.part());
  if (options_.bleu) model.bleu = [this] { return judge(); };
  return model;
}

// Rank r translates sentences r, r + R, ..; all get all.
double TrainRun::judge() {
  const std::vector<std::vector<std::string>> sources = sources_of(data_.validation);
  const auto R = static_cast<size_t>(ranks_.size());
  std::vector<std::vector<std::string>> own;
  for (size_t i = static_cast<size_t>(ranks_.rank()); i < sources.size(); i += R) own.push_back(sources[i]);
  io::Packer mine;
  for (const nn::Translation& t : translator_.translate(own)) mine.add(fmt::format("{}", fmt::join(t.words, " ")));
  const std::vector<std::string> all = ranks_.gather(mine.bytes);
  std::vector<io::Unpacker> shares(all.begin(), all.end());
  std::vector<std::string> hypotheses;
  for (size_t i = 0; i < sources.size(); ++i) hypotheses.push_back(shares[i % R].text());
  return bleu_of(hypotheses, data_.validation);
}

namespace {
// The part of a model that has a limited number of positions, and the option that sets this number.
struct PositionLimit {
  std::string what, option;
};
std::string text_called(TrainOptions o, const std::string& option) {  // "" where the paper has none
  const std::vector<nn::OptionField> fields = fields_called(o, option);
  return fields.empty() ? "" : nn::text_of(fields[0]);
}
int64_t smallest_table(const TrainOptions& o) {  // of all stages but `positions`; 0: no table
  if (const auto* model = o.model.as<nn::Transformer>()) {
    nn::TransformerOptions t = *model;
    t.positions = "none";
    return nn::position_limit(t);
  }
  const nn::StageOptions stage = nn::stage_from(nn::Kind::score, text_called(o, "score"));
  const nn::SettingValues score = nn::completed_stage(nn::Kind::score, stage).settings;
  return score.contains("max_source") ? static_cast<int64_t>(score.at("max_source")) : 0;
}
PositionLimit limit_of(const TrainOptions& o, int64_t most) {
  const auto* t = o.model.as<nn::Transformer>();
  const std::string table = fmt::format("the table of {} positions", most);
  if (t && t->positions == "learned" && t->max_positions == most) return {table, "--max-positions"};
  if (text_called(o, "positions").starts_with("xpos") && most != smallest_table(o))
    return {fmt::format("the {} words within the range of --positions xpos", most),
            "decay, as in --positions xpos:decay=1024,"};
  return {table, "max_source or longest, as in --score location:max_source=200"};
}
}  // namespace

// Checks that the data fit the options.
nn::FitOptions TrainRun::checked_options() const {
  int64_t longest = 0, most = translator_.model.max_positions(), batch = options_.fit.batch_tokens;
  auto look = [&](const std::vector<data::EncodedPair>& pairs) {
    for (const auto& p : pairs) longest = std::max({longest, std::ssize(p.source), std::ssize(p.target) + 1});
  };
  look(train_);
  if (batch > 0 && longest > batch)
    throw InputError(
        fmt::format("train: a batch of {} tokens must hold the longest pair; got one of {}; hint: a larger "
                    "--batch-tokens or a smaller --max-length",
                    batch, longest));
  look(valid_);
  if (most > 0 && longest > most) {
    const PositionLimit limit = limit_of(options_, most);
    throw InputError(
        fmt::format("train: {} must hold the longest pair; got one of {}; hint: a larger {} or a smaller --max-length",
                    limit.what, longest, limit.option));
  }
  nn::FitOptions options = fit_options(options_);
  options.ranks = &ranks_, options.shard = shard_;
  return options;
}

void TrainRun::open(nn::RunFolder* folder, bool begun) {
  folder_ = folder;
  loop_.open(folder, run_, begun);
  if (begun) return;
  if (folder) note_no_words(translator_.parts.source, translator_.parts.target, options_.min_frequency);
  loop_.save();  // before any model: a folder with a model and no state has lost it, which --resume refuses
}

// The model holds the validated parameters here.
void TrainRun::log_epoch(const nn::EpochRecord& r) {
  folder_->append("metrics.jsonl", loop_.epoch_line(r));

  std::vector<text::TokenPair> shown;  // spread over the validation set
  auto n = static_cast<int64_t>(data_.validation.size()), samples = std::min(options_.samples, n);
  for (int64_t i = 0; i < samples; ++i) shown.push_back(data_.validation[static_cast<size_t>(i * n / samples)]);
  io::Json list = io::Json::array();
  std::vector<nn::Translation> translations = translator_.translate(sources_of(shown));
  for (size_t i = 0; i < shown.size(); ++i)
    list.push(io::Json::object({{"source", data_.tokenizers.source.join(shown[i].source)},
                                {"reference", data_.tokenizers.target.join(shown[i].target)},
                                {"translation", translations[i].text}}));
  io::Json sample = io::Json::object({{"step", run_.steps()}, {"epoch", r.epoch}, {"samples", list}});
  if (translator_.model.attends()) {
    nn::Translation t = translator_.align({data_.showcase[0].source, data_.showcase[0].target});
    sample.set("alignment",
               io::Json::object({{"source", t.source}, {"target", t.target}, {"weights", rounded(t.weights)}}));
  }
  folder_->append("samples.jsonl", sample);

  std::string note = fmt::format("validation perplexity {:.2f}", r.valid_perplexity());
  if (r.bleu) note += fmt::format(", BLEU {:.1f}", *r.bleu);
  for (const auto& [name, value] : r.penalties) note += fmt::format(", {} {:.3g}", name, value);
  loop_.note(note);
}

TrainRun::End TrainRun::run() {
  nn::FitWatcher watcher;
  if (folder_) {  // rank 0
    watcher.on_epoch = [&](const nn::EpochRecord& r) { log_epoch(r); };
    watcher.on_best = [&](const nn::EpochRecord& r) {
      translator_.epochs = r.epoch;
      translator_.save(folder_->file("model.safetensors"), {});
    };
  }
  const End end = loop_.run(std::move(watcher), [this] { write_train_report(*folder_); });
  if (folder_ && end != End::interrupted && !folder_->has("model.safetensors")) {  // somebody has removed it
    say("the model was gone; it is made again from the state of its run");
    translator_.epochs = run_.finish().best_epoch;  // gives the parameters that were kept
    translator_.save(folder_->file("model.safetensors"), {});
  }
  return end;
}

Figures figures_of(nn::Translator& t, const TranslateData& d, int64_t beam) {
  nn::Evaluating evaluating;
  Figures f{.perplexity = std::exp(nn::mean_loss(nn::fit_model(t.model), t.encode(d.validation))), .bleu = 0};
  f.bleu = bleu_of(t.translate(sources_of(d.validation), {.beam = beam}), d.validation);
  return f;
}

}  // namespace heed::app
