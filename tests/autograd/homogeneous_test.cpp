// Reductions, norms and losses from the smallest numbers to the largest: a change of units changes the result by a
// power of the unit, and nothing else. An operation that squares its inputs, or adds them up, belongs into the table.
#include "tests/autograd/homogeneous.h"

using namespace heed;
using homogeneous::In;
using homogeneous::Row;

namespace {

std::vector<Row> rows() {
  const Shape matrix{3, 5};
  std::vector<Row> all = {
      {"mean", 1, {matrix}, [](In in, double) { return mean(in[0], {-1}); }},
      {"mean of all", 1, {{100}}, [](In in, double) { return mean(in[0]); }},
      {"var", 2, {matrix}, [](In in, double) { return var(in[0], {-1}); }},
      {"var, kept, biased",
       2,
       {matrix},
       [](In in, double) {
         return var(in[0], {0}, {false, true});
       }},
      {"stddev", 1, {matrix}, [](In in, double) { return stddev(in[0], {-1}); }},
      {"stddev of all", 1, {matrix}, [](In in, double) { return stddev(in[0]); }},
      {"mse_loss", 2, {{70}, {70}}, [](In in, double) { return mse_loss(in[0], in[1]); }},
      {"l1_loss", 1, {{70}, {70}}, [](In in, double) { return l1_loss(in[0], in[1]); }},
      {"huber_loss", 2, {matrix, matrix}, [](In in, double c) { return huber_loss(in[0], in[1], {.delta = c}); }},
      {"smooth_l1_loss",
       1,
       {matrix, matrix},
       [](In in, double c) { return smooth_l1_loss(in[0], in[1], {.beta = 0.7 * c}); }},
      {"prod of quotients",
       0,
       {{3, 4}, {3, 4}},
       [](In in, double c) {
         return prod(concat({in[0], in[1] / c / c}, -1), {-1});
       }},
      {"prod of all quotients",
       0,
       {{3, 4}, {3, 4}},
       [](In in, double c) {
         return prod(concat({in[0], in[1] / c / c}, -1));
       }},
      {"logsumexp / c", 1, {matrix}, [](In in, double c) { return logsumexp(in[0] / c, {-1}) * c; }}};
  for (double p : {1.0, 1.5, 2.0, 3.0, 7.0, 100.0, 1000.0, static_cast<double>(INFINITY)}) {
    double tolerance = std::isinf(p) ? 1 : 64 * p * p;
    all.push_back(
        {fmt::format("norm {}", p), 1, {matrix}, [p](In in, double) { return norm(in[0], p, {-1}); }, tolerance});
    all.push_back(
        {fmt::format("norm {} of all", p), 1, {matrix}, [p](In in, double) { return norm(in[0], p); }, tolerance});
  }
  auto add = [&](const char* name, auto f) { all.push_back({name, 0, {matrix, {5}}, f, 256}); };
  const NormOptions exact{.eps = 0};
  add("layer_norm", [=](In in, double c) { return layer_norm(in[0], in[1] / c, {}, exact); });
  add("layer_norm_composed", [=](In in, double c) { return layer_norm_composed(in[0], in[1] / c, {}, exact); });
  add("rms_norm", [=](In in, double c) { return rms_norm(in[0], in[1] / c, exact); });
  add("rms_norm_composed", [=](In in, double c) { return rms_norm_composed(in[0], in[1] / c, exact); });
  return all;
}

}  // namespace

TEST_CASE("homogeneous: reductions, norms and losses in any unit") {
  for (const Row& row : rows()) homogeneous::check(row);
}

TEST_CASE("homogeneous: norms and means by hand, beside rows of ordinary numbers") {
  for (DType dtype : {DType::f32, DType::f64}) {
    const double huge = dtype == DType::f32 ? 1e30 : 1e300;
    for (double c : {huge, 1 / huge}) {
      auto x = [&](const std::vector<double>& numbers, const Shape& shape) {
        return Variable(Tensor::from(numbers, shape).to(dtype), Variable::kRequiresGrad);
      };
      Variable v = x({3 * c, 4 * c}, {2});
      CHECK(norm(v).item() == doctest::Approx(5 * c).epsilon(1e-6));
      auto slope = grad({norm(v)}, {v})[0].value().to_vector();
      CHECK(slope[0] == doctest::Approx(0.6));
      CHECK(slope[1] == doctest::Approx(0.8));
      CHECK(stddev(x({c, 3 * c, 5 * c}, {3})).item() == doctest::Approx(2 * c).epsilon(1e-6));
      // What is beside it changes no bit of an ordinary row.
      Variable alone = x({0.1, 0.7, 0.3}, {1, 3}), beside = x({c, -3 * c, 2 * c, 0.1, 0.7, 0.3}, {2, 3});
      for (auto f :
           {+[](const Variable& a) { return norm(a, 2, {-1}); }, +[](const Variable& a) { return norm(a, 3, {-1}); },
            +[](const Variable& a) { return stddev(a, {-1}); }, +[](const Variable& a) { return var(a, {-1}); },
            +[](const Variable& a) { return mean(a, {-1}); },
            +[](const Variable& a) { return sum(layer_norm(a, {}, {}, {.eps = 0}) * a.detach(), {-1}); },
            +[](const Variable& a) { return sum(rms_norm_composed(a, {}, {.eps = 0}) * a.detach(), {-1}); }}) {
        Variable one = f(alone), two = select(f(beside), 0, 1);
        CHECK(one.value().to_vector()[0] == two.item());
        std::vector<double> mine = grad({sum(one)}, {alone})[0].value().to_vector(),
                            its = grad({two}, {beside})[0].value().select(0, 1).to_vector();
        CHECK(mine == its);
      }
    }
    const double largest = dtype == DType::f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    for (int64_t n : {1, 2, 3, 7, 33, 100, 1000}) {
      Variable most(Tensor::full({n}, largest, dtype));
      CHECK(mean(most).item() == doctest::Approx(largest));
      CHECK(mean(-most).item() == doctest::Approx(-largest));
    }
    CHECK(std::isnan(mean(Variable(Tensor::from(std::vector<double>{largest, largest, NAN}, {3}).to(dtype))).item()));
    CHECK(std::isinf(norm(Variable(Tensor::from(std::vector<double>{1, INFINITY}, {2}).to(dtype))).item()));
  }
}
