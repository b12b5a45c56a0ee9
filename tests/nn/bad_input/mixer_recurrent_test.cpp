// What the mixers with a state of constant size refuse.
#include "nn/attention/mixers/mixer.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("bad input: mixers with a state") {
    refuses<ValueError>("delta_rule: the heads must divide the width of the model; got width 4 and 3 heads",
                        [] { nn::make_mixer({.name = "delta_rule", .query = 4, .key = 4, .heads = 3}, dice); });
    refuses<ValueError>("retention: it rotates pairs, so a head must have an even width; got 3",
                        [] { nn::make_mixer({.name = "retention", .query = 6, .key = 6, .heads = 2}, dice); });
  }
}
