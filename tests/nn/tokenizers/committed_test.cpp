// Small tokenizers of our own, with every kind of stage, and what the Rust library answers for them
// (tests/golden/tokenizers/README.md).
#include <doctest/doctest.h>

#include "tests/nn/tokenizers/support.h"

using namespace heed;
using namespace heed::tokenizer_test;

TEST_SUITE("parity") {
  TEST_CASE("published tokenizers: every kind of stage, as in the library") {
    const std::string folder = source_dir() + "/tests/golden/tokenizers/";
    const json answers = read(folder + "answers.json");
    REQUIRE(answers.size() >= 11);
    for (const auto& item : answers.items()) {
      const std::string name = item.key();
      Changed alone("", {});
      std::filesystem::create_symlink(folder + name + ".json", alone.path + "/tokenizer.json");
      Counts counts = compare(PublishedTokenizer::open(alone.path), item.value());
      CHECK_MESSAGE(counts.equal == counts.of,
                    name << ": " << counts.equal << " of " << counts.of << ", first " << counts.first);
    }
  }
}
