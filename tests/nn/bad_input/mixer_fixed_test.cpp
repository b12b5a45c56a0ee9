// What the mixers of registry_mixers_sparse.cpp and registry_mixers_fixed.cpp refuse.
#include "nn/attention/mixers/mixer.h"
#include "tests/nn/bad_input/refuses.h"

using namespace heed;
using namespace heed::bad_input;

namespace {
void mix(const std::string& name, int64_t T, int64_t heads = 2, nn::Settings settings = {}, bool causal = false) {
  nn::MixerOptions o{.name = name, .query = 4, .key = 4, .settings = std::move(settings), .heads = heads};
  o.causal = causal;
  (*nn::make_mixer(o, dice))(constant({1, T, 4}), {});
}
}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("bad input: mixers with heads and with parameters for each place") {
    refuses<ValueError>("talking_heads: the heads must divide the width of the model; got width 4 and 3 heads",
                        [] { mix("talking_heads", 2, 3); });
    refuses<ValueError>("gmlp: it has parameters for 3 places; got a sentence of 4 words; hint: gmlp:max_source=4", [] {
      mix("gmlp", 4, 2, {{{"max_source", 3}}});
    });
    refuses<ValueError>(
        "linformer: each of its keys is a mixture of all words, so no layer of a decoder can have it; hint: "
        "--encoder-mixers linformer",
        [] { mix("linformer", 2, 2, {}, true); });
  }
}
