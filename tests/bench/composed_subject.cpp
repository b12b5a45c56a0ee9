// The composed twins of heed's fused operations, as a peer of them (twins.h).
#include "tensor/allocator.h"
#include "tensor/thread_pool.h"
#include "tests/bench/twins.h"

int main(int argc, char** argv) {
  bench::Subject composed;
  composed.kinds = bench::twins(/*composed=*/true);
  composed.set_threads = heed::set_thread_count;
  composed.system_allocations = [] { return static_cast<int64_t>(heed::allocator_stats().system_allocations); };
  return bench::serve(composed, argc, argv);
}
