// The peer OpenBLAS, through the CBLAS interface: products of matrices only.
#include <cblas.h>

#include "tests/bench/subject.h"

extern "C" void openblas_set_num_threads(int);

namespace {

bench::Work matmul_work(const bench::Sizes& s) {
  auto filled = [](int64_t n) {
    std::vector<float> x(static_cast<size_t>(n));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17) / 17;
    return x;
  };
  int m = static_cast<int>(s[0]), k = static_cast<int>(s[1]), n = static_cast<int>(s[2]);
  return [=, a = filled(m * k), b = filled(k * n), c = filled(m * n)]() mutable {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(), n);
  };
}

}  // namespace

int main(int argc, char** argv) {
  bench::Subject openblas;
  openblas.kinds = {{"matmul", matmul_work}};
  openblas.set_threads = openblas_set_num_threads;
  return bench::serve(openblas, argc, argv);
}
