// Alignment error rate and its helpers, against values worked out by hand.
#include "nn/data/alignment.h"

#include <doctest/doctest.h>

#include "tensor/error.h"

using namespace heed::data;

TEST_CASE("alignment error rate by hand") {
  const std::vector<Link> gold = {{0, 0, true}, {1, 1, true}, {2, 1, false}};
  CHECK(alignment_error_rate(std::vector<Link>{{0, 0}, {1, 1}}, gold) == 0.0);
  CHECK(alignment_error_rate(std::vector<Link>{{0, 0}, {1, 1}, {2, 1}}, gold) == 0.0);  // possible: no error
  CHECK(alignment_error_rate(std::vector<Link>{{3, 3}}, gold) == 1.0);
  CHECK(alignment_error_rate({}, gold) == 1.0);
  // A = {0-0 sure, 2-1 possible, 3-2 wrong}: 1 - (1 + 2) / (3 + 2)
  const std::vector<Link> mixed = {{0, 0}, {2, 1}, {3, 2}};
  CHECK(alignment_error_rate(mixed, gold) == doctest::Approx(0.4));
  CHECK(alignment_error_rate({}, {}) == 0.0);
  // Links come as sets: order and repetition do not matter.
  CHECK(alignment_error_rate(std::vector<Link>{{3, 2}, {2, 1}, {0, 0}, {2, 1}}, gold) == doctest::Approx(0.4));
}

TEST_CASE("alignment error rate of two sentences sums the counts") {
  AlignmentCounts counts;
  counts.add(std::vector<Link>{{0, 0}}, std::vector<Link>{{0, 0, true}});                  // rate 0
  counts.add(std::vector<Link>{{0, 1}, {1, 0}, {2, 2}}, std::vector<Link>{{2, 2, true}});  // 1 - (1 + 1) / (3 + 1)
  CHECK(counts.found == 4);
  CHECK(counts.sure == 2);
  CHECK(counts.found_sure == 2);
  CHECK(counts.found_possible == 2);
  CHECK(counts.error_rate() == doctest::Approx(1.0 - 4.0 / 6.0));
}

TEST_CASE("hard links take the heaviest source word of each target word") {
  const std::vector<float> weights = {0.1f, 0.7f, 0.2f,   //
                                      0.4f, 0.2f, 0.4f};  // equals: the first
  CHECK(hard_links(weights, 2, 3) == std::vector<Link>{{1, 0, true}, {0, 1, true}});
}

TEST_CASE("links of content words, and the attention mass on them") {
  AlignedPair pair;
  pair.source = {"the", "cat", "ate"};
  pair.target = {"le", "chat", "a", "mangé"};
  pair.source_content = {false, true, true};
  pair.target_content = {false, true, false, true};
  pair.links = {{0, 0, true}, {1, 1, true}, {2, 2, false}, {2, 3, true}};
  CHECK(content_links(pair.links, pair.target_content) == std::vector<Link>{{1, 1, true}, {2, 3, true}});
  CHECK(content_links(std::vector<Link>{{0, 3}, {0, 4}}, pair.target_content) == std::vector<Link>{{0, 3}});
  // [T, S] = [5, 4]: one end mark on both sides
  const std::vector<float> weights = {1.0f, 0.0f, 0.0f, 0.0f,  //
                                      0.2f, 0.5f, 0.3f, 0.0f,  // chat: 0.5
                                      0.0f, 0.0f, 1.0f, 0.0f,  //
                                      0.1f, 0.1f, 0.7f, 0.1f,  // mangé: 0.7
                                      0.0f, 0.0f, 0.0f, 1.0f};
  CHECK(alignment_mass(weights, 5, 4, pair) == doctest::Approx(0.6));
  CHECK_THROWS_AS(alignment_mass(std::span(weights).first(6), 3, 2, pair), heed::ShapeError);

  AlignedPair other = flipped(pair);
  CHECK(other.source == pair.target);
  CHECK(other.target_content == pair.source_content);
  CHECK(other.links == std::vector<Link>{{0, 0, true}, {1, 1, true}, {2, 2, false}, {3, 2, true}});
  CHECK(flipped(other).links == pair.links);
}
