// What memory networks refuse.
#include "nn/attention/structures/memory_network.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("bad input: memory networks") {
    refuses<ValueError>("MemoryNetwork: needs at least one hop and no negative number of sentences; got 0 and 2",
                        [] { nn::MemoryNetwork({.vocabulary = 5, .width = 2, .hops = 0, .sentences = 2}, dice); });
    refuses<ValueError>("MemoryNetwork: a story must have at most 2 sentences; got 3; hint: .sentences", [] {
      nn::MemoryNetwork m({.vocabulary = 5, .width = 2, .hops = 1, .sentences = 2}, dice);
      m(wholes({1, 3, 2}), wholes({1, 2}));
    });
  }
}
