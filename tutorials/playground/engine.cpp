#include "tutorials/playground/engine.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/data/grammar/toy_corpus.h"
#include "nn/io/half.h"
#include "tensor/reduce.h"

namespace heed::playground {
namespace {

using Words = std::vector<std::string>;
constexpr int64_t kMostWords = 40;  // of a source, and of a translation

// Lower-case words without punctuation, as the grammar has them. ASCII: the source is English.
Words split(const std::string& sentence) {
  Words words(1);
  for (char c : sentence) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\'' || static_cast<unsigned char>(c) > 127;
    if (c >= 'A' && c <= 'Z')
      words.back() += static_cast<char>(c - 'A' + 'a');
    else if (letter || c == '-')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

nn::Bahdanau::Options model_options(const Options& o, int64_t source, int64_t target) {
  nn::Bahdanau::Options m;
  m.source = {source, o.embedding}, m.target = {target, o.embedding};
  m.encoder.hidden = m.decoder.hidden = o.hidden;
  m.start = "last", m.dropout = 0;
  return m;
}

std::vector<data::EncodedPair> encoded(const std::vector<data::AlignedPair>& pairs, const text::Vocabulary& source,
                                       const text::Vocabulary& target) {
  std::vector<data::EncodedPair> out;
  for (const auto& p : pairs) out.push_back({source.encode(p.source, {.append_stop = true}), target.encode(p.target)});
  return out;
}

}  // namespace

uint16_t narrow_f16(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  float size = std::fabs(x);
  if (size < 0x1p-14f) return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(size * 0x1p24f)));
  if (size >= 65520) return static_cast<uint16_t>(sign | 0x7c00u);
  uint32_t wide = bits & 0x7fffffffu;
  wide += 0xfffu + (wide >> 13 & 1u);  // the nearest, ties to even
  return static_cast<uint16_t>(sign | ((wide - ((127u - 15u) << 23)) >> 13));
}

Playground::Playground(const Options& o) : options_(o) {
  data::ToyCorpus corpus =
      data::toy_corpus({.train = o.sentences, .validation = 100, .test = 200, .combinations = 0, .seed = 1});
  std::vector<Words> source, target;
  for (const auto& p : corpus.train) source.push_back(p.source), target.push_back(p.target);
  source_ = text::Vocabulary(source), target_ = text::Vocabulary(target);
  train_ = encoded(corpus.train, source_, target_), valid_ = encoded(corpus.validation, source_, target_);
  for (const auto& s : data::showcase_sentences()) {
    samples_.push_back(s.pair);
    if (s.pair.source.back() == "1992") agreement_ = s.pair;
  }
  for (const auto& p : corpus.test) test_source_.push_back(p.source), test_target_.push_back(p.target);
  for (size_t i = 0; i < corpus.test.size() && samples_.size() < 40; i += 5) samples_.push_back(corpus.test[i]);
  Generator rng(o.seed);
  model_ = std::make_unique<nn::Bahdanau>(model_options(o, source_.size(), target_.size()), rng);
}

std::vector<int64_t> Playground::ids(const std::string& sentence, Words* words, Words* unknown) const {
  *words = split(sentence);
  if (static_cast<int64_t>(words->size()) > kMostWords)
    throw ValueError(fmt::format("translate: a sentence has at most {} words; got {}", kMostWords, words->size()));
  for (const auto& w : *words)
    if (!source_.contains(w)) unknown->push_back(w);
  return source_.encode(*words, {.append_stop = true});
}

// Greedy decoding, step by step: s_t, the weights, the context and p(next word) of nn/models/bahdanau.h. The hooks see
// scores and weights as the stages of attention return them, and put the forced weights in their place.
std::vector<Step> Playground::decode(const std::vector<int64_t>& source, const std::vector<Forced>& forced,
                                     int64_t limit, nn::Source* read) const {
  nn::Evaluating evaluating;
  data::Batch batch = data::make_source_batch({source});
  auto [memory, state] = model_->encode(batch.source, batch.lengths);
  *read = memory;
  std::vector<Step> steps;
  nn::Attention& attention = model_->attention;
  auto S = static_cast<int64_t>(source.size());
  Step now;
  attention.score->output_hooks.push_back([&](std::string_view name, const Variable& x) {
    if (name == "scores") now.scores = x;
    return Variable();
  });
  attention.normaliser->output_hooks.push_back([&](std::string_view name, const Variable& w) {
    if (name != "weights") return Variable();
    Variable used = w;
    for (const Forced& f : forced) {
      if (f.step != static_cast<int64_t>(steps.size()) || f.source < 0 || f.source >= S) continue;
      Tensor row = used.value().clone();  // [1, 1, S]
      for (int64_t s = 0; s < S; ++s)
        row.set({0, 0, s}, (1 - f.share) * row.at({0, 0, s}) + (s == f.source ? f.share : 0));
      used = Variable(row, Variable::kRequiresGrad);
      now.forced = true;
    }
    now.weights = used;
    return used;
  });
  try {
    int64_t word = text::Vocabulary::start;
    while (static_cast<int64_t>(steps.size()) < limit && word != text::Vocabulary::stop) {
      now = {};
      now.query = model_->decoder.top(state);
      nn::Step s = model_->step(model_->embed(Tensor::from(std::vector<int64_t>{word}, {1})), state, memory);
      state = s.state;
      now.context = s.context, now.features = s.features;
      now.logits = model_->logits(s.features);
      now.log_p = log_softmax(now.logits, -1);
      word = now.word = static_cast<int64_t>(argmax(now.logits.value(), 1).at({0}));
      steps.push_back(now);
    }
  } catch (...) {
    attention.score->output_hooks.clear(), attention.normaliser->output_hooks.clear();
    throw;
  }
  attention.score->output_hooks.clear(), attention.normaliser->output_hooks.clear();
  return steps;
}

io::Json Playground::translate(const std::string& sentence, const std::vector<Forced>& forced) const {
  NoGrad guard;
  Words words, unknown;
  auto source = ids(sentence, &words, &unknown);
  nn::Source read;
  io::Json out = io::Json::object({}), rows = io::Json::array();
  words.push_back("</s>");
  out.set("source", words), out.set("unknown", unknown);
  double total = 0;
  for (const Step& s : decode(source, forced, kMostWords, &read)) {
    io::Json row = io::Json::object({});
    double p = s.log_p.value().at({0, s.word});
    total += p;
    row.set("word", s.word == text::Vocabulary::stop ? "</s>" : target_.token(s.word)), row.set("id", s.word);
    row.set("log_p", p), row.set("forced", s.forced);
    row.set("weights", s.weights.value().to_vector()), row.set("scores", s.scores.value().to_vector());
    std::vector<std::pair<double, int64_t>> best;
    for (int64_t v = 0; v < target_.size(); ++v) best.emplace_back(-s.log_p.value().at({0, v}), v);
    std::partial_sort(best.begin(), best.begin() + 5, best.end());
    io::Json others = io::Json::array();
    for (size_t i = 0; i < 5; ++i) {
      io::Json one = io::Json::object({});
      one.set("word", target_.token(best[i].second)), one.set("id", best[i].second);
      one.set("p", std::exp(-best[i].first));
      others.push(one);
    }
    row.set("best", others);
    rows.push(row);
  }
  out.set("steps", rows), out.set("log_p", total);
  return out;
}

io::Json Playground::examples() const {
  io::Json out = io::Json::array();
  for (const auto& p : samples_) out.push(fmt::format("{}", fmt::join(p.source, " ")));
  return out;
}

io::Json Playground::train(int64_t steps) {
  if (!run_) {
    nn::FitOptions fitting{.epochs = options_.epochs,
                           .batch_size = options_.batch_size,
                           .learning_rate = options_.learning_rate,
                           .warmup = 100};
    fitting.seed = options_.seed;
    run_ = std::make_unique<nn::FitRun>(nn::fit_model(*model_), train_, valid_, fitting);
  }
  nn::FitWatcher watcher;
  std::vector<double> losses;
  watcher.on_step = [&](const nn::FitStep& s) { losses.push_back(s.loss); };
  for (int64_t i = 0; i < steps && !run_->done(); ++i) run_->step(watcher);
  io::Json out = io::Json::object({});
  out.set("step", run_->steps()), out.set("of", run_->all_steps()), out.set("done", run_->done());
  out.set("losses", losses);
  if (!run_->history().empty()) out.set("valid_loss", run_->history().back().valid_loss);
  return out;
}

io::Json Playground::alignment() const {
  NoGrad guard;
  nn::Evaluating evaluating;
  auto pair = encoded({agreement_}, source_, target_);
  data::Batch b = data::make_batch(pair, {0});
  Variable weights;  // [1, T, S]
  (*model_)(b.source, b.lengths, b.target_in, &weights);
  io::Json out = io::Json::object({});
  Words source = agreement_.source, target = agreement_.target;
  source.push_back("</s>"), target.push_back("</s>");
  out.set("source", source), out.set("target", target), out.set("weights", weights.value().to_vector());
  std::vector<int64_t> gold;  // pairs target, source
  for (const auto& l : agreement_.links) gold.push_back(l.target), gold.push_back(l.source);
  out.set("gold", gold);
  return out;
}

double Playground::exact(int64_t pairs) const {
  NoGrad guard;
  int64_t right = 0;
  for (int64_t i = 0; i < pairs; ++i) {
    auto at = static_cast<size_t>(i);
    nn::Source read;
    std::vector<int64_t> written;
    for (const Step& s : decode(source_.encode(test_source_[at], {.append_stop = true}), {}, kMostWords, &read))
      written.push_back(s.word);
    right += target_.decode(written) == test_target_[at];
  }
  return 100.0 * static_cast<double>(right) / static_cast<double>(pairs);
}

std::vector<uint16_t> Playground::save() const {
  std::vector<uint16_t> out;
  for (const auto& p : nn::named_parameters(*model_))
    for (double x : p.variable.value().to_vector()) out.push_back(narrow_f16(static_cast<float>(x)));
  return out;
}

void Playground::load(const std::vector<uint16_t>& numbers) {
  size_t at = 0, count = static_cast<size_t>(nn::count_parameters(*model_));
  if (numbers.size() != count)
    throw ValueError(fmt::format("load: needs {} numbers, one per parameter; got {}", count, numbers.size()));
  for (auto& p : nn::named_parameters(*model_)) {
    std::vector<float> values(static_cast<size_t>(p.variable.count()));
    for (float& x : values) x = io::widen_f16(numbers[at++]);
    p.variable.set_value(Tensor::from(values, p.variable.shape()));
  }
  run_.reset();
}

}  // namespace heed::playground
