// Calls that are easy to get wrong in silence: sentences of a padded batch, no words at all, pieces without words, and
// numbers at the end of the range; for every scope and evaluator that can be built together.
#include <optional>

#include "autograd/modes.h"
#include "nn/attention/attention.h"
#include "nn/attention/structures/multi_head.h"
#include "tensor/indexing.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

const std::vector<std::string> kEvaluators{
    "auto",    "dense",  "tiled",        "chunked:2",   "linear:2",          "differential", "split:2",
    "paged:2", "dpfp:2", "cosformer:32", "performer:4", "random_features:4", "nystrom:2"};

struct Kind {
  std::string name;
  nn::MultiHeadAttention attention;
};

// All combinations that are not refused, their parameters drawn anew: biases too.
std::vector<Kind> kinds(DType dtype = kF64) {
  std::vector<Kind> all;
  for (const char* scope :
       {"global", "causal", "window:2", "dilated:2,gap=2", "local_m:2", "local_p:2", "longformer:1,global=1",
        "adaptive_span:4", "causal&window:2", "window:1|longformer:0,global=1",
        "causal&window:1|causal&dilated:2,gap=2", "causal&adaptive_span:4", "bigbird:1,random=1",
        "causal&sparse_strided:3", "causal&sparse_fixed:3", "causal&block_local:3", "causal&axial:3", "causal&prefix:2",
        "causal&segments"})
    for (const std::string& evaluator : kEvaluators) {
      nn::MultiHeadOptions o{.model = 8, .heads = 2, .scope = nn::stage_from(nn::Kind::scope, scope)};
      o.evaluator = nn::stage_from(nn::Kind::evaluator, evaluator);
      std::optional<nn::MultiHeadAttention> m;
      if (message_of<ValueError>([&] { m.emplace(make<nn::MultiHeadAttention>(o, 3)); }) != "no error") continue;
      nn::convert(*m, dtype);
      uint64_t seed = 50;
      for (auto& p : nn::named_parameters(*m)) p.variable.set_value(random(p.variable.shape(), ++seed, dtype));
      all.push_back({std::string(scope) + " " + evaluator, std::move(*m)});
    }
  return all;
}

}  // namespace

TEST_CASE("odd calls: a sentence in a padded batch reads what it reads alone, in its own words and in another's") {
  Variable x(random({2, 7, 8}, 5, kF64)), y(random({2, 9, 8}, 6, kF64));
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0}, {2, 7});
  auto second = [](const Tensor& t, int64_t n) { return t.slice(0, 1, 2).slice(1, 0, n).contiguous(); };
  Variable alone(second(x.value(), 4)), query(second(y.value(), 9));
  std::vector<Kind> all = kinds();
  CHECK(all.size() > 40);
  for (Kind& kind : all) {
    CAPTURE(kind.name);
    nn::MultiHeadAttention& m = kind.attention;
    CHECK(relative_error(second(m(x, {.words = words}).output.value(), 4), m(alone).output.value()) < 1e-12);
    CHECK(relative_error(second(m(y, x, x, {.words = words}).output.value(), 9),
                         m(query, alone, alone).output.value()) < 1e-12);
  }
}

TEST_CASE("odd calls: no queries, no keys, no sentences, more queries than keys; with weights and without") {
  for (Kind& kind : kinds())
    for (const auto& sizes : {std::tuple<int64_t, int64_t, int64_t>{2, 0, 3},
                              {2, 3, 0},
                              {0, 3, 3},
                              {2, 5, 1},
                              {2, 7, 3},
                              {1, 1, 1},
                              {0, 0, 0}}) {
      const int64_t B = std::get<0>(sizes), T = std::get<1>(sizes), S = std::get<2>(sizes);
      CAPTURE(kind.name);
      CAPTURE(T);
      CAPTURE(S);
      Variable q = leaf({B, T, 8}, 1, kF64), k = leaf({B, S, 8}, 2, kF64);
      Tensor outputs[2];
      for (bool weights : {false, true}) {
        Variable y = kind.attention(q, k, k, {.weights = weights}).output;
        REQUIRE(y.shape() == Shape{B, T, 8});
        backward(sum(y));
        for (const Variable& x : {q, k})
          if (x.grad().defined()) CHECK(all_finite(x.grad()));
        outputs[weights] = y.value();
      }
      CHECK(relative_error(outputs[0], outputs[1]) < 1e-12);
      if (S == 0)  // nothing to read: the bias of the output alone
        for (int64_t t = 0; t < T; ++t)
          CHECK(bit_equal(outputs[0].select(0, 0).select(0, t).contiguous(), kind.attention.out_proj.bias.value()));
    }
}

TEST_CASE("odd calls: memories take pieces without words, and go on after their rows were reordered") {
  NoGrad guard;
  for (Kind& kind : kinds()) {
    const nn::MultiHeadAttention& m = kind.attention;
    if (!m.scope->causal()) continue;
    CAPTURE(kind.name);
    Tensor x = random({3, 20, 8}, 6, kF64), rows = Tensor::from(std::vector<int64_t>{2, 0, 0, 1}, {4});
    auto memory = m.memory();
    nn::AlignmentState state;
    Tensor whole = m(Variable(x)).output.value();
    int64_t at = 0;
    auto piece = [&](int64_t n) {
      CAPTURE(at);
      Tensor y = m.extend(Variable(x.slice(1, at, at + n)), *memory, {.state = &state}).output.value();
      REQUIRE(y.shape() == Shape{x.size(0), n, 8});
      CHECK(relative_error(y, whole.slice(1, at, at + n)) < 1e-12);
      at += n;
    };
    for (int64_t n : {1, 0, 3, 1, 0, 2, 4}) piece(n);
    memory->keep(rows), state.keep(rows);
    x = concat({Variable(index_select(x, rows).slice(1, 0, at)), Variable(random({4, 20 - at, 8}, 8, kF64))}, 1)
            .value();
    whole = m(Variable(x)).output.value();
    for (int64_t n : {0, 1, 1, 5, 1, 1}) piece(n);
  }
}

TEST_CASE("odd calls: a call without queries forgets nothing of what was read before") {
  for (const char* score : {"location_aware", "dot"}) {
    auto a = make<nn::Attention>({.score = {.name = score, .query = 4, .key = 4}}, 1);
    nn::convert(a, kF64);
    Variable source(random({2, 5, 4}, 2, kF64)), q(random({2, 3, 4}, 3, kF64));
    nn::Memory memory = a.remember(source, source);
    nn::AlignmentState state;
    Tensor whole = a(q, memory).context.value();
    for (int64_t t = 0; t < 3; ++t) {
      CHECK(a(slice(q, 1, t, t), memory, state).context.shape() == Shape{2, 0, 4});
      CHECK(max_abs_difference(a(slice(q, 1, t, t + 1), memory, state).context.value(), whole.slice(1, t, t + 1)) <
            1e-12);
    }
  }
}

TEST_CASE("odd calls: inputs of 1e12 in f32 are read as in f64, with weights and without") {
  std::vector<Kind> exact = kinds(), rounded = kinds(DType::f32);
  for (size_t i = 0; i < exact.size(); ++i) {
    CAPTURE(exact[i].name);
    if (exact[i].name.find("performer") != std::string::npos) continue;  // -|x|^2 / 2 is rounded to steps above 1
    Tensor x = mul(random({2, 5, 8}, 7), 1e12);                          // the same numbers in both
    Tensor wanted = mul(exact[i].attention(Variable(x.to(kF64))).output.value(), 1e-12);
    for (bool weights : {false, true}) {
      Tensor seen = rounded[i].attention(Variable(x), {.weights = weights}).output.value();
      CHECK(relative_error(mul(seen.to(kF64), 1e-12), wanted) < 1e-3);
    }
  }
}
