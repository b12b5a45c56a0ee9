// What the structures with a memory of their own refuse.
#include "nn/attention/structures/memory_network.h"
#include "nn/attention/structures/multi_head.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("bad input: a position that reads the keys") {
    refuses<ValueError>(
        "MultiHeadAttention: disentangled reads the keys as they are; got the score reduced_rank, which may change "
        "them; "
        "use scaled_dot",
        [] {
          nn::MultiHeadAttention(
              {.model = 4, .heads = 2, .score = {.name = "reduced_rank"}, .position = {.name = "disentangled"}}, dice);
        });
  }

  TEST_CASE("bad input: memory networks") {
    refuses<ValueError>("MemoryNetwork: needs at least one hop and no negative number of sentences; got 0 and 50",
                        [] { nn::MemoryNetwork({.vocabulary = 5, .hops = 0}, dice); });
    refuses<ValueError>("MemoryNetwork: needs at least one hop and no negative number of sentences; got 3 and -1",
                        [] { nn::MemoryNetwork({.vocabulary = 5, .sentences = -1}, dice); });
    refuses<ValueError>("MemoryNetwork: a story must have at most 2 sentences; got 3; hint: .sentences", [] {
      Tensor story = Tensor::ones({1, 3, 2}, DType::i64), question = Tensor::ones({1, 2}, DType::i64);
      nn::MemoryNetwork({.vocabulary = 5, .sentences = 2}, dice)(story, question);
    });
  }
}
