// The peers OpenBLAS and BLIS, through the CBLAS interface: products of matrices only. Each is this file, linked with
// its library; their numbers of threads are in the environment (child.cpp).
#include <cblas.h>

#include "tests/bench/products.h"

int main(int argc, char** argv) {
  bench::Subject peer;
  peer.kinds = bench::products_by([](bench::Product& p) {
    auto order = [](bool transposed) { return transposed ? CblasTrans : CblasNoTrans; };
    cblas_sgemm(CblasRowMajor, order(p.a_transposed), order(p.b_transposed), p.m, p.n, p.k, 1, p.a.data(), p.a_row(),
                p.b.data(), p.b_row(), 0, p.c.data(), p.n);
  });
  peer.set_threads = [](int) {};
  return bench::serve(peer, argc, argv);
}
