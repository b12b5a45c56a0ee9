// Linear attention: one function in three forms; its running state as the memory of decoding.
#include "nn/attention/evaluators/linear.h"

#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/observe.h"
#include "nn/transformer/language_model.h"
#include "tensor/indexing.h"
#include "tensor/profile.h"
#include "tensor/reduce.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

nn::MultiHeadOptions heads(const std::string& evaluator, const std::string& scope, int64_t groups = 4,
                           const std::string& position = "none") {
  nn::MultiHeadOptions o{.model = 16, .heads = 4, .scope = nn::stage_from(nn::Kind::scope, scope)};
  o.kv_heads = groups, o.position.name = position;
  o.evaluator = nn::stage_from(nn::Kind::evaluator, evaluator);
  return o;
}
nn::MultiHeadAttention built(const nn::MultiHeadOptions& options, DType dtype) {
  return shaken<nn::MultiHeadAttention>(options, dtype, 3);
}

// Output, gradient of the input, gradients of all parameters.
using Call = std::function<Variable(nn::MultiHeadAttention& m, const Variable& x)>;
std::vector<Tensor> run(nn::MultiHeadAttention& m, const Tensor& x, const Call& call) {
  Variable in = leaf(x);
  nn::zero_grad(m);
  Variable y = call(m, in);
  backward(weighted_sum(y));
  std::vector<Tensor> out = gradients(m);
  out.push_back(in.grad()), out.push_back(y.value());
  return out;
}

// Seven words; padding before, between and after them; a sentence without words.
Tensor some_words() {
  return Tensor::from_bools({0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {3, 7});
}

Variable in_pieces(nn::MultiHeadAttention& m, const Variable& x, const Tensor& words, int64_t piece) {
  auto memory = m.memory();
  std::vector<Variable> outputs;
  for (int64_t from = 0, to = 0; from < x.size(1); from = to) {
    to = std::min(x.size(1), from + piece);
    outputs.push_back(
        m.extend(slice(x, 1, from, to), *memory, {.words = words.defined() ? words.slice(1, 0, to) : words}).output);
  }
  return concat(outputs, 1);
}

nn::TransformerOptions linear_transformer(const std::string& positions = "sinusoidal") {
  nn::TransformerOptions o = small_transformer();
  o.evaluator = "linear:3", o.positions = positions;
  return o;
}
Tensor column(const Tensor& ids, int64_t t) { return ids.select(1, t).contiguous(); }
Tensor log_p(const Variable& logits, int64_t t) { return log_softmax_rows(logits.value().select(1, t)); }
Tensor some_ids(int64_t rows, int64_t words) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < rows * words; ++i) all.push_back(i % words == 0 ? 2 : 4 + (i * i + i / words) % 5);
  return ids(all, {rows, words});
}

}  // namespace

// The feature of a negative entry is its exponential, kept as a logarithm, so it never rounds to 0 in single precision.
TEST_CASE("linear: the features are exp(x) below 0, and never 0 in f32" * holds("features_do_not_cancel")) {
  Tensor x = Tensor::from(std::vector<float>{-200, -80, -30, -17.5, -1, 0, 2}, {7});
  Variable in = leaf(x), y = nn::linear_log_features(in);
  for (int64_t i = 0; i < 7; ++i) {
    double at = x.at({i});
    CHECK(y.value().at({i}) == doctest::Approx(at < 0 ? at : std::log(at + 1)).epsilon(1e-6));
  }
  backward(sum(exp(y)));
  for (int64_t i = 1; i < 7; ++i)
    CHECK(in.grad().at({i}) == doctest::Approx(std::exp(std::min(0.0, x.at({i})))).epsilon(1e-6));
  CHECK(all_finite(nn::linear_log_features(Variable(Tensor::full({3}, 1e30))).value()));
}

// Entries of queries and keys near +-200: phi reaches e^-200, which f32 does not have. Every form must still give
// what f64 gives, in any order of small and large keys.
TEST_CASE("linear: features that f32 cannot hold give the contexts and gradients of f64, in every form") {
  for (const char* scope : {"global", "causal"})
    for (uint64_t seed : {1U, 2U, 3U})
      for (const Tensor& words : {Tensor(), some_words()}) {
        Tensor x = mul(sign(random({3, 7, 16}, seed, DType::f64)), 200);
        for (int64_t b = 0; b < 3; ++b)  // whole words near -200, and near 200
          for (int64_t t = 0; t < 7; ++t)
            for (int64_t c = 0; c < 16; ++c)
              x.set({b, t, c}, (seed == 1   ? -200
                                : seed == 2 ? (t < 4 ? -200 : 200)
                                            : x.at({b, t, c})) +
                                   double(c + t) / 8);
        auto built_in = [&](const char* chunk, DType dtype) {  // queries and keys are the inputs themselves
          auto m = built(heads(chunk, scope), dtype);
          Tensor in = Tensor::zeros({48, 16}, DType::f64);
          for (int64_t r = 0; r < 48; ++r) in.set({r, r % 16}, r < 32 ? 1 : 1.0 / 256);
          m.in_proj_weight.set_value(in.to(dtype)), m.in_proj_bias.set_value(Tensor::zeros({48}, dtype));
          return m;
        };
        using Module = nn::MultiHeadAttention;
        Call whole = [&](Module& m, const Variable& in) { return m(in, {.words = words}).output; };
        Call shown = [&](Module& m, const Variable& in) { return m(in, {.words = words, .weights = true}).output; };
        auto exact = built_in("linear:1", DType::f64), loops = built_in("linear:64", DType::f64);
        std::vector<Tensor> wanted = run(exact, x, whole);
        CHECK(apart(run(loops, x, shown), wanted) < 1e-10);
        for (const char* chunk : {"linear:1", "linear:3", "linear"}) {
          auto m = built_in(chunk, DType::f32);
          auto near = [&](const Call& call) {
            std::vector<Tensor> seen = run(m, x.to(DType::f32), call);
            for (size_t i = 0; i < seen.size(); ++i) seen[i] = seen[i].to(DType::f64);
            CHECK(apart(seen, wanted) < 1e-4);
          };
          near(whole), near(shown);
          if (std::string(scope) == "causal")
            for (int64_t piece : {1, 3, 7})
              near([&](Module& a, const Variable& in) { return in_pieces(a, in, words, piece); });
        }
      }
}

// The quadratic, the chunkwise and the recurrent form give the same output and gradients.
TEST_CASE("linear: quadratic, chunkwise and word by word give the same output and gradients" *
          holds("three_forms_are_one")) {
  for (DType dtype : {DType::f32, DType::f64})
    for (const char* scope : {"global", "causal", "causal&global"})
      for (int64_t groups : {4, 2})
        for (const char* position : {"none", "rope"})
          for (const Tensor& words : {Tensor(), some_words()}) {
            double near = dtype == DType::f32 ? 1e-5 : 1e-10;
            Tensor x = random({3, 7, 16}, 7, dtype);
            auto quadratic = built(heads("linear", scope, groups, position), dtype);
            std::vector<Tensor> wanted = run(quadratic, x, [&](auto& m, const Variable& in) {
              return m(in, {.words = words, .weights = true}).output;
            });
            for (const char* chunk : {"linear:1", "linear:2", "linear:3", "linear:7", "linear"}) {
              auto m = built(heads(chunk, scope, groups, position), dtype);
              CHECK(apart(run(m, x, [&](auto& a, const Variable& in) { return a(in, {.words = words}).output; }),
                          wanted) < near);
              if (std::string(scope) == "global") continue;  // word by word nothing sees what comes later
              for (int64_t piece : {1, 3, 7})
                CHECK(apart(run(m, x, [&](auto& a, const Variable& in) { return in_pieces(a, in, words, piece); }),
                            wanted) < near);
            }
          }
}

// The weights that are shown are those that the formula implies, although they are not needed to compute it.
TEST_CASE("linear: Observe sees the weights that the formula implies" * holds("implied_weights_are_shown")) {
  for (const char* scope : {"global", "causal"}) {
    auto m = built(heads("linear:2", scope, 2), DType::f64);
    Variable x(random({2, 5, 16}, 7, DType::f64));
    std::vector<nn::AttentionSeen> seen;
    nn::MultiHeadOutput out;
    {
      nn::Observe observe([&](const nn::AttentionSeen& a) { seen.push_back(a); });
      out = m(x);
    }
    REQUIRE(seen.size() == 1);
    CHECK(max_abs_difference(out.output.value(), m(x).output.value()) < 1e-12);
    // By loops, from the projections: head h reads group h / 2, and 4 entries a head.
    auto parts = split(linear(x, m.in_proj_weight, m.in_proj_bias), {16, 8, 8}, -1);
    auto phi = [](double a) { return a < 0 ? std::exp(a) : a + 1; };
    for (int64_t h = 0; h < 4; ++h)
      for (int64_t t = 0; t < 5; ++t) {
        std::vector<double> w(5, 0.0);
        double total = 0;
        for (int64_t s = 0; s < (scope[0] == 'c' ? t + 1 : 5); ++s) {
          for (int64_t i = 0; i < 4; ++i)
            w[size_t(s)] +=
                phi(parts[0].value().at({1, t, h * 4 + i})) * phi(parts[1].value().at({1, s, h / 2 * 4 + i}));
          total += w[size_t(s)];
        }
        for (int64_t s = 0; s < 5; ++s)
          CHECK(seen[0].weights.at({1, h, t, s}) == doctest::Approx(w[size_t(s)] / total).epsilon(1e-9));
      }
  }
}

// The multiply-adds grow in proportion to the words, those of dense attention with their square.
TEST_CASE("linear: multiply-adds grow with the number of words, those of dense with its square" *
          holds("multiply_adds_grow_with_the_words")) {
  NoGrad no_grad;
  auto products = [](const char* evaluator, const char* scope, int64_t T) {
    auto m = built(heads(evaluator, scope), DType::f32);
    Variable x(random({1, T, 16}, 7));
    Profile profile;
    m(x);
    double total = 0;
    for (const ProfileRow& row : profile.rows()) total += row.is_product ? row.work : 0;
    return total;
  };
  for (const char* scope : {"global", "causal"}) {
    double two = products("linear:16", scope, 128), four = products("linear:16", scope, 256),
           eight = products("linear:16", scope, 512);
    CHECK(eight - four == doctest::Approx(2 * (four - two)).epsilon(1e-12));
    CHECK(eight / four < 2.01);
    CHECK(products("dense", scope, 512) / products("dense", scope, 256) > 3);
    CHECK(eight < products("dense", scope, 512) / 4);
  }
}

// A stack of layers decodes in pieces, after padding too, from a state of constant size.
TEST_CASE("linear: a stack decodes in pieces, after left padding, from a state of constant size" *
          holds("state_is_the_parallel_pass")) {
  NoGrad no_grad;
  for (const char* position : {"none", "rope"}) {
    nn::TransformerLayerOptions layer{.model = 8, .heads = 2, .inner = 6, .causal = true, .kv_heads = 1};
    layer.position.name = position;
    layer.evaluator = {.name = "linear", .settings = {{"chunk", 4}}};
    auto stack = make<nn::TransformerStack>({.layer = layer, .layers = 2}, 3);
    Tensor x = random({2, 40, 8}, 5), words = Tensor::from_bools(std::vector<int>(80, 1), {2, 40});
    for (int64_t s = 0; s < 5; ++s) words.set({1, s}, 0);
    Tensor parallel = stack(Variable(x), {.self = {.words = words}}).output.value();
    Tensor alone = stack(Variable(x.slice(0, 1, 2).slice(1, 5, 40))).output.value();
    CHECK(max_abs_difference(parallel.slice(0, 1, 2).slice(1, 5, 40), alone) < 1e-5);
    std::vector<nn::LayerCache> caches;
    for (int64_t from = 0, to = 0; from < 40; from = to) {
      to = std::min<int64_t>(40, from == 6 ? 15 : from + 1);
      nn::LayerInput in{.self = {.words = words.slice(1, 0, to)}};
      Tensor now = stack(Variable(x.slice(1, from, to)), in, &caches).output.value();
      CHECK(max_abs_difference(now, parallel.slice(1, from, to)) < 1e-5);
      CHECK(caches[0].words() == to);
      if (to - from == 1) CHECK(caches[0].self->bytes() == 2 * (4 * 5 + 4 + 4 + 5) * 4);
    }
  }
}

TEST_CASE("linear: the state is the sum over words, and moves with the rows of a search") {
  nn::KernelMemory memory(std::make_shared<nn::LinearFeatures>());
  CHECK_FALSE(memory.view().keys.defined());
  memory.keep(Tensor::from(std::vector<int64_t>{0}, {1}));
  Variable k(random({2, 1, 6, 3}, 1, DType::f64)), v(random({2, 1, 6, 2}, 2, DType::f64));
  for (int64_t s = 0; s < 6; s += 2) memory.append({slice(k, 2, s, s + 2), slice(v, 2, s, s + 2)});
  Variable phi = exp(nn::linear_log_features(k));
  nn::HeadMemory now = memory.view();
  CHECK(max_abs_difference(now.keys.value(), sum(phi, {2}, true).value()) < 1e-12);
  CHECK(max_abs_difference(now.values.value(), matmul(transpose(phi, 2, 3), v).value()) < 1e-12);
  memory.keep(Tensor::from(std::vector<int64_t>{1, 0, 1}, {3}));
  CHECK(bit_equal(memory.view().keys.value().select(0, 1).contiguous(), now.keys.value().select(0, 0).contiguous()));
  CHECK(
      bit_equal(memory.view().values.value().select(0, 2).contiguous(), now.values.value().select(0, 1).contiguous()));
  CHECK(memory.words() == 6);
}

TEST_CASE("linear: a language model and a translator decode to the logits of their parallel pass, beams move") {
  Tensor source = ids({4, 5, 6, 7, 8, 5, 0, 0, 6, 6, 4, 0}, {3, 4}), lengths = ids({4, 2, 3}, {3});
  Tensor target = some_ids(3, 20);
  for (const char* positions : {"sinusoidal", "rope"})
    for (DType dtype : {DType::f64, DType::f32}) {
      double near = dtype == DType::f64 ? 1e-10 : 1e-5;
      auto m = shaken<nn::Transformer>(linear_transformer(positions), dtype);
      auto speaker = shaken<nn::LanguageModel>(linear_transformer(positions), dtype);
      NoGrad guard;
      Variable logits = m(source, lengths, target), spoken = speaker(target);
      auto search = m.search(source, lengths);
      nn::LanguageModelSearch speech(speaker, {{}, {}, {}});
      for (int64_t t = 0; t < 20; ++t) {
        CHECK(relative_error(search->next(column(target, t)), log_p(logits, t)) < near);
        CHECK(relative_error(speech.next(column(target, t)), log_p(spoken, t)) < near);
      }
      // After ten words the rows change places; each goes on from its own past.
      Tensor rows = Tensor::from(std::vector<int64_t>{2, 2, 0, 1}, {4});
      Tensor moved = concat({index_select(target, rows).slice(1, 0, 10), some_ids(4, 20).slice(1, 10, 20)}, 1);
      nn::LanguageModelSearch again(speaker, {{}, {}, {}});
      for (int64_t t = 0; t < 10; ++t) again.next(column(target, t));
      again.keep(rows);
      spoken = speaker(moved);
      for (int64_t t = 10; t < 20; ++t) CHECK(relative_error(again.next(column(moved, t)), log_p(spoken, t)) < near);
      auto beams = m.search(source, lengths);
      for (int64_t t = 0; t < 10; ++t) beams->next(column(target, t));
      beams->keep(rows);
      logits = m(index_select(source, rows), index_select(lengths, rows), moved);
      for (int64_t t = 10; t < 20; ++t) CHECK(relative_error(beams->next(column(moved, t)), log_p(logits, t)) < near);
    }
}

// Sentences that share a row read what each reads alone.
TEST_CASE("linear: sentences in a packed row read what each reads alone" * holds("packed_rows_are_rows_alone")) {
  std::vector<std::vector<int64_t>> sentences{{2, 4, 5, 6}, {2, 7}, {2, 8, 4}};
  auto m = shaken<nn::LanguageModel>(linear_transformer());
  auto reader = shaken<nn::Bert>(linear_transformer());
  nn::Packed packed = nn::pack(sentences, {{0, 1, 2}});
  Tensor logits = m(packed).value(), read = reader(packed).value();
  int64_t begin = 0;
  for (const auto& sentence : sentences) {
    int64_t n = static_cast<int64_t>(sentence.size());
    CHECK(max_abs_difference(m(row(sentence)).value(), logits.slice(1, begin, begin + n)) < 1e-10);
    CHECK(max_abs_difference(reader(row(sentence), ids({n}, {1})).value(), read.slice(1, begin, begin + n)) < 1e-10);
    begin += n;
  }
}
TEST_CASE("linear: it refuses what its sums cannot do, in a sentence") {
  auto why_not = [](const nn::MultiHeadOptions& given) {
    nn::MultiHeadOptions o = given;
    o.evaluator.name = "linear";
    return message_of<ValueError>([&] { make<nn::MultiHeadAttention>(o, 1); });
  };
  auto says = [](const std::string& message, const std::string& why) {
    CHECK_MESSAGE(message.find("the evaluator linear cannot do this: " + why + "; got") != std::string::npos, message);
  };
  const nn::MultiHeadOptions plain{.model = 8, .heads = 2};
  CHECK(why_not(plain) == "no error");
  nn::MultiHeadOptions o = plain;
  o.score.name = "cosine";
  says(why_not(o), "the score is not a product of query and key");
  for (const char* scope : {"window", "local_p", "causal&window:2", "causal|global"}) {
    o = plain, o.scope = nn::stage_from(nn::Kind::scope, scope);
    says(why_not(o), "running sums know everything or everything before, no other scope");
  }
  o = plain, o.position.name = "alibi";
  says(why_not(o), "the position adds to scores that are never made");
  o = plain, o.dropout = 0.1;
  says(why_not(o),
       "the dropout of attention weights would drop weights that are never stored; set it to 0 (--attention-dropout "
       "0)");
}
