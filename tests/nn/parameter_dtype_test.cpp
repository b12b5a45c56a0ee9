// Modules made in f64 at once are those made in f32 and converted, up to the rounding of the initial values.
#include "autograd/modes.h"
#include "nn/cases/cases.h"
#include "nn/init.h"
#include "tests/nn/module_support.h"

using namespace heed;
using namespace heed::nn_test;

TEST_CASE("every module: made in f64 it is what it would be when converted") {
  for (const ModuleCase& c : nn_test::module_cases()) {
    CAPTURE(c.name);
    auto converted = c.make(1);
    nn::convert(*converted, DType::f64);
    std::unique_ptr<AnyModule> made;
    {
      nn::ParameterDType guard(DType::f64);
      made = c.make(1);
    }
    auto a = nn::named_parameters(*made), b = nn::named_parameters(*converted);
    REQUIRE(a.size() == b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      CAPTURE(a[i].name);
      CHECK(a[i].variable.dtype() == DType::f64);
      CHECK(relative_error(a[i].variable.value(), b[i].variable.value()) < 1e-6);
    }
    Variable loss = made->loss(DType::f64);
    CHECK(loss.item() == doctest::Approx(converted->loss(DType::f64).item()).epsilon(1e-4));
    backward(loss);
    for (auto& p : a)
      if (p.variable.grad().defined()) CHECK(p.variable.grad().dtype() == DType::f64);
    // Its values have f64's digits, not those of f32 made longer.
    bool finer = true;  // ones and zeros have no more
    for (auto& p : a) finer = finer && bit_equal(p.variable.value(), round(p.variable.value()));
    for (auto& p : a) finer = finer || !bit_equal(p.variable.value(), p.variable.value().to(DType::f32).to(DType::f64));
    CHECK(finer);
  }
}

TEST_CASE("every row of the modules' case table can be made in f64") {
  NoGrad no_grad;
  for (const CaseRow& row : heed::module_cases())
    for (const Case& c : row.cases) {
      CAPTURE(row.name);
      CAPTURE(c.label);
      std::vector<Variable> leaves;
      for (const Tensor& t : c.leaves()) leaves.emplace_back(t);
      Tensor as_ever = c.f(leaves).value();
      nn::ParameterDType guard(DType::f64);
      CHECK(bit_equal(c.f(leaves).value(), as_ever));
    }
}

TEST_CASE("ParameterDType: a scope of its thread, that nests, and takes f32 and f64 alone") {
  CHECK(nn::parameter_dtype() == DType::f32);
  {
    nn::ParameterDType outer(DType::f64);
    {
      nn::ParameterDType inner(DType::f32);
      CHECK(nn::zeros_parameter({2}).dtype() == DType::f32);
    }
    CHECK(nn::zeros_parameter({2}).dtype() == DType::f64);
  }
  CHECK(nn::ones_parameter({2}).dtype() == DType::f32);
}

TEST_CASE("UnsetParameters: every module draws no values, and when it is loaded, it is what it would have been") {
  for (const ModuleCase& c : nn_test::module_cases()) {
    CAPTURE(c.name);
    auto made = c.make(1);
    std::unique_ptr<AnyModule> loaded;
    {
      nn::UnsetParameters guard;
      loaded = c.make(1);
    }
    auto a = nn::named_parameters(*made), b = nn::named_parameters(*loaded);
    REQUIRE(a.size() == b.size());
    for (size_t i = 0; i < a.size(); ++i) CHECK(a[i].variable.shape() == b[i].variable.shape());
    CHECK(nn::save_generators(*loaded).metadata == nn::save_generators(*made).metadata);
    nn::load_state(*loaded, nn::save_state(*made), "the same");
    CHECK(bit_equal(loaded->loss(DType::f32).value(), made->loss(DType::f32).value()));
  }
  nn::UnsetParameters guard;
  Generator rng(1);
  GeneratorLog log;
  nn::uniform_parameter({3, 5}, 5, rng);
  nn::normal_parameter({3, 5}, 1, rng);
  nn::xavier_parameter({3, 5}, rng);
  CHECK(log.draws().empty());
  CHECK(rng.offset() == 3 * 8);
}
