// What lessons 10 and 12 share: places are counted as they should be, and equal seeds give equal networks.
#include "tutorials/common/copy_contest.h"

#include <doctest/doctest.h>

#include "nn/models/bahdanau.h"

using namespace heed;

TEST_CASE("copy contest: a place counts where it holds the right symbol, and not where nothing was written") {
  std::vector<data::EncodedPair> pairs{{{4, 3}, {4, 5, 6, 7}}, {{4, 3}, {8, 9}}};
  CHECK(app::places_right({{4, 5, 6, 7}, {8, 9}}, pairs) == 100);
  CHECK(app::places_right({{4, 5}, {8, 9}}, pairs) == doctest::Approx(400.0 / 6));
  CHECK(app::places_right({{5, 4, 6, 7, 7, 7}, {9, 9}}, pairs) == 50);  // what is written too much does not count
  CHECK(app::places_right({{}, {}}, pairs) == 0);
}

TEST_CASE("copy contest: the mean goes over the lengths of the range, both ends included") {
  CHECK(app::mean_right({100, 60, 40, 20, 10}, {6, 20, 22, 24, 28}, {20, 24}) == 40);
}

TEST_CASE("copy contest: sequences of one length, the same for every model, none of them trained on") {
  data::Task asked = app::sequences_of(5, 8, 20, 1), again = app::sequences_of(5, 8, 20, 1);
  data::Task trained = data::copy_task({.symbols = 8, .lengths = {5, 5}, .parts = {.train = 2000, .seed = 1}});
  REQUIRE(asked.test.size() == 20);
  for (size_t i = 0; i < asked.test.size(); ++i) {
    CHECK(asked.test[i].source.size() == 5);
    CHECK(asked.test[i].source == again.test[i].source);
    for (const auto& pair : trained.train) CHECK_FALSE(pair.source == asked.test[i].source);
  }
}

TEST_CASE("copy contest: short sequences are learned, and the same seed gives the same losses") {
  app::CopyTraining training{.symbols = 4, .batch = 16, .steps = 300, .lengths = {2, 3}, .rate = 1e-2};
  const nn::AnyPaper paper = nn::paper_of<nn::Bahdanau>(app::copier_options<nn::Bahdanau>(32));
  app::TrainedCopier copier = app::learn_to_copy("copying", paper, training);
  CHECK(copier.losses.size() == 300);
  CHECK(copier.losses == app::learn_to_copy("copying", paper, training).losses);
  CHECK(app::right_by_length(*copier.model, {3}, training, 20)[0] >= 90);
}
