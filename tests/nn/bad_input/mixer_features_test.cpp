// What the mixers refuse that know a longest sentence.
#include "nn/attention/mixers/mixer.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

TEST_SUITE("unit") {
  TEST_CASE("bad input: mixers with a longest sentence") {
    refuses<ValueError>("aft_full: it knows the places of 3 words only; got a sentence of 4; hint: --mixers aft_full:4",
                        [] {
                          nn::MixerOptions o{.name = "aft_full", .query = 4, .key = 4};
                          o.settings["max_source"] = 3;
                          (*nn::make_mixer(o, dice))(constant({1, 4, 4}), {});
                        });
  }
}
