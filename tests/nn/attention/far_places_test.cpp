// xPos at any number of words: the product of a query and an earlier key has the factor z_i^((t - s)/C) of their
// distance, wherever both are, with every evaluator and from a cache; and what stays out of reach is refused with the
// number of words.
#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/registry.h"
#include "nn/transformer/transformer_options.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

constexpr DType kF32 = DType::f32;
constexpr int64_t kModel = 12, kHeads = 2, kWidth = kModel / kHeads;

nn::MultiHeadAttention attention(const std::string& position, const std::string& scope, const std::string& evaluator,
                                 DType dtype, const std::string& score = "scaled_dot",
                                 const std::string& normaliser = "softmax") {
  auto m = make<nn::MultiHeadAttention>(
      {.model = kModel,
       .heads = kHeads,
       .score = nn::stage_from(nn::Kind::score, score),
       .scope = nn::joins(scope) ? nn::ScopeOptions{.name = scope} : nn::stage_from(nn::Kind::scope, scope),
       .normaliser = nn::stage_from(nn::Kind::normaliser, normaliser),
       .position = nn::stage_from(nn::Kind::position, position),
       .evaluator = nn::stage_from(nn::Kind::evaluator, evaluator)},
      3);
  nn::convert(m, dtype);
  return m;
}

// Pair by pair, from the distances alone: rotated products times z^(distance / C), in f64. places [B, T] or counted.
Variable twin(const nn::MultiHeadAttention& m, const Variable& x, double C, const nn::Places& p,
              const Tensor& allowed) {
  const int64_t B = x.size(0), T = x.size(1), half = kWidth / 2;
  auto of = [&](int64_t part) {
    Variable y = linear(x, slice(m.in_proj_weight, 0, part * kModel, (part + 1) * kModel),
                        slice(m.in_proj_bias, 0, part * kModel, (part + 1) * kModel));
    return reshape(y, {B, T, kHeads, kWidth});
  };
  auto turned = [&](int64_t part) {
    return transpose(nn::rotate_pairs(of(part), {.first = p.first_query, .at = p.query_at}), 1, 2);
  };
  Variable q = turned(0), k = turned(1), v = transpose(of(2), 1, 2), e;
  nn::Places all = p;
  all.queries = all.keys = T;
  Tensor away = nn::distances(all).to(kF64);  // s - t
  if (away.rank() == 3) away = away.unsqueeze(1);
  for (int64_t i = 0; i < half; ++i) {
    double z = (static_cast<double>(i) / static_cast<double>(half) + 0.4) / 1.4;
    Variable products = matmul(unsqueeze(select(q, 3, i), -1), unsqueeze(select(k, 3, i), -2)) +
                        matmul(unsqueeze(select(q, 3, i + half), -1), unsqueeze(select(k, 3, i + half), -2));
    Tensor seen = where(allowed, away, Tensor::zeros({1}, kF64));
    Variable term = products * Variable(exp(mul(seen, -std::log(z) / C)));
    e = e.defined() ? e + term : term;
  }
  Variable w = softmax(masked_fill(e / std::sqrt(static_cast<double>(kWidth)), logical_not(allowed), -INFINITY), -1);
  return m.out_proj(reshape(transpose(matmul(w, v), 1, 2), {B, T, kModel}));
}

Tensor allowed_by_distance(int64_t T, int64_t left, int64_t right) {
  return nn::mask_of_distances("test", {.queries = T, .keys = T}, [=](int64_t d) { return -d <= left && d <= right; });
}

double largest(const Tensor& a) { return amax(abs(a), {}).to(kF64).item(); }

struct Far {
  const char* position;
  double C;
  int64_t T, first;
};
// Within a block, over its end, many blocks, and places beyond which z^(-s/C) is no number in f32.
constexpr Far kFar[] = {{"xpos:10000,decay=1", 1, 100, 0},
                        {"xpos:10000,decay=1", 1, 100, 1000000},
                        {"xpos:10000,decay=3", 3, 70, 120},
                        {"xpos", 512, 12, 24770},
                        {"xpos", 512, 20, 36295},
                        {"xpos", 512, 10, 10000000},
                        {"xpos:10000,decay=1.5", 1.5, 300, 0}};

}  // namespace

TEST_CASE("xpos: every causal pair has the factor of its distance, at any place and with every evaluator") {
  for (const Far& far : kFar)
    for (const char* evaluator : {"auto", "dense", "tiled", "chunked:7", "split:3", "paged:8"})
      for (const char* scope : {"causal", "causal&window:5"}) {
        CAPTURE(far.position);
        CAPTURE(far.first);
        CAPTURE(evaluator);
        CAPTURE(scope);
        nn::Places places{.first_query = far.first, .first_key = far.first};
        Tensor x = random({2, far.T, kModel}, 5, kF64).to(kF32), dy = random({2, far.T, kModel}, 6, kF64);
        auto wide = attention(far.position, scope, "dense", kF64);
        Variable x64(x.to(kF64), Variable::kRequiresGrad);
        Tensor allowed = allowed_by_distance(far.T, scope[6] ? 5 : far.T, 0);
        Variable right = twin(wide, x64, far.C, places, allowed);
        backward(sum(right * Variable(dy)));
        for (DType dtype : {kF32, kF64}) {
          auto m = attention(far.position, scope, evaluator, dtype);
          Variable leaf(x.to(dtype), Variable::kRequiresGrad);
          Variable y = m(leaf, {.places = places}).output;
          backward(sum(y * Variable(dy.to(dtype))));
          const double most = dtype == kF64 ? 1e-9 : 2e-5;  // cosines of places of 1e7 have lost 7 digits of 16
          CHECK(max_abs_difference(y.value().to(kF64), right.value()) < most);
          CHECK(max_abs_difference(leaf.grad().to(kF64), x64.grad()) < most * largest(x64.grad()));
          NoGrad no_grad;
          if (far.first != 0) continue;
          auto memory = m.memory();
          for (int64_t from = 0, to = 0; from < far.T; from = to) {  // keys cached at other steps than the queries
            to = std::min(far.T, from % 3 == 0 ? from + 1 : from + 5);
            Tensor now = m.extend(Variable(x.to(dtype).slice(1, from, to)), *memory).output.value();
            CHECK(max_abs_difference(now.to(kF64), right.value().slice(1, from, to)) < most);
          }
        }
      }
}

TEST_CASE("xpos: places one by one, weights, and what a head sees of later words") {
  const int64_t T = 60;
  Tensor at = Tensor::empty({2, T}, DType::i64);
  for (int64_t t = 0; t < T; ++t) at.set({0, t}, static_cast<double>(t)), at.set({1, t}, static_cast<double>(t + 70));
  Tensor x = random({2, T, kModel}, 5, kF64).to(kF32);
  auto wide = attention("xpos:10000,decay=1", "global", "dense", kF64);
  auto agree = [&](const char* scope, const nn::HeadMasks& masks, const Tensor& allowed) {
    Tensor right = twin(wide, Variable(x.to(kF64)), 1, masks.places, allowed).value();
    for (const char* evaluator : {"auto", "dense"}) {
      auto m = attention("xpos:10000,decay=1", scope, evaluator, kF32);
      CHECK(max_abs_difference(m(Variable(x), masks).output.value().to(kF64), right) < 2e-5);
    }
  };
  nn::Places one_by_one{.query_at = at, .key_at = at};
  Tensor before = allowed_by_distance(T, T, 0), all = allowed_by_distance(T, T, T), few = allowed_by_distance(T, 4, 4);
  agree("causal", {.places = one_by_one}, before);
  agree("causal", {.weights = true}, before);
  agree("window:4", {.places = {.first_query = 36, .first_key = 36}}, few);
  // The factors of later keys grow to 1e32, where only the largest scores of a row are read.
  auto m = attention("xpos:10000,decay=1", "global", "auto", kF32);
  Tensor y = m(Variable(x), {.places = {.first_query = 36, .first_key = 36}}).output.value();
  CHECK(std::isfinite(largest(y)));
}

TEST_CASE("xpos: large factors of later words, values and gradients, with every evaluator") {
  for (int64_t T : {10, 20, 40, 60})
    for (const char* evaluator : {"auto", "dense", "tiled", "chunked:7", "split:3", "paged:8"}) {
      CAPTURE(T);
      CAPTURE(evaluator);
      Tensor x = random({2, T, kModel}, 5, kF64).to(kF32), dy = random({2, T, kModel}, 6, kF64);
      auto wide = attention("xpos:10000,decay=1", "global", "dense", kF64);
      Variable x64(x.to(kF64), Variable::kRequiresGrad), leaf(x, Variable::kRequiresGrad);
      Variable right = twin(wide, x64, 1, {}, allowed_by_distance(T, T, T));
      backward(sum(right * Variable(dy)));
      auto m = attention("xpos:10000,decay=1", "global", evaluator, kF32);
      Variable y = m(leaf).output;
      backward(sum(y * Variable(dy.to(kF32))));
      CHECK(max_abs_difference(y.value().to(kF64), right.value()) < 1e-3);
      CHECK(max_abs_difference(leaf.grad().to(kF64), x64.grad()) < 1e-3 * largest(x64.grad()));
    }
}

TEST_CASE("xpos: a stage that reads the weights of the word before, word by word from a cache") {
  for (std::string normaliser : {"monotonic", "mocha"})
    for (DType dtype : {kF32, kF64}) {
      CAPTURE(normaliser);
      if (normaliser == "mocha" && dtype == kF64) continue;  // takes as long as the three others
      const int64_t T = dtype == kF32 ? 110 : 410;           // into a further block
      auto m = attention("xpos:10000,decay=1", "causal", "auto", dtype, "scaled_dot", normaliser);
      NoGrad no_grad;
      Variable x(random({2, T, kModel}, 5, dtype));
      Tensor whole = m(x).output.value();
      auto memory = m.memory();
      nn::AlignmentState state;
      double most = 0;
      for (int64_t t = 0; t < T; ++t) {
        Tensor y = m.extend(slice(x, 1, t, t + 1), *memory, {.state = &state}).output.value();
        most = std::max(most, max_abs_difference(y, whole.slice(1, t, t + 1)));
      }
      CHECK(most < (dtype == kF32 ? 1e-5 : 1e-12));
    }
}

TEST_CASE("xpos: what stays out of reach is refused, with the number of words") {
  auto says = [](const std::string& scope, const std::string& evaluator, const std::string& score, int64_t T) {
    auto m = attention("xpos:10000,decay=1", scope, evaluator, kF32, score);
    try {
      m(Variable(random({1, T, kModel}, 5)));
    } catch (const ValueError& e) { return std::string(e.what()); }
    return std::string();
  };
  CHECK(says("global", "auto", "scaled_dot", 64) == "");
  CHECK(says("global", "auto", "scaled_dot", 65).find(" 63 words") != std::string::npos);
  CHECK(says("causal", "auto", "general", 49) == "");
  CHECK(says("causal", "auto", "general", 50).find(" 49 words") != std::string::npos);
  CHECK(says("causal", "linear", "scaled_dot", 49) == "");
  CHECK(says("causal", "linear", "scaled_dot", 50).find(" 49 words") != std::string::npos);

  nn::TransformerOptions o;  // asked before training
  o.positions = "xpos:decay=1";
  CHECK(nn::position_limit(o) == 64);
  o.score = "general";
  CHECK(nn::position_limit(o) == 49);
  o.score = "", o.scope = "window:3";
  CHECK(nn::position_limit(o) == 0);
  o.scope = "global", o.positions = "xpos";
  CHECK(nn::position_limit(o) == 32635);
}
