// The driver of all elementwise kernels: one result and up to three inputs of any strides, walked row by row.
//
// Neighbouring axes that are contiguous in every operand are merged first: a contiguous operation is one long row, and
// adding a bias to a matrix [M, N] is M rows. The threads share the rows, or the pieces of a single long row. A row
// whose elements are not contiguous is copied in blocks first. Strides and element sizes are in bytes.
#include "tensor/kernels/elementwise_detail.h"

#include <algorithm>
#include <cstring>

#include "tensor/thread_pool.h"

namespace heed::detail {
namespace {

constexpr int kMost = 4;                  // operands
constexpr int64_t kBlock = 128;           // elements of an operand that are gathered at a time
constexpr int64_t kElementGrain = 16384;  // elements that a thread must have to be worth waking

template <class E>
void copy_elements(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) {
  if (to_step == sizeof(E) && from_step == sizeof(E)) {
    std::memcpy(to, from, static_cast<size_t>(n) * sizeof(E));
  } else if (to_step == sizeof(E) && from_step == 0) {
    E value;
    std::memcpy(&value, from, sizeof(E));
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * static_cast<int64_t>(sizeof(E)), &value, sizeof(E));
  } else {
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, sizeof(E));
  }
}
void copy_elements(int64_t size, char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) {
  if (size == 4) return copy_elements<uint32_t>(to, to_step, from, from_step, n);
  if (size == 8) return copy_elements<uint64_t>(to, to_step, from, from_step, n);
  copy_elements<uint8_t>(to, to_step, from, from_step, n);
}

struct Walk {
  Walk(RowLoop l, const void* f, int64_t m) : loop(l), formula(f), multiple(m) {}  // leaves the arrays uninitialised
  RowLoop loop;                                                                    // null: copy operand 1 to operand 0
  const void* formula;
  int64_t multiple;
  int operands = 0, rank = 0;
  int64_t count = 1;
  char* first[kMost] = {};
  int64_t size[kMost];                               // of an element
  int64_t shape[kMaxRank], stride[kMost][kMaxRank];  // of the merged axes

  void add(const Tensor& t) {
    first[operands] = static_cast<char*>(first_of(t));
    size[operands++] = static_cast<int64_t>(size_of(t.dtype()));
  }

  // n elements that are contiguous in every operand; those after the last whole `multiple` go through a copy padded
  // with zeros.
  void dense(char* const* p, int64_t n) const {
    int64_t whole = n & -multiple;  // a power of two
    void* at[kMost];
    std::copy(p, p + kMost, at);  // all, since their number is known to the compiler
    if (whole > 0) loop(formula, at, whole);
    if (whole == n) return;
    alignas(64) char rest[kMost][64] = {};
    for (int k = 0; k < operands; ++k) {
      at[k] = rest[k];
      if (k > 0) std::memcpy(rest[k], p[k] + whole * size[k], static_cast<size_t>((n - whole) * size[k]));
    }
    loop(formula, at, multiple);
    std::memcpy(p[0] + whole * size[0], rest[0], static_cast<size_t>((n - whole) * size[0]));
  }

  // n elements, step[k] bytes apart in operand k. Operands that are not contiguous are copied block by block.
  void row(char* const* p, const int64_t* step, int64_t n) const {
    if (!loop) return copy_elements(size[0], p[0], step[0], p[1], step[1], n);
    if (n == 1 || std::equal(step, step + operands, size)) return dense(p, n);
    alignas(64) char block[kMost][kBlock * 8];
    for (int64_t begin = 0; begin < n; begin += kBlock) {
      int64_t m = std::min(kBlock, n - begin), whole = (m + multiple - 1) / multiple * multiple;
      void* at[kMost];
      for (int k = 0; k < operands; ++k) {
        char* here = p[k] + begin * step[k];
        at[k] = step[k] == size[k] && whole == m ? here : block[k];
        bool there = k == 0 || at[k] == here || (step[k] == 0 && begin > 0);  // stride 0: block[k] is filled
        if (there) continue;
        copy_elements(size[k], block[k], size[k], here, step[k], m);
        std::memset(block[k] + m * size[k], 0, static_cast<size_t>((whole - m) * size[k]));
      }
      loop(formula, at, whole);
      if (at[0] == block[0]) copy_elements(size[0], p[0] + begin * step[0], step[0], block[0], size[0], m);
    }
  }

  // given[k][axis] in elements
  void merge(const Shape& full, const Strides* given) {
    for (int axis = 0; axis < full.rank(); ++axis) {
      count *= full[axis];
      if (full[axis] == 1) continue;
      bool joins = rank > 0;
      for (int k = 0; k < operands && joins; ++k) joins = stride[k][rank - 1] == given[k][axis] * size[k] * full[axis];
      if (!joins) shape[rank++] = 1;
      shape[rank - 1] *= full[axis];
      for (int k = 0; k < operands; ++k) stride[k][rank - 1] = given[k][axis] * size[k];
    }
    if (rank > 0) return;
    shape[rank++] = 1;  // a scalar is one row of one
    for (int k = 0; k < operands; ++k) stride[k][0] = 0;
  }

  void run() const {
    if (count == 0) return;
    int64_t length = shape[rank - 1], rows = count / length, step[kMost];
    for (int k = 0; k < operands; ++k) step[k] = stride[k][rank - 1];
    if (rows == 1)  // cut at multiples of 64 elements
      return parallel_for(0, (length + 63) / 64, kElementGrain / 64, [&](int64_t b, int64_t e) {
        char* p[kMost] = {};
        for (int k = 0; k < operands; ++k) p[k] = first[k] + b * 64 * step[k];
        row(p, step, std::min(e * 64, length) - b * 64);
      });
    parallel_for(0, rows, std::max<int64_t>(1, kElementGrain / length), [&](int64_t b, int64_t e) {
      char* p[kMost];
      std::copy(first, first + kMost, p);
      int64_t index[kMaxRank] = {}, rest = b;
      for (int axis = rank - 2; axis >= 0; rest /= shape[axis--]) {
        index[axis] = rest % shape[axis];
        for (int k = 0; k < operands; ++k) p[k] += index[axis] * stride[k][axis];
      }
      for (int64_t r = b; r < e; ++r) {
        row(p, step, length);
        for (int axis = rank - 2; axis >= 0; --axis) {
          for (int k = 0; k < operands; ++k) p[k] += stride[k][axis];
          if (++index[axis] < shape[axis]) break;
          for (int k = 0; k < operands; ++k) p[k] -= stride[k][axis] * shape[axis];
          index[axis] = 0;
        }
      }
    });
  }
};

}  // namespace

void* first_of(const Tensor& t) {
  return static_cast<char*>(t.storage().data()) + t.offset() * static_cast<int64_t>(size_of(t.dtype()));
}

void run_rows(RowLoop loop, const void* formula, int64_t multiple, Tensor& y,
              std::initializer_list<const Tensor*> inputs) {
  Walk walk(loop, formula, multiple);
  const Shape& shape = y.shape();
  int64_t count = y.count();
  bool alike = loop && count <= kElementGrain && y.is_contiguous();
  walk.add(y);
  for (const Tensor* x : inputs) {
    walk.add(*x);
    alike = alike && (x->shared_layout() == y.shared_layout() || (x->shape() == shape && x->strides() == y.strides()));
  }
  if (alike) return walk.dense(walk.first, count);  // small ones have no time to lose
  Strides strides[kMost] = {y.strides()};
  int k = 1;
  for (const Tensor* x : inputs) strides[k++] = broadcast_strides(x->shape(), x->strides(), shape);
  walk.merge(shape, strides);
  walk.run();
}

void copy_rows(Tensor& y, const Tensor& x) { run_rows(nullptr, nullptr, 1, y, {&x}); }

RowLoop loop_for(const char* name, const LoopByType& loops, DType dtype) {
  RowLoop loop = dtype == DType::boolean ? nullptr : loops[static_cast<size_t>(dtype)];
  if (!loop) loops[2] ? refuse_not_number(name, dtype) : refuse_not_float(name, dtype);
  return loop;
}

Tensor run_new(const char* name, const LoopByType& loops, const void* formula,
               std::initializer_list<const Tensor*> inputs) {
  const Tensor &a = **inputs.begin(), &b = **(inputs.end() - 1);
  if (inputs.size() == 2) require_same_dtype(name, a, b);
  RowLoop loop = loop_for(name, loops, a.dtype());
  if (a.is_contiguous() && a.shared_layout() == b.shared_layout() && a.count() <= kElementGrain) {
    Kernel kernel(name, a.count());  // small tensors have no time to lose: one row, on this thread
    Tensor y = Tensor::empty_like(a, a.dtype());
    Walk walk(loop, formula, lanes_of(a.dtype()));
    walk.add(y);
    for (const Tensor* x : inputs) walk.add(*x);
    walk.dense(walk.first, a.count());
    return y;
  }
  Shape shape = a.shape() == b.shape() ? a.shape() : broadcast_shape(name, a.shape(), b.shape());
  Kernel kernel(name, element_count(shape));
  Tensor y = Tensor::empty(shape, a.dtype());
  run_rows(loop, formula, lanes_of(a.dtype()), y, inputs);
  return y;
}

}  // namespace heed::detail
