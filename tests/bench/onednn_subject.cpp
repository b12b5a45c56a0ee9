// The peer oneDNN: products of matrices only. Its number of threads is in the environment (child.cpp).
#include <oneapi/dnnl/dnnl.h>

#include "tests/bench/products.h"

int main(int argc, char** argv) {
  bench::Subject peer;
  peer.kinds = bench::products_by([](bench::Product& p) {
    auto order = [](bool transposed) { return transposed ? 'T' : 'N'; };
    dnnl_sgemm(order(p.a_transposed), order(p.b_transposed), p.m, p.n, p.k, 1, p.a.data(), p.a_row(), p.b.data(),
               p.b_row(), 0, p.c.data(), p.n);
  });
  peer.set_threads = [](int) {};
  return bench::serve(peer, argc, argv);
}
