#include "tensor/kernels/elementwise_detail.h"

#include <cstring>

#include "tensor/kernels/strided_loop.h"

namespace heed::detail {
namespace {

constexpr int64_t kBlock = 128;  // elements of an operand that are gathered at a time

// n elements of `size` bytes, `step` elements apart in each of the two.
template <class E>
void copy_elements(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) {
  constexpr auto bytes = static_cast<int64_t>(sizeof(E));
  if (to_step == 1 && from_step == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(E));
    return;
  }
  if (to_step == 1 && from_step == 0) {
    E value;
    std::memcpy(&value, from, sizeof(E));
    for (int64_t i = 0; i < n * bytes; i += bytes) std::memcpy(to + i, &value, sizeof(E));
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step * bytes, from + i * from_step * bytes, sizeof(E));
}
void copy_elements(int64_t size, char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) {
  if (size == 4) return copy_elements<uint32_t>(to, to_step, from, from_step, n);
  if (size == 8) return copy_elements<uint64_t>(to, to_step, from, from_step, n);
  copy_elements<uint8_t>(to, to_step, from, from_step, n);
}

// n elements of each of the operands at p; those behind the last whole `multiple` go through a copy filled up with
// zeros.
template <int N>
void run_dense(RowLoop loop, const void* f, int64_t multiple, void* const (&p)[N], const int64_t (&size)[N],
               int64_t n) {
  int64_t whole = n / multiple * multiple;
  if (whole > 0) loop(f, p, whole);
  if (whole == n) return;
  alignas(64) char rest[N][64] = {};
  void* at[N];
  for (int k = 0; k < N; ++k) {
    at[k] = rest[k];
    if (k > 0) copy_elements(size[k], rest[k], 1, static_cast<char*>(p[k]) + whole * size[k], 1, n - whole);
  }
  loop(f, at, multiple);
  copy_elements(size[0], static_cast<char*>(p[0]) + whole * size[0], 1, rest[0], 1, n - whole);
}

template <int N>
struct Rows {
  RowLoop loop;
  const void* f;
  int64_t multiple;
  char* base[N];    // first elements
  int64_t size[N];  // bytes of an element

  void run(const int64_t (&at)[N], const int64_t (&step)[N], int64_t n) const {
    void* p[N];
    bool dense = true;
    for (int k = 0; k < N; ++k) {
      p[k] = base[k] + at[k] * size[k];
      dense = dense && (step[k] == 1 || n == 1);
    }
    dense ? run_dense(loop, f, multiple, p, size, n) : gather(at, step, n);
  }

  // In blocks that are copied together first where they do not lie so.
  void gather(const int64_t (&at)[N], const int64_t (&step)[N], int64_t end) const {
    alignas(64) char block[N][kBlock * 8];
    for (int64_t first = 0; first < end; first += kBlock) {
      int64_t n = std::min(kBlock, end - first), whole = (n + multiple - 1) / multiple * multiple;
      void* p[N];
      for (int k = 0; k < N; ++k) {
        char* here = base[k] + (at[k] + first * step[k]) * size[k];
        p[k] = step[k] == 1 && whole == n ? here : block[k];
        bool repeated = step[k] == 0 && first > 0;  // as the block before left it
        if (k == 0 || p[k] == here || repeated) continue;
        copy_elements(size[k], block[k], 1, here, step[k], n);
        std::memset(block[k] + n * size[k], 0, static_cast<size_t>((whole - n) * size[k]));
      }
      loop(f, p, whole);
      if (p[0] == block[0])
        copy_elements(size[0], base[0] + (at[0] + first * step[0]) * size[0], step[0], block[0], 1, n);
    }
  }
};

template <int N>
void run_operands(RowLoop loop, const void* f, int64_t multiple, const Tensor* const (&tensors)[N]) {
  const Shape& shape = tensors[0]->shape();
  Rows<N> rows{loop, f, multiple, {}, {}};
  Strides strides[N];
  for (int k = 0; k < N; ++k) {
    const Tensor& t = *tensors[k];
    rows.size[k] = static_cast<int64_t>(size_of(t.dtype()));
    rows.base[k] = static_cast<char*>(first_of(t));
  }
  const Tensor& y = *tensors[0];  // small ones have no time to lose: where all lie alike and dense, there is one row
  int64_t count = y.count();
  bool alike = count <= kElementGrain && y.is_contiguous();
  for (int k = 1; k < N; ++k)
    alike = alike && (tensors[k]->shared_layout() == y.shared_layout() ||
                      (tensors[k]->shape() == shape && tensors[k]->strides() == y.strides()));
  if (alike) {
    void* p[N];
    for (int k = 0; k < N; ++k) p[k] = rows.base[k];
    return run_dense(loop, f, multiple, p, rows.size, count);
  }
  for (int k = 0; k < N; ++k) strides[k] = broadcast_strides(tensors[k]->shape(), tensors[k]->strides(), shape);
  StridedLoop<N>(shape, strides).run([&rows](const int64_t(&at)[N], const int64_t(&step)[N], int64_t n) {
    rows.run(at, step, n);
  });
}

}  // namespace

void* first_of(const Tensor& t) {
  return static_cast<char*>(t.storage().data()) + t.offset() * static_cast<int64_t>(size_of(t.dtype()));
}

void copy_rows(Tensor& y, const Tensor& x) {
  auto size = static_cast<int64_t>(size_of(y.dtype()));
  char* to = static_cast<char*>(first_of(y));
  const char* from = static_cast<const char*>(first_of(x));
  StridedLoop<2> loop(y.shape(), {y.strides(), broadcast_strides(x.shape(), x.strides(), y.shape())});
  loop.run([=](const int64_t(&at)[2], const int64_t(&step)[2], int64_t n) {
    copy_elements(size, to + at[0] * size, step[0], from + at[1] * size, step[1], n);
  });
}

void run_rows(RowLoop loop, const void* f, int64_t multiple, Tensor& y, std::initializer_list<const Tensor*> inputs) {
  const Tensor* const* in = inputs.begin();
  if (inputs.size() == 1) return run_operands<2>(loop, f, multiple, {&y, in[0]});
  if (inputs.size() == 2) return run_operands<3>(loop, f, multiple, {&y, in[0], in[1]});
  run_operands<4>(loop, f, multiple, {&y, in[0], in[1], in[2]});
}

Tensor run_new(const char* name, const LoopByType& loops, const void* f, std::initializer_list<const Tensor*> inputs) {
  const Tensor &a = **inputs.begin(), &b = **(inputs.end() - 1);
  DType dtype = a.dtype();
  if (inputs.size() == 2) require_same_dtype(name, a, b);
  if (dtype == DType::boolean || !loops[static_cast<size_t>(dtype)])
    loops[2] ? refuse_not_number(name, dtype) : refuse_not_float(name, dtype);
  RowLoop loop = loops[static_cast<size_t>(dtype)];
  int64_t lanes = dtype == DType::f32 ? kLanes<float> : kLanes<double>;
  if (a.is_contiguous() && a.shared_layout() == b.shared_layout() && a.count() <= kElementGrain) {
    Kernel kernel(name, a.count());  // small tensors have no time to lose: one row, on this thread
    Tensor y = Tensor::empty_like(a, dtype);
    auto size = static_cast<int64_t>(size_of(dtype));
    if (inputs.size() == 1)
      run_dense<2>(loop, f, lanes, {first_of(y), first_of(a)}, {size, size}, a.count());
    else
      run_dense<3>(loop, f, lanes, {first_of(y), first_of(a), first_of(b)}, {size, size, size}, a.count());
    return y;
  }
  Shape shape = a.shape() == b.shape() ? a.shape() : broadcast_shape(name, a.shape(), b.shape());
  Kernel kernel(name, element_count(shape));
  Tensor y = Tensor::empty(shape, dtype);
  run_rows(loop, f, lanes, y, inputs);
  return y;
}

}  // namespace heed::detail
