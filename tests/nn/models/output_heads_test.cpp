// The outputs of a decoder: what each distributes its probability over, that it sums to 1, and where the gradient goes.
#include "nn/output_heads/output_head.h"

#include <cmath>

#include "autograd/gradcheck.h"
#include "nn/output_heads/copynet.h"
#include "nn/output_heads/pointer.h"
#include "nn/output_heads/pointer_generator.h"
#include "nn/output_heads/softmax_head.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr int64_t F = 3, V = 6;

// Two sentences; the first has two unknown words (6 and 7) and the known word 4 twice, the second none and padding.
nn::OutputSource source() {
  return nn::output_source(Tensor::from(std::vector<int64_t>{4, 6, 4, 7, 3, 5, 4, 3, 0, 0}, {2, 5}),
                           Tensor::from(std::vector<int64_t>{5, 3}, {2}));
}
Tensor attention() {  // [2, 1, 5]
  return Tensor::from(std::vector<double>{0.1, 0.2, 0.3, 0.15, 0.25, 0.5, 0.3, 0.2, 0, 0}, {2, 1, 5});
}
nn::PointerGenerator generator(double gate) {
  Generator rng(1);
  nn::PointerGenerator head({.features = F, .vocabulary = V}, rng);
  nn::convert(head, DType::f64);
  head.gate.weight.set_value(Tensor::zeros({1, F}, DType::f64));
  head.gate.bias.set_value(Tensor::full({1}, gate, DType::f64));
  return head;
}
Variable features() { return leaf({2, 1, F}, 5, DType::f64); }
Tensor probabilities(const nn::OutputHead& head, const nn::OutputSource& s, const Tensor& weights) {
  return exp(log_softmax(head(features(), Variable(weights), s))).value();
}
const std::vector<double> kCopied{0, 0, 0, 0.25, 0.4, 0, 0.2, 0.15, 0, 0, 0, 0.2, 0.3, 0.5, 0, 0};  // [2, 1, 8]

}  // namespace

// A gate of 1 is the vocabulary alone, a gate of 0 the attention alone.
TEST_CASE("pointer-generator: a gate of 1 is the vocabulary, a gate of 0 is the attention" *
          holds("gate_of_1_and_of_0")) {
  nn::PointerGenerator all = generator(1000), none = generator(-1000);
  Tensor generated = probabilities(all, source(), attention()), copied = probabilities(none, source(), attention());
  REQUIRE(generated.shape() == Shape{2, 1, 8});
  Tensor words = softmax(all.words(features())).value();
  CHECK(max_abs_difference(generated.slice(2, 0, V), words) < 1e-12);
  CHECK(max_abs_difference(copied, Tensor::from(kCopied, {2, 1, 8})) < 1e-12);
  for (int64_t id : {6, 7}) {
    CHECK(generated.at({0, 0, id}) == 0);  // an unknown word can only be copied
    CHECK(probabilities(generator(5), source(), attention()).at({0, 0, id}) > 0);
  }
}

// The probabilities of the mixture sum to 1 by themselves, as in an example worked out by hand.
TEST_CASE("pointer-generator: the mixture by hand, whose probabilities sum to 1 before any normalising" *
          holds("mixture_sums_to_1")) {
  for (double gate : {-3.0, 0.0, 2.0}) {
    nn::PointerGenerator head = generator(gate);
    double g = 1 / (1 + std::exp(-gate));
    Tensor words = softmax(head.words(features())).value();
    Tensor p = exp(head(features(), Variable(attention()), source())).value();
    for (int64_t b = 0; b < 2; ++b) {
      double total = 0;
      for (int64_t w = 0; w < 8; ++w) {
        double wanted = (1 - g) * kCopied[static_cast<size_t>(8 * b + w)] + (w < V ? g * words.at({b, 0, w}) : 0);
        CHECK(p.at({b, 0, w}) == doctest::Approx(wanted).epsilon(1e-12).scale(1e-3));
        total += p.at({b, 0, w});
      }
      CHECK(std::abs(total - 1) < 1e-12);
    }
  }
}

// One step of the mixture agrees with the one worked out by hand.
TEST_CASE("pointer-generator: one step computed by hand" * holds("golden_step")) {
  // Logits 0 over V = 6, g = 3/4: P(4) = 3/24 + (0.1 + 0.3) / 4, P(6) = 0.2 / 4, P(5) = 3/24.
  nn::PointerGenerator head = generator(std::log(3));
  head.words.weight.set_value(Tensor::zeros({V, F}, DType::f64));
  head.words.bias.set_value(Tensor::zeros({V}, DType::f64));
  Tensor log_p = head(features(), Variable(attention()), source()).value();
  CHECK(log_p.at({0, 0, 4}) == doctest::Approx(std::log(0.125 + 0.1)).epsilon(1e-12));
  CHECK(log_p.at({0, 0, 6}) == doctest::Approx(std::log(0.05)).epsilon(1e-12));
  CHECK(log_p.at({0, 0, 5}) == doctest::Approx(std::log(0.125)).epsilon(1e-12));
}

TEST_CASE("heads that copy: the gradients are right, and finite where nothing can be reached") {
  Generator rng(2);
  std::vector<Tensor> in{random({2, 1, F}, 1, DType::f64), attention()};
  in[1] = softmax(Variable(random({2, 1, 5}, 2, DType::f64))).value();
  for (const char* name : {"pointer_generator", "pointer"}) {
    CAPTURE(name);
    auto head = nn::make_output_head({.name = name, .features = F, .vocabulary = V}, rng);
    for (auto& p : nn::named_parameters(*head)) p.variable.set_value(p.variable.value().to(DType::f64));
    auto likely = [&](const std::vector<Variable>& v) {
      int64_t unknown = name == std::string("pointer") ? 5 : 6;
      return select(log_softmax((*head)(v[0], v[1], source())), 2, unknown);
    };
    GradcheckReport r = gradcheck(likely, in);
    CHECK_MESSAGE(r.passed, to_string(r));
  }
  nn::PointerGenerator shut = generator(800);
  Variable a = leaf(attention()), f = features();
  Variable loss =
      cross_entropy(shut(f, a, source()), Tensor::from(std::vector<int64_t>{6, 7}, {2, 1}), {.label_smoothing = 0.1});
  backward(loss);
  CHECK(std::isfinite(loss.item()));
  for (const Tensor& grad : {a.grad(), f.grad(), shut.gate.bias.grad(), shut.words.weight.grad()})
    for (double d : grad.to_vector()) CHECK(std::isfinite(d));
}

// The distribution over the positions is the attention itself, for sources of any length.
TEST_CASE("pointer: the distribution over the positions is the attention, for sources of any length" *
          holds("outputs_are_the_attention")) {
  Generator rng(1);
  nn::Pointer head({.features = F, .vocabulary = V}, rng);
  CHECK(nn::named_parameters(head).empty());
  for (int64_t S : {1, 2, 7}) {
    Tensor weights = softmax(Variable(random({2, 4, S}, 3, DType::f64))).value();
    nn::OutputSource s =
        nn::output_source(Tensor::full({2, S}, 5, DType::i64), Tensor::from(std::vector<int64_t>{S, S}, {2}));
    Tensor p = exp(head({}, Variable(weights), s)).value();
    REQUIRE(p.shape() == Shape{2, 4, 4 + S});
    CHECK(max_abs_difference(p.slice(2, 4, 4 + S), weights) < 1e-15);
    CHECK(max_abs_difference(p.slice(2, 0, 4), Tensor::zeros({2, 4, 4}, DType::f64)) < 1e-15);
  }
  Tensor p = exp(head({}, Variable(attention()), source())).value();  // </s> at positions 4 and 2
  CHECK(p.at({0, 0, 3}) == doctest::Approx(0.25));
  CHECK(p.at({1, 0, 3}) == doctest::Approx(0.2));
  CHECK(p.at({0, 0, 5}) == doctest::Approx(0.2));
}

TEST_CASE("what the embeddings read: <unk> for a word of the sentence alone, the word pointed at for a position") {
  Generator rng(1);
  auto same = [](const Tensor& a, const std::vector<double>& b) { CHECK(a.to_vector() == b); };
  Tensor ids = Tensor::from(std::vector<int64_t>{2, 4, 5, 7, 3, 4}, {2, 3});
  auto head = [&](const char* name) {
    return nn::make_output_head({.name = name, .features = F, .vocabulary = V}, rng);
  };
  same(head("softmax")->target_words(ids, {}), {2, 4, 5, 7, 3, 4});
  same(head("pointer_generator")->target_words(ids, source()), {2, 4, 5, 1, 3, 4});
  same(head("pointer_generator")->source_words(source().ids), {4, 1, 4, 1, 3, 5, 4, 3, 0, 0});
  // Row 0: positions 0 (the word 4) and 1 (an unknown word); row 1: position 3, padding, and position 0, the word 5.
  same(head("pointer")->target_words(ids, source()), {2, 4, 1, 0, 3, 5});
  same(head("pointer")->target_words(Tensor::from(std::vector<int64_t>{6, 4}, {2}), source()), {4, 5});
}

// Words and copies share one sum, and the copies of a word that occurs twice add up.
TEST_CASE("CopyNet: words and copies share one sum, which adds up what the source has twice" *
          holds("one_sum_for_words_and_copies")) {
  nn::OutputSource s = source();
  s.states = leaf({2, 5, 2}, 9, DType::f64);
  nn::CopyNet head = make<nn::CopyNet>({.features = F, .vocabulary = V, .states = 2}, 1);
  nn::convert(head, DType::f64);
  Variable f = features();
  Tensor p = exp(log_softmax(head(f, {}, s))).value();
  REQUIRE(p.shape() == Shape{2, 1, 8});
  Tensor g = exp(head.words(f)).value(), keys = tanh(head.copy(s.states)).value(),
         c = exp(matmul(f, transpose(Variable(keys), 1, 2))).value();
  for (int64_t b = 0; b < 2; ++b) {
    double Z = 0, total = 0;
    for (int64_t w = 0; w < V; ++w) Z += g.at({b, 0, w});
    int64_t words = b == 0 ? 5 : 3;
    for (int64_t i = 0; i < words; ++i) Z += c.at({b, 0, i});
    for (int64_t w = 0; w < 8; ++w) {
      double wanted = w < V ? g.at({b, 0, w}) : 0;
      for (int64_t i = 0; i < words; ++i)
        if (static_cast<int64_t>(s.ids.at({b, i})) == w) wanted += c.at({b, 0, i});
      CHECK(p.at({b, 0, w}) == doctest::Approx(wanted / Z).epsilon(1e-10));
      total += p.at({b, 0, w});
    }
    CHECK(std::abs(total - 1) < 1e-12);
  }
  // A step of a search is a row of the sequence.
  CHECK(max_abs_difference(head(select(f, 1, 0), {}, s).value(), head(f, {}, s).value().select(1, 0)) < 1e-12);
  // Where the lengths are not known, the mask of attention says what may be copied.
  nn::OutputSource packed = s;
  packed.lengths = {};
  CHECK(max_abs_difference(head(f, Variable(attention()), packed).value(), head(f, {}, s).value()) < 1e-12);
}

// One step has the probabilities that were worked out by hand.
TEST_CASE("CopyNet: one step computed by hand" * holds("copynet_by_hand")) {
  // All scores 0: 6 words of the vocabulary and 5 positions, each 1/11; the word 4 stands twice, the word 6 once.
  nn::OutputSource s = source();
  s.states = Tensor::zeros({2, 5, 2}, DType::f64);
  nn::CopyNet head = make<nn::CopyNet>({.features = F, .vocabulary = V, .states = 2}, 1);
  for (auto& q : nn::named_parameters(head)) q.variable.set_value(Tensor::zeros(q.variable.shape(), DType::f64));
  Tensor p = exp(log_softmax(head(features(), {}, s))).value();
  CHECK(p.at({0, 0, 4}) == doctest::Approx(3. / 11).epsilon(1e-12));
  CHECK(p.at({0, 0, 6}) == doctest::Approx(1. / 11).epsilon(1e-12));
  CHECK(p.at({0, 0, 0}) == doctest::Approx(1. / 11).epsilon(1e-12));
  CHECK(p.at({1, 0, 5}) == doctest::Approx(2. / 9).epsilon(1e-12));  // 6 words, 3 positions
  // Large scores of copies stay finite: f . tanh = 1e4 at the unknown word, 0 elsewhere.
  Variable large = Variable(Tensor::full({2, 1, F}, 1e4 / F, DType::f64));
  Tensor states = Tensor::zeros({2, 5, 2}, DType::f64);
  states.set({0, 1, 0}, 40);
  s.states = states;
  Tensor weight = Tensor::zeros({F, 2}, DType::f64);
  for (int64_t i = 0; i < F; ++i) weight.set({i, 0}, 1);
  head.copy.weight.set_value(weight);
  Tensor sure = head(large, {}, s).value();
  CHECK(sure.at({0, 0, 6}) == doctest::Approx(1e4));
}

TEST_CASE("the registry: every head says of itself what its row says") {
  Generator rng(1);
  for (const char* name : {"softmax", "pointer_generator", "pointer", "copynet"})
    CHECK(nn::make_output_head({.name = name, .features = F, .vocabulary = V}, rng)->needs_alignment() ==
          nn::output_needs_alignment(name));
}
