// A sentence's loss and its gradient do not depend on what else is in its batch, and a step made of several batches has
// the loss, the penalties and the gradient of one large batch:
//
//   batch of N sentences   =   N batches of one sentence   =   a batch of N - 2 and one of 2
//
// for every choice of every option of the models, with label smoothing and sentences of different lengths: the options
// are walked, so that a new stage, output or penalty is tried by itself.
#include <cmath>
#include <memory>
#include <set>

#include "nn/models/bahdanau.h"
#include "nn/models/deep_fusion.h"
#include "nn/models/fixed_vector.h"
#include "nn/models/luong.h"
#include "nn/models/papers.h"
#include "nn/pooling/pooler.h"
#include "nn/sentence/training.h"
#include "nn/text/vocabulary.h"
#include "nn/train/fit.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using data::EncodedPair;

namespace {

constexpr int64_t V = 12;  // words 4 .. 11
using Pairs = std::vector<EncodedPair>;

// Six sentences of 0 to 5 source words. An output that copies gets sources with 0, 3, 6, .. words that the vocabulary
// lacks, one of which is a target; a pointer has positions of the source as targets.
Pairs pairs_for(const std::string& output) {
  Pairs all;
  Generator rng(3);
  auto some = [&](std::vector<int64_t>& words, int64_t count) {
    for (int64_t k = 0; k < count; ++k) words.push_back(4 + rng.below(V - 4));
  };
  for (int64_t i = 0; i < 6; ++i) {
    EncodedPair p;
    some(p.source, i), some(p.target, (i * 4) % 6);
    bool copies = nn::output_needs_alignment(output), points = output == "pointer";
    for (int64_t k = 0; copies && k < 3 * i; ++k) p.source.push_back(V + k);
    if (copies && !points && i > 0) p.target.push_back(V + 1);
    if (points)
      for (int64_t& word : p.target) word = 4 + word % std::ssize(p.source);
    p.source.push_back(text::Vocabulary::stop);
    all.push_back(p);
  }
  return all;
}

struct Outcome {
  double loss = 0;
  std::map<std::string, double> penalties;
  std::vector<Tensor> gradients;
};

// One step over all pairs, `size` to a batch.
Outcome one_step(nn::FitModel model, const Pairs& pairs, int64_t size, nn::FitOptions how) {
  how.epochs = 1, how.batch_size = size, how.clip = 0, how.accumulate = (std::ssize(pairs) + size - 1) / size;
  Outcome out;
  nn::FitWatcher watcher;
  watcher.on_step = [&](const nn::FitStep& s) { out.loss = s.loss, out.penalties = s.penalties; };
  nn::FitRun run(model, pairs, pairs, how);
  run.step(watcher);
  REQUIRE(run.steps() == 1);
  REQUIRE(run.done());
  for (auto& p : model.parameters) out.gradients.push_back(p.variable.grad());
  return out;
}

// `fresh` makes the same model anew; `alone`: also one sentence at a time. Returns the number of penalties.
template <class F>
size_t check_parts(const F& fresh, const Pairs& pairs, const nn::FitOptions& how = {.label_smoothing = 0.1},
                   bool alone = true) {
  auto run = [&](int64_t size) {
    auto model = fresh();
    return one_step(model->fit, pairs, size, how);
  };
  Outcome whole = run(std::ssize(pairs));
  for (int64_t size : {std::ssize(pairs) - 2, std::ptrdiff_t{1}}) {
    if (size == 1 && !alone) continue;
    CAPTURE(size);
    Outcome parts = run(size);
    CHECK(std::isfinite(whole.loss));
    CHECK(std::abs(parts.loss - whole.loss) <= 1e-11 * std::max(1.0, std::abs(whole.loss)));
    REQUIRE(parts.penalties.size() == whole.penalties.size());
    for (auto& [penalty, value] : whole.penalties) {
      const std::string name = penalty;
      CAPTURE(name);
      CHECK(std::abs(parts.penalties.at(name) - value) <= 1e-11 * std::max(1.0, std::abs(value)));
    }
    double worst = 0;
    for (size_t i = 0; i < whole.gradients.size(); ++i)
      if (whole.gradients[i].defined()) {
        REQUIRE(parts.gradients[i].defined());
        worst = std::max(worst, relative_error(parts.gradients[i], whole.gradients[i]));
      }
    CHECK(worst <= 1e-11);
  }
  return whole.penalties.size();
}

struct Fresh {
  std::unique_ptr<nn::EncoderDecoder> model;
  nn::FitModel fit;
  Fresh(const nn::AnyPaper& paper, bool training) : fit() {
    Generator rng(1);
    model = paper.make({V, V}, rng);
    nn::convert(*model, DType::f64);
    fit = nn::fit_model(*model);
    if (!training) fit.set_training = [this](bool) { nn::set_training(*model, false); };
  }
};

// A stage with settings for short sentences: windows, distances and numbers of at most 2, weights of penalties 1/2.
std::string small_text(const std::string& name) {
  for (const nn::Stages& stages : nn::all_stages())
    for (const nn::CatalogueEntry& row : *stages.rows) {
      if (row.name != name || (stages.kind == nn::Kind::position && !row.position))
        continue;  // not those of the embedding
      nn::StageOptions o{.name = name};
      for (const nn::OptionField& s : row.settings) {
        if (is_whole(s) && number_of(s) > 2 && s.name != "max_source" && s.name != "longest")
          o.settings[s.name] = std::clamp(2., s.range.least, s.range.most);
        if (!is_whole(s) && s.range.least == 0 && number_of(s) < 1e-3) o.settings[s.name] = std::min(.5, s.range.most);
      }
      return nn::text_of(stages, o);
    }
  return name;
}

// The values that a field is tried with, as changes of the options.
std::vector<std::pair<std::string, std::function<void(nn::OptionField&)>>> values_of(const nn::OptionField& f) {
  std::vector<std::pair<std::string, std::function<void(nn::OptionField&)>>> out;
  auto add = [&](const std::string& text, auto change) { out.emplace_back(f.name + " " + text, change); };
  if (f.name.find("dropout") != std::string::npos) return out;
  if (std::holds_alternative<bool*>(f.place))
    add("turned", [](nn::OptionField& to) {
      bool* b = std::get<bool*>(to.place);
      *b = !*b;
    });
  if (std::holds_alternative<double*>(f.place))
    add("1/2", [](nn::OptionField& to) { *std::get<double*>(to.place) = 0.5; });
  if (std::holds_alternative<int64_t*>(f.place) && f.range.least <= 2)
    add("2", [](nn::OptionField& to) { *std::get<int64_t*>(to.place) = 2; });
  for (const std::string& name : f.names)
    add(name, [text = small_text(name)](nn::OptionField& to) {
      if (auto* const* at = std::get_if<std::string*>(&to.place)) **at = text;
      if (auto* at = std::get_if<nn::TextPlace>(&to.place)) at->set(text);
    });
  return out;
}

struct Walked {
  int tried = 0, refused = 0, walks = 0;
  std::set<std::string> penalised;  // the choices that add a term to the loss
};

void walk(const std::string& name, const nn::AnyPaper& base, Walked& walked) {
  nn::AnyPaper start = base;
  auto fields = start.fields();
  int choice = 0;  // one sentence at a time takes long: each of four walks does it for another quarter of them
  ++walked.walks;
  for (size_t i = 0; i < fields.size(); ++i)
    for (auto& [text, change] : values_of(fields[i])) {
      ++choice;
      nn::AnyPaper paper = base;
      auto own = paper.fields();
      bool still = true;  // false: it draws, or a call in training moves its state; then it is tried in evaluation
      Pairs pairs;
      try {
        change(own[i]);
        Generator rng(1);
        auto made = paper.make({V, V}, rng);
        nn::EncoderDecoder& trial = *made;
        pairs = pairs_for(paper.output());
        data::Batch b = data::make_batch(pairs, {0, 1, 2, 3, 4, 5});
        auto before = nn::save_state(trial).tensors;
        Tensor once = trial(b.source, b.lengths, b.target_in).value();
        still = bit_equal(trial(b.source, b.lengths, b.target_in).value(), once);
        auto after = nn::save_state(trial).tensors;
        for (size_t k = 0; k < after.size(); ++k) still = still && bit_equal(after[k].second, before[k].second);
      } catch (const std::exception&) {
        ++walked.refused;
        continue;
      }
      still = still && text != "mixers lightning_index";  // a decoder does not tell a mixer which steps are padding
      // It halves a row with the padding at its end, since a decoder does not tell its attention how long a row is.
      if (text == "mixers hyper_attention") continue;
      const std::string what = name + ": " + text;
      CAPTURE(what);
      ++walked.tried;
      const bool alone = (walked.walks + choice) % 4 == 0;
      if (check_parts([&] { return std::make_unique<Fresh>(paper, still); }, pairs, {.label_smoothing = 0.1}, alone) >
          0)
        walked.penalised.insert(what);
    }
}

template <class M>
nn::AnyPaper recurrent(const std::string& score) {
  typename M::Options o = small_paper<M>(0, 0, 4, 4);
  if constexpr (requires { o.attention; }) o.attention.score.name = score;
  return nn::paper_of<M>(o);
}
nn::TransformerOptions transformer() {
  nn::TransformerOptions o{.source_vocabulary = V, .target_vocabulary = V, .model = 8, .heads = 2, .inner = 6};
  o.encoder_layers = o.decoder_layers = 2, o.dropout = 0, o.max_positions = 32;
  return o;
}
const nn::FitOptions kSmooth{.label_smoothing = 0.1};

}  // namespace

TEST_CASE("a batch and its parts: every choice of every option of an encoder-decoder") {
  Walked walked;
  const nn::AnyPaper luong = recurrent<nn::Luong>("general");
  nn::AnyPaper copying = luong;
  walk("bahdanau", recurrent<nn::Bahdanau>("additive"), walked);
  walk("luong", luong, walked);
  nn::set_called(copying.fields(), "output", "pointer_generator");
  walk("pointer_generator", copying, walked);
  walk("cho", recurrent<nn::Cho>(""), walked);
  walk("deep_fusion", recurrent<nn::DeepFusion>("additive"), walked);
  CHECK(walked.tried > 400);
  CHECK(walked.penalised.contains("luong: scope adaptive_span"));
  CHECK(walked.penalised.contains("cho: pooling structured"));
}

TEST_CASE("a batch and its parts: every penalty of attention") {
  nn::FitOptions how = kSmooth;
  for (const nn::OptionField& f : nn::fields_of(how.attention)) {
    CAPTURE(f.name);
    nn::set_number(f, 0.5);
    CHECK(check_parts([] { return std::make_unique<Fresh>(recurrent<nn::Luong>("general"), true); },
                      pairs_for("softmax"), how) == 1);
    nn::set_number(f, 0);
  }
}

TEST_CASE("a batch and its parts: every choice of every option of a transformer") {
  Walked walked;
  nn::TransformerOptions o = transformer();
  walk("transformer", nn::paper_of<nn::Transformer>(o), walked);
  o.positions = "rope", o.norm_first = true, o.output = "copynet";
  walk("copynet", nn::paper_of<nn::Transformer>(o), walked);
  CHECK(walked.tried > 350);
  CHECK(walked.penalised.contains("transformer: scope adaptive_span"));
  CHECK(walked.penalised.contains("transformer: mixers adaptive_span"));
}

TEST_CASE("a batch and its parts: all penalties at once, a reader's term, layers that are computed again") {
  nn::AnyPaper paper = recurrent<nn::Bahdanau>("additive");
  nn::Bahdanau::Options& o = *paper.as<nn::Bahdanau>();
  o.attention.scope = nn::stage_from(nn::Kind::scope, "adaptive_span:4,penalty=2");
  o.pooling = "structured:rows=2,penalty=2";
  o.reader = "hard:soft=1,entropy=0.5";  // no sentence draws, so its term is the entropy alone
  nn::FitOptions how = kSmooth;
  how.attention = {1, 2, 3, 4, 5};
  CHECK(check_parts([&] { return std::make_unique<Fresh>(paper, true); }, pairs_for("softmax"), how) == 8);
  nn::TransformerOptions layers = transformer();
  layers.mixers = "adaptive_span:4,penalty=0.5";
  const nn::AnyPaper stack = nn::paper_of<nn::Transformer>(layers);
  CHECK(check_parts([&] { return std::make_unique<Fresh>(stack, true); }, pairs_for("softmax"), {.checkpoint = 1}) ==
        1);
}

TEST_CASE("a batch and its parts: masked words") {
  text::WordCounts words;
  words.add({"a", "b", "c", "d", "e"});
  struct Encoder {
    nn::SentenceEncoder encoder;
    nn::FitModel fit;
    explicit Encoder(const text::WordCounts& words)
        : encoder({.tokenizer = {}, .vocabulary = text::Vocabulary(words, {.more_specials = text::masked_specials})},
                  transformer(), 1),
          fit() {
      nn::convert(encoder.model, DType::f64);
      fit = nn::fit_masked_words(encoder, encoder.masking());
    }
  };
  const data::TextMarks marks = Encoder(words).encoder.marks();
  Pairs texts;
  for (int64_t i = 0; i < 6; ++i) {
    std::vector<int64_t> text;
    for (int64_t k = 0; k <= 2 * i; ++k) text.push_back(V - 1 - (3 * i + k) % 5);
    texts.push_back({data::marked(marks, text), {}});
  }
  check_parts([&] { return std::make_unique<Encoder>(words); }, texts);
}
