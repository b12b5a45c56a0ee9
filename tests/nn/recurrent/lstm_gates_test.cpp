// lstm_gates, the fused kernel, against its composed twin: values, gradients, gradients of gradients.
#include <cmath>

#include "nn/recurrent/lstm.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

using Gates = nn::LSTMState (*)(const Variable&, const Variable&, const nn::LSTMState&, const Tensor&);
enum class Use { both, h_only, c_only };

// h, c and the gradients of in, past, h and c; h has none where nothing is kept.
std::vector<Tensor> run(Gates gates, const std::vector<Tensor>& inputs, const Tensor& keep, Use use = Use::both) {
  std::vector<Variable> v;
  for (const Tensor& t : inputs) v.push_back(leaf(t));
  auto [h, c] = gates(v[0], v[1], {v[2], v[3]}, keep);
  backward(use == Use::h_only   ? weighted_sum(h, 77)
           : use == Use::c_only ? weighted_sum(c, 78)
                                : weighted_sum(h, 77) + weighted_sum(c, 78));
  std::vector<Tensor> out{h.value(), c.value()};
  for (const Variable& x : v) out.push_back(x.grad().defined() ? x.grad() : Tensor::zeros(x.shape(), x.dtype()));
  return out;
}

std::vector<Tensor> inputs_of(int64_t B, int64_t N, DType dtype) {
  return {random({B, 4 * N}, 1, dtype), random({B, 4 * N}, 2, dtype), random({B, N}, 3, dtype),
          random({B, N}, 4, dtype)};
}

}  // namespace

TEST_CASE("lstm_gates: fused as composed, for every width of the last vector, each output used or not, rows kept") {
  for (DType dtype : {DType::f32, DType::f64})
    for (int64_t N : {1, 3, 4, 7, 8, 15, 16, 17, 33})
      for (int64_t B : {1, 5})
        for (Use use : {Use::both, Use::h_only, Use::c_only}) {
          CAPTURE(N);
          auto inputs = inputs_of(B, N, dtype);
          Tensor keep = Tensor::from_bools(B == 1 ? std::vector<int>{0} : std::vector<int>{1, 0, 1, 1, 0}, {B});
          double tol = dtype == DType::f32 ? 1e-5 : 1e-12;
          close(run(nn::lstm_gates, inputs, {}, use), run(nn::lstm_gates_composed, inputs, {}, use), tol);
          close(run(nn::lstm_gates, inputs, keep, use), run(nn::lstm_gates_composed, inputs, keep, use), tol);
        }
}

TEST_CASE("lstm_gates: by hand, gates in the order i, f, g, o") {
  auto sigmoid_of = [](double x) { return 1 / (1 + std::exp(-x)); };
  std::vector<double> in{0.5, -1, 2, 0.25}, past{0.125, 0.5, -1, 1};
  for (Gates gates : {&nn::lstm_gates, &nn::lstm_gates_composed}) {
    auto [h, c] = gates(Tensor::from(in, {1, 4}), Tensor::from(past, {1, 4}),
                        {Tensor::full({1, 1}, 9, DType::f64), Tensor::full({1, 1}, -0.5, DType::f64)}, {});
    double cell = sigmoid_of(-0.5) * -0.5 + sigmoid_of(0.625) * std::tanh(1.0);
    CHECK(c.item() == doctest::Approx(cell).epsilon(1e-14));
    CHECK(h.item() == doctest::Approx(sigmoid_of(1.25) * std::tanh(cell)).epsilon(1e-14));
  }
}

TEST_CASE("lstm_gates: a row that is not kept passes its state and its gradient, to the bit") {
  auto inputs = inputs_of(2, 5, DType::f32);
  auto r = run(nn::lstm_gates, inputs, Tensor::from_bools({1, 0}, {2}));
  auto second = [](const Tensor& t) { return t.select(0, 1).contiguous(); };
  CHECK(bit_equal(second(r[0]), second(inputs[2])));
  CHECK(bit_equal(second(r[1]), second(inputs[3])));
  CHECK(all_zero(second(r[2])));
  CHECK(all_zero(second(r[3])));
  CHECK(bit_equal(second(r[4]), second(random({2, 5}, 77))));
  CHECK(bit_equal(second(r[5]), second(random({2, 5}, 78))));
  CHECK(all_zero(r[4].select(0, 0)));
  CHECK_FALSE(bit_equal(r[1].select(0, 0).contiguous(), inputs[3].select(0, 0).contiguous()));
}

TEST_CASE("lstm_gates: a gradient of exactly 0 stays 0, whatever the gates and the state") {
  for (double x : {-HUGE_VAL, HUGE_VAL, std::nan(""), 1e300})
    for (int at : {0, 1, 2, 3, 4})  // i, f, g, o, c
      for (Gates gates : {nn::lstm_gates, nn::lstm_gates_composed})
        for (bool recorded : {false, true}) {
          auto in = inputs_of(1, 1, DType::f64);
          in[at < 4 ? 0 : 3].set({0, at < 4 ? at : 0}, x);
          std::vector<Variable> v;
          for (const Tensor& t : in) v.push_back(leaf(t));
          auto [h, c] = gates(v[0], v[1], {v[2], v[3]}, Tensor());
          Variable dy(Tensor::zeros({1, 1}, DType::f64));
          for (const Variable& d : grad({h, c}, {v[0], v[1], v[3]}, {.seeds = {dy, dy}, .create_graph = recorded}))
            CHECK(all_zero(d.value()));
        }
}

TEST_CASE("lstm_gates: any strides give the bits of contiguous inputs") {
  int64_t B = 4, T = 3, N = 6;
  Tensor all = random({B, T, 4 * N}, 1), turned = random({4 * N, B}, 2), repeated = random({1, N}, 3),
         turned_c = random({N, B}, 4);
  Tensor keep = Tensor::from_bools({1, 1, 1, 0, 0, 1, 1, 1}, {4, 2}).select(1, 0);
  auto steps = [&](Gates gates, bool dense) {
    auto form = [&](const Variable& v) { return dense ? contiguous(v) : v; };
    Variable x = leaf(all), w = leaf(turned), s = leaf(repeated), t = leaf(turned_c);
    auto [h, c] = gates(form(unstack(x, 1)[1]), form(transpose(w, 0, 1)),
                        {form(expand(s, {B, N})), form(transpose(t, 0, 1))}, dense ? keep.contiguous() : keep);
    backward(sum(transpose(h, 0, 1) * Variable(random({N, B}, 9))) + sum(c));  // of c: one number, expanded
    return std::vector<Tensor>{h.value(), c.value(), x.grad(), w.grad(), s.grad(), t.grad()};
  };
  auto strided = steps(nn::lstm_gates, false);
  CHECK(same_bits(strided, steps(nn::lstm_gates, true)));
  close(strided, steps(nn::lstm_gates_composed, false), 1e-5);
}

TEST_CASE("lstm_gates: gradients of gradients replay the composed form") {
  for (bool kept : {false, true}) {
    auto second = [&](Gates gates) {
      std::vector<Variable> v;
      for (const Tensor& t : inputs_of(2, 3, DType::f64)) v.push_back(leaf(t));
      auto [h, c] = gates(v[0], v[1], {v[2], v[3]}, kept ? Tensor::from_bools({1, 0}, {2}) : Tensor());
      if (!kept) v.erase(v.begin() + 2);  // h is not read
      Variable total;
      for (const Variable& d : grad({weighted_sum(h) + weighted_sum(c)}, v, {.create_graph = true}))
        total = total.defined() ? total + sum(square(d)) : sum(square(d));
      std::vector<Tensor> out;
      for (const Variable& d : grad({total}, v, {.allow_unused = true}))
        out.push_back(d.defined() ? d.value() : Tensor::zeros({}, DType::f64));
      return out;
    };
    auto a = second(nn::lstm_gates), b = second(nn::lstm_gates_composed);
    close(a, b, 1e-12);
    for (size_t k : {size_t{0}, size_t{1}, a.size() - 1}) CHECK_FALSE(all_zero(a[k]));
  }
}
