// Two threads at once: one model read by both, a model trained on each, parameters shared by two graphs. The results
// are those of one thread after the other, to the bit; under ThreadSanitizer nothing races.
#include <thread>

#include "autograd/modes.h"
#include "nn/models/bahdanau.h"
#include "nn/models/translator.h"
#include "nn/optim/adam.h"
#include "nn/sentence/sentence_encoder.h"
#include "nn/train/interrupt.h"
#include "tests/nn/models/small.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using Words = std::vector<std::string>;

namespace {

constexpr int kThreads = 2;

// f(0), f(1) one after the other, and then at once, some times over.
template <class F>
void at_once_as_in_turn(const F& f, int times = 3) {
  using Result = decltype(f(0));
  std::vector<Result> in_turn;
  for (int i = 0; i < kThreads; ++i) in_turn.push_back(f(i));
  for (int time = 0; time < times; ++time) {
    std::vector<Result> at_once(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { at_once[static_cast<size_t>(i)] = f(i); });
    for (std::thread& t : threads) t.join();
    for (size_t i = 0; i < kThreads; ++i) CHECK(at_once[i] == in_turn[i]);
  }
}

std::vector<Words> sentences(int n, uint64_t seed) {
  Generator rng(seed);
  std::vector<Words> out;
  for (int i = 0; i < n; ++i) {
    out.emplace_back();
    for (int64_t k = 1 + rng.below(5); k > 0; --k)
      out.back().push_back(std::string(1, static_cast<char>('a' + rng.below(8))) + "x");
  }
  return out;
}

nn::TransformerOptions small() {
  nn::TransformerOptions o{.model = 16, .heads = 2, .inner = 32, .encoder_layers = 1, .decoder_layers = 1};
  o.dropout = 0.3;  // a model that is not evaluated would translate by chance
  return o;
}

// Pieces of words, so that translating also segments.
nn::Translator translator(const nn::AnyPaper& options) {
  text::WordCounts words, pieces;
  for (const Words& s : sentences(50, 1)) words.add(s);
  text::PairTokenizers plain{{text::Tokenizer::Kind::space}, {text::Tokenizer::Kind::space}};
  nn::TranslatorParts parts{
      .tokenizers = plain, .source = {}, .target = {}, .bpe = text::Bpe::learn(words, {.merges = 3})};
  for (const Words& s : sentences(50, 1)) pieces.add(parts.bpe->segment(s));
  parts.source = parts.target = text::Vocabulary(pieces);
  return nn::Translator(std::move(parts), options, 1);
}

// What a translation says: text, score, alignment.
struct Said {
  std::string text;
  double log_probability;
  std::vector<float> weights;
  bool operator==(const Said&) const = default;
};
std::vector<Said> said(const nn::Translator& t, const std::vector<Words>& sources, int64_t beam) {
  std::vector<Said> out;
  for (const nn::Translation& one : t.translate(sources, {.beam = beam}, 4))
    out.push_back({one.text, one.log_probability, one.weights});
  return out;
}

struct Net : nn::Module {
  struct Options {
    int64_t width = 8;
  };
  Net(const Options& o, Generator& rng)
      : options(o),
        in({.in = o.width, .out = o.width}, rng),
        out({.in = o.width, .out = 1}, rng),
        dropout({.p = 0.2}, rng) {}
  Variable operator()(const Variable& x) const { return out(dropout(tanh(in(x)))); }
  void visit(nn::Visitor& v) {
    v.child("in", in);
    v.child("out", out);
    v.child("dropout", dropout);
  }
  Options options;
  nn::Linear in, out;
  nn::Dropout dropout;
};

}  // namespace

TEST_CASE("threads: one Translator translates and aligns in two at once") {
  const auto recurrent = nn::paper_of<nn::Bahdanau>(small_paper<nn::Bahdanau>(0, 0, 8, 16, 0.3));
  for (const nn::AnyPaper& options : {recurrent, nn::paper_of<nn::Transformer>(small())}) {
    const nn::Translator t = translator(options);
    for (int64_t beam : {1, 3})
      at_once_as_in_turn([&](int i) { return said(t, sentences(12, 7 + static_cast<uint64_t>(i)), beam); });
    at_once_as_in_turn([&](int i) {
      Words source = sentences(1, 3 + static_cast<uint64_t>(i))[0];
      return t.align({source, source}).log_probability;
    });
  }
}

TEST_CASE("threads: one sentence encoder makes vectors in two at once") {
  text::WordCounts words;
  for (const Words& s : sentences(50, 1)) words.add(s);
  text::Vocabulary vocabulary(words, {.more_specials = text::masked_specials});
  nn::TransformerOptions o = small();
  const nn::SentenceEncoder e({.tokenizer = {text::Tokenizer::Kind::space}, .vocabulary = vocabulary}, o, 1);
  at_once_as_in_turn([&](int i) { return e.vectors(sentences(8, 5 + static_cast<uint64_t>(i)), {}).to_vector(); });
}

TEST_CASE("threads: two models are trained at once, dropout and optimiser included") {
  at_once_as_in_turn([](int i) {
    nn::Interrupt interrupt;  // as a training run has it
    Net net = make<Net>({}, 1 + static_cast<uint64_t>(i));
    nn::Adam adam(nn::named_parameters(net), {.learning_rate = 0.01});
    Variable x = random({16, 8}, 5), y = random({16, 1}, 6);
    for (int step = 0; step < 20 && !nn::Interrupt::requested(); ++step) {
      adam.zero_grad();
      backward(mean(square(net(x) - y)));
      adam.step();
    }
    std::vector<double> weights;
    for (auto& p : nn::named_parameters(net))
      for (double w : p.variable.value().to_vector()) weights.push_back(w);
    return weights;
  });
}

TEST_CASE("threads: two graphs on shared parameters, forward and grad()") {
  Net net = make<Net>({}, 1);
  nn::set_training(net, false);
  std::vector<Variable> parameters = nn::parameters(net);
  at_once_as_in_turn([&](int i) {
    std::vector<double> all;
    for (uint64_t step = 0; step < 10; ++step) {
      Variable loss = mean(square(net(Variable(random({16, 8}, 10 * static_cast<uint64_t>(i) + step)))));
      for (const Variable& g : grad({loss}, parameters))
        for (double v : g.value().to_vector()) all.push_back(v);
    }
    return all;
  });
}

TEST_CASE("threads: a model that is evaluated is not written, whatever its training says") {
  Net net = make<Net>({}, 1);
  Variable x = random({4, 8}, 2);
  uint64_t offset = net.dropout.rng.offset();
  Tensor first, second;
  {
    nn::Evaluating evaluating;
    first = net(x).value(), second = net(x).value();
    CHECK_FALSE(net.trains());
  }
  CHECK(bit_equal(first, second));
  CHECK(net.dropout.rng.offset() == offset);
  CHECK(net.training);
  CHECK(net.trains());
  CHECK_FALSE(bit_equal(net(x).value(), first));
}
