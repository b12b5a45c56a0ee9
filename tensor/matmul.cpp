#include "tensor/matmul.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tensor/kernels/gemm.h"
#include "tensor/kernels/machine.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"

namespace heed {

void VectorOperands::require_product(const Shape& a, const Shape& b) {
  if (a.rank() == 0 || b.rank() == 0)
    throw ShapeError(
        fmt::format("matmul: both must have at least one axis; got a {} and b {}; hint: use mul for scalars",
                    to_string(a), to_string(b)));
  const int64_t of_a = a[a.rank() - 1], of_b = b[std::max(b.rank() - 2, 0)];
  if (of_a != of_b)
    throw ShapeError(fmt::format("matmul: inner sizes must agree; got a {} and b {} ({} vs {})", to_string(a),
                                 to_string(b), of_a, of_b));
}

namespace {

// The operands as [.., M, K] and [.., K, N] with equal leading axes, and the shape of the result.
struct Operands {
  Tensor a, b;
  VectorOperands vectors;
  Shape out;  // with M and N, before the axis added for a vector is dropped
};

Operands align(const Tensor& a_, const Tensor& b_) {
  Operands o{a_, b_, {a_, b_}, {}};
  require_same_dtype("matmul", a_, b_);
  VectorOperands::require_product(a_.shape(), b_.shape());
  if (o.vectors.row) o.a = a_.view(o.vectors.left(a_.shape()));
  if (o.vectors.column) o.b = b_.view(o.vectors.right(b_.shape()));
  int64_t K = o.a.size(-1);
  auto lead = [](const Tensor& t) {
    Shape s = t.shape();
    s.erase(s.rank() - 1);
    s.erase(s.rank() - 1);
    return s;
  };
  Shape batch = lead(o.a) == lead(o.b) ? lead(o.a) : broadcast_shape("matmul", lead(o.a), lead(o.b));
  auto with = [&](int64_t x, int64_t y) {
    Shape s = batch;
    s.push_back(x);
    s.push_back(y);
    return s;
  };
  int64_t M = o.a.size(-2), N = o.b.size(-1);
  // [.., M, K] times a single [K, N] is one product with more rows.
  if (o.b.rank() == 2 && o.a.rank() > 2 && o.a.is_contiguous()) {
    o.out = with(M, N);
    o.a = o.a.view({o.a.count() / std::max<int64_t>(K, 1), K});
    if (K == 0) o.a = Tensor::empty({element_count(batch) * M, 0}, a_.dtype());
    return o;
  }
  o.a = o.a.expand(with(M, K));
  o.b = o.b.expand(with(K, N));
  o.out = with(M, N);
  return o;
}

template <class T>
MatrixView<const T> matrix_at(const Tensor& t, int64_t batch) {
  int64_t at = 0;
  for (int axis = t.rank() - 3; axis >= 0; --axis) {
    at += batch % t.shape()[axis] * t.strides()[axis];
    batch /= t.shape()[axis];
  }
  return {t.data<T>() + at, t.strides()[t.rank() - 2], t.strides()[t.rank() - 1]};
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  Operands o = align(a, b);
  int64_t M = o.a.size(-2), K = o.a.size(-1), N = o.b.size(-1), outputs = element_count(o.out);
  int64_t batches = M * N == 0 ? 0 : outputs / (M * N);
  Kernel kernel("matmul", Kernel::Product{}, static_cast<double>(outputs) * static_cast<double>(K));
  Tensor c = Tensor::empty(o.out, a.dtype());
  dispatch_float(a.dtype(), "matmul", [&](auto zero) {
    using T = decltype(zero);
    // Many small products: each is done by one thread. Few large ones: the threads share each product.
    int64_t grain = std::max<int64_t>(1, 250 * 1024 / std::max<int64_t>(M * N * K, 1));
    if (batches < thread_count()) grain = batches;
    parallel_for(0, batches, grain, [&, p = precision()](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        gemm<T>(p, M, N, K, matrix_at<T>(o.a, i), matrix_at<T>(o.b, i), {c.data<T>() + i * M * N, N, 1},
                /*accumulate=*/false);
    });
  });
  return c.view(o.vectors.dropped(o.out));
}

void matmul_into(Tensor& c, const Tensor& a, const Tensor& b) {
  require_same_dtype("matmul_into", a, b);
  require_same_dtype("matmul_into", a, c);
  if (a.rank() != 2 || b.rank() != 2 || !(c.shape() == Shape{a.size(0), b.size(1)}) || a.size(1) != b.size(0))
    throw ShapeError(fmt::format("matmul_into: needs c [M, N], a [M, K], b [K, N]; got c {}, a {} and b {}",
                                 to_string(c.shape()), to_string(a.shape()), to_string(b.shape())));
  Kernel kernel("matmul", Kernel::Product{}, static_cast<double>(c.count()) * static_cast<double>(a.size(1)));
  dispatch_float(a.dtype(), "matmul_into", [&](auto zero) {
    using T = decltype(zero);
    gemm<T>(precision(), a.size(0), b.size(1), a.size(1), matrix_at<T>(a, 0), matrix_at<T>(b, 0),
            {c.data<T>(), c.strides()[0], c.strides()[1]}, /*accumulate=*/true);
  });
  c.mark_written("matmul_into");
}

PackedMatrix::PackedMatrix(const Tensor& b) : rows_(0), columns_(0) {
  if (b.rank() != 2) throw ShapeError(fmt::format("PackedMatrix: needs a matrix [K, N]; got {}", to_string(b.shape())));
  rows_ = b.size(0), columns_ = b.size(1);
  dispatch_float(b.dtype(), "PackedMatrix", [&](auto zero) {
    using T = decltype(zero);
    strips_ = Tensor::empty({packed_size<T>(columns_, rows_)}, b.dtype());
    sections_ = pack_b<T>(columns_, rows_, matrix_at<T>(b, 0), strips_.data<T>()).sections;
  });
}

Tensor matmul(const Tensor& a, const PackedMatrix& b) {
  require_same_dtype("matmul", a, b.strips_);
  if (a.rank() != 2 || a.size(1) != b.rows_)
    throw ShapeError(fmt::format("matmul: needs a [M, K] beside a packed matrix; got a {} and b {}",
                                 to_string(a.shape()), to_string(b.shape())));
  Tensor c = Tensor::empty({a.size(0), b.columns_}, a.dtype());
  b.multiply(c, a, /*accumulate=*/false);
  return c;
}

void matmul_into(Tensor& c, const Tensor& a, const PackedMatrix& b) {
  b.multiply(c, a, /*accumulate=*/true);
  c.mark_written("matmul_into");
}

void PackedMatrix::multiply(Tensor& c, const Tensor& a, bool accumulate) const {
  require_same_dtype("matmul_into", a, strips_);
  require_same_dtype("matmul_into", a, c);
  if (a.rank() != 2 || a.size(1) != rows_ || !(c.shape() == Shape{a.size(0), columns_}))
    throw ShapeError(fmt::format("matmul_into: needs c [M, N], a [M, K], b [K, N]; got c {}, a {} and b {}",
                                 to_string(c.shape()), to_string(a.shape()), to_string(shape())));
  Kernel kernel("matmul", Kernel::Product{}, static_cast<double>(c.count()) * static_cast<double>(rows_));
  dispatch_float(a.dtype(), "matmul_into", [&](auto zero) {
    using T = decltype(zero);
    gemm<T>(a.size(0), matrix_at<T>(a, 0), view<T>(), {c.data<T>(), c.strides()[0], c.strides()[1]}, accumulate);
  });
}

Tensor matmul_reference(const Tensor& a, const Tensor& b) {
  Operands o = align(a, b);
  Tensor c = Tensor::zeros(o.out, a.dtype());
  int64_t M = o.a.size(-2), K = o.a.size(-1), N = o.b.size(-1);
  dispatch_float(a.dtype(), "matmul", [&](auto zero) {
    using T = decltype(zero);
    for (int64_t batch = 0; M * N > 0 && batch < c.count() / (M * N); ++batch) {
      auto x = matrix_at<T>(o.a, batch), y = matrix_at<T>(o.b, batch);
      for (int64_t i = 0; i < M; ++i)
        for (int64_t j = 0; j < N; ++j) {
          T chain = 0, total = 0, lost = 0;
          for (int64_t k = 0; k < K; ++k) {
            T from_a = x.p[i * x.row + k * x.column], from_b = y.p[k * y.row + j * y.column];
            chain = fuses_products() ? std::fma(from_a, from_b, chain) : chain + from_a * from_b;
            if ((k + 1) % kChain == 0 || k + 1 == K) add_accurately(total, lost, std::exchange(chain, T{0}));
          }
          c.data<T>()[batch * M * N + i * N + j] = rounded(total, lost);
        }
    }
  });
  return c.view(o.vectors.dropped(o.out));
}

}  // namespace heed
