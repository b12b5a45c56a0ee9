// Low-rank adapters: apart and merged, what is frozen, which matrices a pattern finds, saved beside the model.
#include "nn/lora.h"

#include "autograd/backward.h"
#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "tensor/reduce.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

struct Pair : nn::Module {
  struct Options {
    int64_t width = 6;
  };
  Pair(const Options& o, Generator& rng)
      : options(o),
        query({.in = o.width, .out = o.width}, rng),
        value({.in = o.width, .out = o.width}, rng),
        same({.in = o.width, .out = o.width}, rng) {
    same.weight = query.weight;
  }
  Variable operator()(const Variable& x) const { return tanh(query(x)) * value(x) + same(x); }
  void visit(nn::Visitor& v) { v.child("query", query), v.child("value", value), v.child("same", same); }
  Options options;
  nn::Linear query, value, same;
};

Tensor drawn(const Shape& shape, DType dtype, uint64_t seed = 5) {
  Generator rng(seed);
  return Tensor::uniform(shape, rng, -1, 1, dtype);
}
void fill_b(nn::LoraModel& lora, DType dtype) {  // as after training
  uint64_t seed = 20;
  for (NamedVariable& p : nn::named_parameters(lora))
    if (p.name.ends_with("lora_B")) p.variable.set_value(drawn(p.variable.shape(), dtype, ++seed));
}
double farthest(const Tensor& a, const Tensor& b) {
  double most = 0;
  const std::vector<double> x = a.to_vector(), y = b.to_vector();
  for (size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]) / std::max(1.0, std::abs(y[i])));
  return most;
}

}  // namespace

TEST_CASE("lora: the two paths of the paper are one matrix") {
  for (DType dtype : {DType::f32, DType::f64}) {
    nn::ParameterDType guard(dtype);
    Generator rng(1);
    nn::Linear base({.in = 7, .out = 5}, rng);
    nn::Lora lora({.in = 7, .out = 5, .rank = 3, .alpha = 4}, rng);
    const Variable x(drawn({4, 7}, dtype));
    CHECK(amax(abs(lora(x).value())).item() == 0);  // B = 0: training begins with the model as it was
    lora.b.set_value(drawn({5, 3}, dtype));
    CHECK(lora.scale() == doctest::Approx(4.0 / 3));
    const Variable apart = base(x) + lora(x), merged = linear(x, base.weight + lora.product(), base.bias);
    CHECK(farthest(apart.value(), merged.value()) <= (dtype == DType::f64 ? 1e-12 : 1e-6));
    CHECK(farthest(apart.value(), base(x).value()) > 0.1);
  }
}

TEST_CASE("lora: a model with adapters, and with them merged") {
  for (DType dtype : {DType::f32, DType::f64}) {
    nn::ParameterDType guard(dtype);
    Generator rng(1);
    Pair model({}, rng);
    const Variable x(drawn({3, 6}, dtype));
    const Tensor before = model(x).value();
    nn::LoraModel lora(model, {.rank = 2, .where = "query,val*"}, rng);
    CHECK(lora.matrices() == 2);  // `same` is the matrix of query: one adapter for both names
    lora.apply();
    CHECK(farthest(model(x).value(), before) == 0);
    fill_b(lora, dtype);
    lora.apply();
    const Tensor apart = model(x).value();
    CHECK(farthest(apart, before) > 0.1);
    CHECK(model.query.weight.same_as(model.same.weight));
    lora.merge();
    CHECK_FALSE(model.query.weight.requires_grad());
    CHECK(farthest(model(x).value(), apart) <= (dtype == DType::f64 ? 1e-12 : 1e-6));
    lora.restore();
    CHECK(farthest(model(x).value(), before) == 0);
  }
}

TEST_CASE("lora: only the adapters, and what is named, have gradients") {
  Generator rng(1);
  Pair model({}, rng);
  nn::LoraModel lora(model, {.rank = 2, .where = "*", .train = "value*"}, rng);
  fill_b(lora, DType::f32);
  std::vector<std::string> names;
  for (const NamedVariable& p : lora.trained()) names.push_back(p.name);
  CHECK(names == std::vector<std::string>{"query.lora_A", "query.lora_B", "value.weight", "value.bias"});
  lora.apply();
  backward(sum(square(model(Variable(drawn({3, 6}, DType::f32))))));
  for (const NamedVariable& p : lora.trained()) {
    CAPTURE(p.name);
    REQUIRE(p.variable.grad().defined());
    CHECK(amax(abs(p.variable.grad())).item() > 0);
  }
  CHECK_FALSE(model.query.bias.grad().defined());
  CHECK_FALSE(model.query.bias.requires_grad());
  CHECK(nn::count_parameters(lora) == 2 * (6 + 6));
}

TEST_CASE("lora: adapters are saved without the model") {
  Generator rng(1), other(2);
  Pair model({}, rng);
  nn::LoraModel lora(model, {.rank = 2, .where = "*"}, rng);
  fill_b(lora, DType::f32);
  io::SafeTensors file = nn::save_state(lora);
  CHECK(file.find("value.lora_B") != nullptr);
  CHECK(file.find("value.weight") == nullptr);
  Generator again(1);
  Pair copy({}, again);
  nn::LoraModel loaded(copy, {.rank = 2, .where = "*"}, other);
  nn::load_state(loaded, file, "adapters");
  lora.merge(), loaded.merge();
  const Variable x(drawn({3, 6}, DType::f32));
  CHECK(farthest(model(x).value(), copy(x).value()) == 0);
}

TEST_CASE("lora: patterns") {
  CHECK(nn::fits_pattern("a.b.q_proj", "*.q_proj,*.v_proj"));
  CHECK(nn::fits_pattern("a.b.v_proj", "*.q_proj,*.v_proj"));
  CHECK_FALSE(nn::fits_pattern("a.b.k_proj", "*.q_proj,*.v_proj"));
  CHECK_FALSE(nn::fits_pattern("q_proj", "*.q_proj"));
  CHECK(nn::fits_pattern("blocks.11.up", "blocks.*1.up"));
  CHECK_FALSE(nn::fits_pattern("blocks.12.up", "blocks.*1.up"));
  CHECK_FALSE(nn::fits_pattern("anything", ""));
  const std::string stars(200, '*'), name(300, 'a');
  CHECK_FALSE(nn::fits_pattern(name, stars + "b"));  // and not after a lifetime
}
