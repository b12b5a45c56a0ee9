// The invariant of all kernels: neither the number of threads, nor padding, nor the batch changes a bit.
#include <doctest/doctest.h>

#include <map>

#include "tensor/indexing.h"
#include "tensor/kernels/layer_norm.h"
#include "tensor/matmul.h"
#include "tensor/rearrange.h"
#include "tensor/reduce.h"
#include "tensor/sort.h"
#include "tests/tensor/support.h"

using namespace heed;
using test::same_bits_for_any_registers;
using test::same_bits_for_any_threads;

namespace {

// x [.., N] with `extra` elements of `value` appended to each row.
Tensor padded(const Tensor& x, int64_t extra, double value) {
  Shape tail = x.shape();
  tail[tail.rank() - 1] = extra;
  return concat({x, Tensor::full(tail, value, x.dtype())}, -1);
}

}  // namespace

TEST_CASE("1, 2 and 3 threads give the same bits in every kernel") {
  Generator rng(1);
  for (DType d : {DType::f32, DType::f64}) {
    Tensor x = Tensor::normal({300, 257}, rng, 0, 1, d), y = Tensor::normal({300, 257}, rng, 0, 1, d);
    Tensor t = Tensor::normal({257, 300}, rng, 0, 1, d).transpose(0, 1), bias = Tensor::normal({257}, rng, 0, 1, d);
    Tensor cube = Tensor::normal({20, 40, 100}, rng, 0, 1, d), flat = Tensor::normal({100003}, rng, 0, 1, d);
    Tensor rows = Tensor::uniform({500}, rng, 0, 300).to(DType::i64);
    Tensor columns = Tensor::uniform({300, 257}, rng, 0, 257).to(DType::i64);
    Tensor mask = greater(x, 0);
    std::map<std::string, std::function<Tensor()>> kernels = {
        {"exp", [&] { return exp(x); }},
        {"exp, transposed", [&] { return exp(t); }},
        {"exp, one long row", [&] { return exp(flat); }},
        {"tanh, sliced", [&] { return tanh(x.slice(1, 1, 250, 3)); }},
        {"log", [&] { return log(square(x)); }},
        {"sqrt", [&] { return sqrt(square(x)); }},
        {"add, bias", [&] { return add(x, bias); }},
        {"mul, transposed", [&] { return mul(x, t); }},
        {"pow", [&] { return pow(square(x), y); }},
        {"where", [&] { return where(mask, x, bias); }},
        {"less", [&] { return less(x, t); }},
        {"cast", [&] { return x.to(DType::i64); }},
        {"contiguous", [&] { return t.contiguous(); }},
        {"add_into",
         [&] {
           Tensor z = x.clone();
           add_into(z, t, 0.3);
           return z;
         }},
        {"dropout",
         [&] {
           return dropout_mask({300, 257}, d, 0.3, 5, 6);
         }},
        {"uniform",
         [&] {
           Generator g(3);
           return Tensor::uniform({100003}, g, 0, 1, d);
         }},
        {"normal",
         [&] {
           Generator g(3);
           return Tensor::normal({100003}, g, 0, 1, d);
         }},
        {"sum, all", [&] { return sum(x); }},
        {"sum, long", [&] { return sum(flat); }},
        {"sum, last", [&] { return sum(x, {1}); }},
        {"sum, first", [&] { return sum(x, {0}); }},
        {"sum, transposed", [&] { return sum(t, {0}); }},
        {"sum, middle", [&] { return sum(cube, {1}); }},
        {"sum, ends",
         [&] {
           return sum(cube, {0, 2});
         }},
        {"max", [&] { return max(x, 0); }},
        {"argmax", [&] { return argmax(cube, 1); }},
        {"cumsum", [&] { return cumsum(cube, 1); }},
        {"linear_scan", [&] { return linear_scan(cube, cube, 1); }},
        {"softmax", [&] { return softmax_rows(t); }},
        {"log_softmax", [&] { return log_softmax_rows(x); }},
        {"logsumexp", [&] { return logsumexp_rows(x); }},
        {"softmax_backward", [&] { return softmax_rows_backward(softmax_rows(x), y); }},
        {"index_select", [&] { return index_select(x, rows); }},
        {"index_add",
         [&] {
           Tensor z = x.clone();
           index_add_into(z, rows, index_select(y, rows));
           return z;
         }},
        {"index_select, last axis", [&] { return index_select(x, 1, columns.select(0, 0)); }},
        {"tril", [&] { return tril(cube, 3); }},
        {"argsort", [&] { return argsort(x, 0); }},
        {"layer_norm", [&] { return norm_rows(x, bias, bias, 1e-5, Centre::mean).y; }},
        {"gather", [&] { return gather_last(x, columns); }},
        {"scatter_add",
         [&] {
           Tensor z = x.clone();
           scatter_add_last_into(z, columns, y);
           return z;
         }},
        {"concat",
         [&] {
           return concat({x, t, y}, 1);
         }},
        {"matmul", [&] { return matmul(x, y.transpose(0, 1)); }},
        {"matmul, transposed", [&] { return matmul(x.transpose(0, 1), t); }},
        {"matmul, tall",
         [&] {
           return matmul(flat.slice(0, 0, 100000).view({10000, 10}), x.slice(0, 0, 10).slice(1, 0, 7));
         }},
        {"matmul, wide",
         [&] {
           return matmul(x.slice(0, 0, 3).slice(1, 0, 10), flat.slice(0, 0, 100000).view({10, 10000}));
         }},
        {"matmul, deep",
         [&] {
           return matmul(flat.slice(0, 0, 90000).view({3, 30000}), flat.slice(0, 0, 90000).view({30000, 3}));
         }},
        {"matmul, batched", [&] { return matmul(cube, cube.transpose(1, 2)); }},
        {"matmul, vector", [&] { return matmul(x, bias); }},
        {"matmul_into",
         [&] {
           Tensor z = Tensor::ones({300, 300}, d);
           matmul_into(z, x, y.transpose(0, 1));
           return z;
         }},
    };
    for (const auto& kernel : kernels) {
      INFO(kernel.first, " ", name_of(d));
      CHECK(same_bits_for_any_threads(kernel.second));
      CHECK(same_bits_for_any_registers(kernel.second));
    }
  }
}

TEST_CASE("padding changes no bit: zeros behind a sum and a product, -inf behind a softmax") {
  Generator rng(2);
  for (DType d : {DType::f32, DType::f64})
    for (int64_t n : {1, 3, 8, 15, 16, 17, 31, 33, 64, 65, 100, 129})
      for (int64_t extra : {1, 2, 7, 16, 63, 64, 100}) {
        Tensor x = Tensor::normal({3, n}, rng, 0, 3, d), w = Tensor::normal({n, 5}, rng, 0, 1, d);
        Tensor zeros = padded(x, extra, 0), masked = padded(x, extra, -INFINITY);
        REQUIRE(bit_equal(sum(zeros, {1}), sum(x, {1})));
        REQUIRE(bit_equal(sum(zeros.transpose(0, 1).contiguous(), {0}), sum(x.transpose(0, 1).contiguous(), {0})));
        REQUIRE(bit_equal(softmax_rows(masked).slice(1, 0, n), softmax_rows(x)));
        REQUIRE(bit_equal(log_softmax_rows(masked).slice(1, 0, n), log_softmax_rows(x)));
        REQUIRE(bit_equal(logsumexp_rows(masked), logsumexp_rows(x)));
        REQUIRE(max(masked, 1).to_vector() == max(x, 1).to_vector());
        Tensor p = softmax_rows(x), dy = Tensor::normal({3, n}, rng, 0, 1, d);
        REQUIRE(bit_equal(softmax_rows_backward(padded(p, extra, 0), padded(dy, extra, 5)).slice(1, 0, n),
                          softmax_rows_backward(p, dy)));
        Tensor garbage = concat({w, Tensor::normal({extra, 5}, rng, 0, 1, d)}, 0);
        REQUIRE(bit_equal(matmul(zeros, garbage), matmul(x, w)));
      }
}

TEST_CASE("padding changes no bit of a sum of many runs, wherever a run ends") {
  Generator rng(4);
  for (DType d : {DType::f32, DType::f64})
    for (int64_t n : {63, 64, 65, 200, 4095, 4096, 4097, 8191, 8192, 12289, 40000})
      for (int64_t extra : {1, 63, 64, 5000, 70000}) {
        Tensor x = Tensor::normal({1, n}, rng, 0, 3, d), zeros = padded(x, extra, 0),
               masked = padded(x, extra, -INFINITY);
        REQUIRE(bit_equal(sum(zeros, {1}), sum(x, {1})));
        REQUIRE(bit_equal(sum(zeros.view({n + extra, 1}).expand({n + extra, 3}), {0}),
                          sum(x.view({n, 1}).expand({n, 3}), {0})));
        REQUIRE(bit_equal(logsumexp_rows(masked), logsumexp_rows(x)));
      }
}

TEST_CASE("the batch changes no bit: one row alone, or among others") {
  Generator rng(3);
  for (DType d : {DType::f32, DType::f64}) {
    Tensor x = Tensor::normal({37, 100}, rng, 0, 1, d), w = Tensor::normal({100, 50}, rng, 0, 1, d);
    Tensor all = matmul(x, w), soft = softmax_rows(x), total = sum(x, {1});
    for (int64_t i = 0; i < 37; ++i) {
      Tensor row = x.slice(0, i, i + 1);
      REQUIRE(bit_equal(matmul(row, w), all.slice(0, i, i + 1)));
      REQUIRE(bit_equal(matmul(x.select(0, i), w), all.select(0, i)));  // as a vector
      REQUIRE(bit_equal(softmax_rows(row), soft.slice(0, i, i + 1)));
      REQUIRE(bit_equal(sum(row, {1}), total.slice(0, i, i + 1)));
    }
    for (int64_t j = 0; j < 50; ++j) REQUIRE(bit_equal(matmul(x, w.select(1, j)), all.select(1, j)));
  }
}

TEST_CASE("tails use the code of whole vectors: an element's bits do not depend on its place in a row") {
  for (DType d : {DType::f32, DType::f64})
    for (auto name :
         {RowName("exp"), RowName("log"), RowName("tanh"), RowName("sigmoid"), RowName("sqrt"), RowName("relu")}) {
      auto f = [&](const Tensor& x) { return elementwise(name, x); };
      for (double v : {0.1, 0.7, 1.3, 5.9}) {
        Tensor want = f(Tensor::full({64}, v, d)).slice(0, 0, 1);
        for (int64_t n = 1; n < 40; ++n) {
          Tensor y = f(Tensor::full({n}, v, d)), strided = f(Tensor::full({n, 2}, v, d).select(1, 0));
          for (int64_t i = 0; i < n; ++i) {
            REQUIRE(bit_equal(y.slice(0, i, i + 1), want));
            REQUIRE(bit_equal(strided.slice(0, i, i + 1), want));
          }
        }
      }
    }
}
