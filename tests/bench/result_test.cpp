// Medians over the runs of a row, also where a peer is missing in some of them; and the table of rows.
#include "tests/bench/result.h"

#include <doctest/doctest.h>

#include <set>

using namespace bench;

namespace {

Result run(double seconds, std::vector<Result::Peer> peers) {
  Result r;
  r.row.goal_ratio = r.goal_ratio = 2;
  r.row.goal_fraction = 0.5;
  r.seconds = seconds, r.work = 100, r.limit = 50, r.peers = std::move(peers);
  return r;
}

}  // namespace

TEST_CASE("bench: the median of an odd and of an even number") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
}

TEST_CASE("bench: medians of runs, with peers that are missing in some") {
  const Result m =
      medians({run(4, {{"a", 1, 9, {}}, {"a", 2, 7, {}}}), run(5, {{"a", 2, 8, {70, 0}}, {"b", 1, 20, {}}}),
               run(1, {{"a", 1, 11, {}}, {"a", 2, 30, {}}})});
  CHECK(m.seconds == 4);
  CHECK(m.fraction() == 0.5);
  REQUIRE(m.peers.size() == 3);
  REQUIRE(m.best_peer());
  CHECK(m.best_peer()->name == "a");
  CHECK(m.best_peer()->threads == 2);
  CHECK(m.best_peer()->seconds == 8);
  CHECK(m.best_peer()->memory.bytes == 70);
  CHECK(m.ratio() == 2);
  CHECK(m.met() == true);
  CHECK(medians({run(4, {{"a", 1, 7.9, {}}})}).met() == false);  // the ratio is missed
  CHECK(medians({run(4.1, {})}).met() == false);                 // the share is missed
  CHECK(medians({run(4, {})}).best_peer() == nullptr);
}

TEST_CASE("bench: every row has its own id, and forward passes are there on one thread and on two") {
  std::set<std::string> ids;
  int64_t alone = 0;
  for (const Row& r : rows()) {
    CHECK_MESSAGE(ids.insert(r.id).second, r.id);
    if (!r.also_on_one_thread) continue;
    CHECK(r.threads == (r.id.ends_with("_t1") ? 1 : 2));
    alone += r.id.ends_with("_t1");
  }
  CHECK(alone == 18);  // 6 forward passes, and the encoders of two shapes
}
