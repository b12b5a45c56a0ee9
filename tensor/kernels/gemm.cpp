// C (+)= A B on strided matrices. Decides whether C = A B or C^T = B^T A^T is cheaper, and what each thread computes: C
// is cut into rectangles (gemm_rectangle.h), and long products into chains.
#include "tensor/kernels/gemm.h"

#include <algorithm>

#include "tensor/kernels/gemm_rectangle.h"
#include "tensor/storage.h"
#include "tensor/thread_pool.h"

namespace heed {
namespace {

constexpr int64_t kWorkOfAThread = 250 * 1024;  // multiply-adds; fewer are done before another thread has woken up
constexpr int64_t kPackOfAThread = 64 * 1024;   // elements to copy into strips, for the same reason

// The estimated cost of a product, in units of one lane's multiply-add: the arithmetic with its padding, packing B if
// it cannot be read as vectors, and scattering C if it cannot be written as vectors.
template <class T, int R>
double cost(int64_t M, int64_t N, int64_t K, const MatrixView<const T>& b, const MatrixView<T>& c) {
  int64_t padded = divide_up(N, kWidth<T, R>) * kWidth<T, R>;
  double packing = b.column == 1 ? (padded == N ? 0 : 8) : (b.row == 1 ? 14 : 48);
  double scattering = c.column != 1 ? 400 : (padded == N ? 0 : 8);
  auto m = static_cast<double>(M), n = static_cast<double>(N), k = static_cast<double>(K);
  return m * static_cast<double>(padded) * k + packing * k * n + scattering * m * n;
}

// C is cut into `rows` x `columns` rectangles.
struct Grid {
  int64_t rows, columns;
};

// The grid of at most `most` rectangles, each of at least high x wide elements; none if there is no such grid. The
// largest rectangle determines the time. Among equal ones that one is best whose threads have the fewest rows of A and
// columns of B to copy, where an element of A costs `of_a` and one of B `of_b`.
Grid grid_of(int64_t M, int64_t vectors, int64_t width, int64_t most, Grid least, int64_t of_a, int64_t of_b) {
  Grid best{0, 0};
  int64_t area = 0, copies = 0;
  for (int64_t columns = 1; columns <= std::min(most, vectors); ++columns) {
    const int64_t rows = std::min(M, most / columns);
    if (M / rows < least.rows || vectors * width / columns < least.columns) continue;
    const int64_t high = divide_up(M, rows), wide = divide_up(vectors, columns) * width;
    const int64_t cost = of_a * high + of_b * wide;
    if (best.rows == 0 || high * wide < area || (high * wide == area && cost < copies))
      best = {rows, columns}, area = high * wide, copies = cost;
  }
  return best;
}

// Several rectangles per thread, so that a fast thread computes more of them, if these stay large. Each copies its
// columns of B, which costs as much as about 10 of its rows. The more threads there are, the more wait for the slowest
// one.
Grid grid_for(int64_t M, int64_t vectors, int64_t width, int64_t threads) {
  const Grid least{threads < 8 ? 384 : 192, 192};
  for (int64_t each : {4, 2})
    if (Grid g = grid_of(M, vectors, width, each * threads, least, 2, 5); g.rows > 0) return g;
  return grid_of(M, vectors, width, threads, {1, 1}, 1, 1);
}

template <class T>
int64_t width_of() {  // numbers in a register
  return register_bytes() / static_cast<int64_t>(sizeof(T));
}

// The first register of section i of a packed B. For i = sections it is the total number of registers.
template <class T>
int64_t section(const PackedB<T>& b, int64_t i) {
  return divide_up(b.N, width_of<T>()) * i / b.sections;
}

template <class T>
struct PackSection {
  template <int R>
  static void run(const PackedB<T>& packed, MatrixView<const T> b, int64_t i, T* to) {
    int64_t from = section(packed, i), behind = section(packed, i + 1);
    Parts strips(from, behind, tile_shape<R>(behind - from).vectors);
    for (int64_t s = 0; s < strips.count; ++s) {
      int64_t column = strips.at(s) * kWidth<T, R>, padded = strips.at(s + 1) * kWidth<T, R> - column;
      MatrixView<const T> strip{b.p + column * b.column, b.row, b.column};
      pack<T, R>(packed.K, std::min(packed.N - column, padded), padded, strip, to + column * packed.K);
    }
  }
};

// C (+)= A B in chains of kChain multiply-adds, where product(k, depth, C, accumulate) is the product of `depth`
// columns of A and rows of B, from k on.
template <class T, class Product>
void in_chains(int64_t M, int64_t N, int64_t K, MatrixView<T> c, bool accumulate, const Product& product) {
  product(0, std::min(K, kChain), c, accumulate);
  if (K <= kChain) return;
  const Ref<Storage> memory = Storage::make(static_cast<size_t>(2 * M * N) * sizeof(T));
  T *chain = static_cast<T*>(memory->data()), *lost = chain + M * N;  // [M, N] each; lost: rounding errors
  std::fill_n(lost, M * N, T{0});
  for (int64_t k = kChain; k < K; k += kChain) {
    product(k, std::min(kChain, K - k), {chain, N, 1}, false);
    parallel_for(0, M, divide_up(kPackOfAThread, N), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        for (int64_t j = 0; j < N; ++j)
          add_accurately(c.p[i * c.row + j * c.column], lost[i * N + j], chain[i * N + j]);
    });
  }
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      T& total = c.p[i * c.row + j * c.column];
      total = rounded(total, lost[i * N + j]);
    }
}

template <class T, int R>
void one_chain(int64_t M, int64_t N, int64_t K, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
               bool accumulate) {
  // C^T = B^T A^T has the same chains of multiply-adds, so the cheaper form is computed: a narrow C wastes lanes, and
  // for x W^T it may be better to pack the small x than the large W.
  bool bare = N % kWidth<T, R> == 0 && b.column == 1 && c.column == 1;  // nothing is wasted
  if (MatrixView<const T> at{a.p, a.column, a.row};
      !bare && cost<T, R>(N, M, K, at, {c.p, c.column, c.row}) < cost<T, R>(M, N, K, b, c)) {
    a = {b.p, b.column, b.row};
    b = at;
    c = {c.p, c.column, c.row};
    std::swap(M, N);
  }
  Problem<T> p{M, N, K, a, b, c, accumulate};
  int64_t vectors = divide_up(N, kWidth<T, R>);
  int64_t threads = std::clamp<int64_t>(M * N * K / kWorkOfAThread, 1, thread_count());
  if (threads == 1) return compute_rectangle<T, R>(p, 0, M, 0, vectors);
  const Grid grid = grid_for(M, vectors, kWidth<T, R>, threads);
  const int64_t rows = grid.rows, columns = grid.columns;
  parallel_for(0, rows * columns, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t first = M * (i / columns) / rows, last = M * (i / columns + 1) / rows;
      int64_t from = vectors * (i % columns) / columns, to = vectors * (i % columns + 1) / columns;
      compute_rectangle<T, R>(p, first, last, from, to);
    }
  });
}

}  // namespace

template <class T>
void gemm(int64_t M, int64_t N, int64_t K, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
          bool accumulate) {
  if (M == 0 || N == 0 || (K == 0 && accumulate)) return;
  in_chains(M, N, K, c, accumulate, [&](int64_t k, int64_t depth, MatrixView<T> to, bool add) {
    MatrixView<const T> columns{a.p + k * a.column, a.row, a.column}, rows{b.p + k * b.row, b.row, b.column};
    with_width([&]<int R> { one_chain<T, R>(M, N, depth, columns, rows, to, add); });
  });
}

template <class T>
int64_t packed_size(int64_t N, int64_t K) {
  return divide_up(N, width_of<T>()) * width_of<T>() * K;
}

template <class T>
PackedB<T> pack_b(int64_t N, int64_t K, MatrixView<const T> b, T* to) {
  PackedB<T> packed{to, N, K, 1};
  with_width([&]<int R> {
    packed.sections = std::clamp<int64_t>(divide_up(N, kWidth<T, R>) / kTileVectors<R>, 1, thread_count());
    parallel_for(0, packed.sections, N * K < kPackOfAThread ? packed.sections : 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        Compiled<PackSection<T>, R, const PackedB<T>&, MatrixView<const T>, int64_t, T*>::call(packed, b, i, to);
    });
  });
  return packed;
}

template <class T>
void gemm(int64_t M, MatrixView<const T> a, const PackedB<T>& b, MatrixView<T> c, bool accumulate) {
  if (M == 0 || b.N == 0 || (b.K == 0 && accumulate)) return;
  in_chains(M, b.N, b.K, c, accumulate, [&](int64_t k, int64_t depth, MatrixView<T> to, bool add) {
    MatrixView<const T> columns{a.p + k * a.column, a.row, a.column};
    Problem<T> p{M, b.N, depth, columns, {nullptr, 0, 1}, to, add, b.strips, b.K, k};
    int64_t work = M * b.N * depth / b.sections;
    parallel_for(0, b.sections, kWorkOfAThread / std::max<int64_t>(work, 1), [&](int64_t begin, int64_t end) {
      with_width([&]<int R> {
        for (int64_t i = begin; i < end; ++i) compute_rectangle<T, R>(p, 0, M, section(b, i), section(b, i + 1));
      });
    });
  });
}

template void gemm<float>(int64_t, int64_t, int64_t, MatrixView<const float>, MatrixView<const float>,
                          MatrixView<float>, bool);
template void gemm<double>(int64_t, int64_t, int64_t, MatrixView<const double>, MatrixView<const double>,
                           MatrixView<double>, bool);

template int64_t packed_size<float>(int64_t, int64_t);
template int64_t packed_size<double>(int64_t, int64_t);
template PackedB<float> pack_b<float>(int64_t, int64_t, MatrixView<const float>, float*);
template PackedB<double> pack_b<double>(int64_t, int64_t, MatrixView<const double>, double*);
template void gemm<float>(int64_t, MatrixView<const float>, const PackedB<float>&, MatrixView<float>, bool);
template void gemm<double>(int64_t, MatrixView<const double>, const PackedB<double>&, MatrixView<double>, bool);

}  // namespace heed
