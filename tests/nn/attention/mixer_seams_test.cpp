// What every mixer owes its caller beyond its formula: shapes are checked, padding is absent whatever it is, no words
// are no error, and extreme keys do not reach earlier words.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/around/around.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/attention/mixers/routing.h"
#include "nn/attention/registry.h"
#include "nn/attention/scores/gaussian.h"
#include "nn/catalogue/catalogue.h"
#include "nn/pooling/pooling.h"
#include "nn/transformer/bert.h"
#include "nn/zoo/knn.h"
#include "tensor/error.h"

using namespace heed;

namespace {

constexpr int64_t kWidth = 8;

std::unique_ptr<nn::Mixer> mixer(const std::string& name, bool causal = false, int64_t width = kWidth) {
  Generator rng(1);
  return nn::make_mixer({.name = name, .query = width, .key = width, .heads = 2, .causal = causal}, rng);
}

// y = x + half of what the first layer was given.
struct FromTheFirst final : nn::Mixer {
  bool passes() const override { return true; }
  nn::Mixed mix(const Variable& x, const nn::MixerInput& in) const override {
    REQUIRE(in.passed);
    const Variable first = in.passed->left.try_emplace("first", x).first->second;
    return {x + 0.5 * first};
  }
};

Tensor bools(const std::vector<double>& values, const Shape& shape) {
  return Tensor::from(values, shape).to(DType::boolean);
}

}  // namespace

TEST_CASE(
    "mixers: a mask or an input of another shape is an error; no words are none; NaN in padding reaches nothing") {
  for (const nn::CatalogueEntry& e : nn::stage_entries(nn::Kind::mixer)) {
    CAPTURE(e.name);
    auto m = mixer(e.name);
    nn::set_training(*m, true);
    Generator rng(2);
    Tensor x = Tensor::normal({3, 5, kWidth}, rng);
    for (const Shape& shape : {Shape{3, 1}, Shape{1, 5}, Shape{5}, Shape{3, 6}})
      CHECK_THROWS_AS((*m)(Variable(x), {.words = Tensor::full(shape, 1, DType::boolean)}), ShapeError);
    CHECK_THROWS_AS((*m)(Variable(x), {.words = Tensor::full({3, 5}, 1, DType::f32)}), ShapeError);
    CHECK_THROWS_AS((*m)(Variable(Tensor::zeros({2, 5, 1})), {}), ShapeError);
    CHECK_THROWS_AS((*m)(Variable(Tensor::zeros({5, kWidth})), {}), ShapeError);
    CHECK((*m)(Variable(Tensor::zeros({2, 0, kWidth})), {}).output.shape() == Shape{2, 0, kWidth});

    for (int64_t d = 0; d < kWidth; ++d) x.set({1, 4, d}, NAN);
    Tensor words = Tensor::full({3, 5}, 1, DType::boolean);
    words.set({1, 4}, 0);
    Variable y = (*m)(Variable(x), {.words = words}).output;
    if (y.requires_grad()) backward(sum(slice(y, 1, 0, 4)));  // FNet has no parameters
    for (const auto& named : nn::named_parameters(*m)) {
      CAPTURE(named.name);
      const Tensor grad = named.variable.grad();
      if (grad.defined()) CHECK(std::isfinite(amax(abs(grad)).item()));
    }
  }
}

TEST_CASE("AFT: a later word with large keys changes no earlier word") {
  for (const char* name : {"aft_full", "aft_local", "aft_conv", "aft_simple"}) {
    auto m = mixer(name, true, 64);
    Generator rng(1);
    NoGrad guard;
    Tensor x = Tensor::normal({1, 8, 64}, rng), late = x.clone();
    for (int64_t d = 0; d < 64; ++d) late.set({0, 7, d}, 1000 * x.at({0, 7, d}));
    Variable a = slice((*m)(Variable(x), {}).output, 1, 0, 7), b = slice((*m)(Variable(late), {}).output, 1, 0, 7);
    CAPTURE(name);
    CHECK(amax(abs(a - b).value()).item() < 1e-5);
  }
}

TEST_CASE("routing: under a checkpoint a call moves the centroids once") {
  std::vector<Tensor> after;
  for (int64_t checkpoint : {0, 1}) {
    Generator rng(1);
    nn::Bert m({.source_vocabulary = 30,
                .model = 16,
                .heads = 2,
                .inner = 16,
                .encoder_layers = 1,
                .dropout = 0,
                .mixers = "routing"},
               rng);
    nn::set_training(m, true);
    m.set_checkpoint(checkpoint);
    auto& routing = dynamic_cast<nn::RoutingMixer&>(*m.encoder.layers[0].mixer);
    const Tensor before = routing.centroids.clone();
    Tensor ids = Tensor::from(std::vector<int64_t>{5, 6, 7, 8, 9, 10, 11, 12}, {2, 4});
    for (int step = 0; step < 3; ++step) {
      Variable y = m(ids, Tensor::from(std::vector<int64_t>{4, 4}, {2}));
      backward(sum(y * y));
    }
    CHECK_FALSE(bit_equal(before, routing.centroids));
    after.push_back(routing.centroids);
  }
  CHECK(bit_equal(after[0], after[1]));
}

TEST_CASE(
    "mixers: what one leaves reaches those of later layers, also from one checkpoint to the next, and step by step") {
  Generator rng(1);
  nn::TransformerLayerOptions layer{.model = kWidth, .heads = 2, .inner = 4, .causal = true};
  nn::TransformerStack stack({.layer = layer, .layers = 3, .mixers = {{.mixer = {.name = "average"}}}}, rng);
  for (size_t i = 0; i < 3; ++i) {
    auto mixer = std::make_unique<FromTheFirst>();
    mixer->width = kWidth;
    stack.layers[i].mixer = std::move(mixer);
  }
  Variable x(Tensor::normal({2, 4, kWidth}, rng));
  x.set_requires_grad(true);
  std::vector<Tensor> outputs, gradients;
  for (int64_t checkpoint : {0, 1, 2}) {
    stack.checkpoint = checkpoint;
    Variable y = stack(x).output;
    outputs.push_back(y.value());
    gradients.push_back(grad({sum(y * y * y)}, {x})[0].value());
    CHECK(bit_equal(outputs.back(), outputs[0]));
    CHECK(max_abs_difference(gradients.back(), gradients[0]) < 1e-5);
  }
  // By hand: each layer is norm(h + mixed), then the feed-forward network.
  Variable h = x;
  for (const nn::TransformerLayer& one : stack.layers) {
    h = one.norm1(h + (h + 0.5 * x));
    h = one.norm2(h + one.feed_forward(h));
  }
  CHECK(max_abs_difference(outputs[0], (*stack.norm)(h).value()) < 1e-5);
  NoGrad guard;
  std::vector<nn::LayerCache> caches;
  for (int64_t t = 0; t < 4; ++t)
    CHECK(max_abs_difference(stack(slice(x, 1, t, t + 1), {}, &caches).output.value(), outputs[0].slice(1, t, t + 1)) <
          1e-5);
}

TEST_CASE("packed rows refuse a normaliser that reads whole matrices") {
  Generator rng(1);
  nn::Bert m({.source_vocabulary = 20,
              .model = 16,
              .heads = 2,
              .inner = 16,
              .encoder_layers = 1,
              .dropout = 0,
              .normaliser = "matrix_tree"},
             rng);
  CHECK_THROWS_AS(m(nn::pack({{5, 6, 7}, {8, 9}}, {{0, 1}})), ValueError);
}

TEST_CASE("padding before the words: the first word is selected by none, and clusters begin at words") {
  for (const char* name : {"selective", "clustered"}) {
    auto m = mixer(name);
    Generator rng(3);
    NoGrad guard;
    Variable x(Tensor::normal({1, 3, kWidth}, rng)), padded = concat({Variable(Tensor::zeros({1, 2, kWidth})), x}, 1);
    Variable alone = (*m)(x, {}).output;
    Variable later = slice((*m)(padded, {.words = bools({0, 0, 1, 1, 1}, {1, 5})}).output, 1, 2, 5);
    CAPTURE(name);
    CHECK(amax(abs(alone - later).value()).item() < 1e-5);
  }
}

TEST_CASE("distances far from 0 keep their digits: weights move with queries and keys by nothing") {
  Generator rng(4);
  NoGrad guard;
  Tensor q = mul(Tensor::normal({1, 4, 64}, rng), 0.1), k = mul(Tensor::normal({1, 6, 64}, rng), 0.1);
  Variable v(Tensor::normal({1, 6, 2}, rng));
  Tensor near = nn::nearest_attention(Variable(q), Variable(k), v).weights.value();
  Tensor far = nn::nearest_attention(Variable(add(q, 100)), Variable(add(k, 100)), v).weights.value();
  CHECK(amax(abs(sub(near, far))).item() < 1e-3);  // the inputs themselves have lost digits

  nn::GaussianScore score({.name = "gaussian", .query = 64, .key = 64, .settings = {{"bandwidth", 1.0}}}, rng);
  nn::StageContext context;
  Tensor close = softmax(score.scores(Variable(q), Variable(k), context)).value();
  Tensor away = softmax(score.scores(Variable(add(q, 100)), Variable(add(k, 100)), context)).value();
  CHECK(amax(abs(sub(close, away))).item() < 1e-3);
}

TEST_CASE("norms of rows whose squares are too large for f32") {
  for (double size : {1e20, 1e30, 3e37}) {
    Tensor x = mul(Tensor::from(std::vector<double>{1, -2, 3, 0.5}, {1, 4}), size);
    Tensor wide = x, narrow = x.to(DType::f32);
    CHECK(amax(abs(sub(rms_norm(Variable(narrow), {}).value().to(DType::f64), rms_norm(Variable(wide), {}).value())))
              .item() < 1e-5);
    CHECK(
        amax(abs(sub(layer_norm(Variable(narrow)).value().to(DType::f64), layer_norm(Variable(wide)).value()))).item() <
        1e-5);
  }
}
