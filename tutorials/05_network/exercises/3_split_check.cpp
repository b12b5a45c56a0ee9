// Hints and checks of exercise 05.3.
#include "tutorials/05_network/exercises/3_split.h"

#include <set>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Split;
using Items = std::vector<int64_t>;

void examine(app::Exercise& e) {
  Items group;  // 20 groups of 1, 3, 5, 7 or 9 examples, in order: 100 examples
  for (int64_t g = 0; g < 20; ++g) group.insert(group.end(), static_cast<size_t>(1 + 2 * (g % 5)), g);
  Generator rng(1), same(1);
  const Split s = mine::split(group, 0.2, 0.13, rng);
  auto groups_of = [&](const Items& examples) {
    std::set<int64_t> found;
    for (int64_t i : examples) found.insert(group.at(static_cast<size_t>(i)));
    return found;
  };
  const std::set<int64_t> train = groups_of(s.train), valid = groups_of(s.valid), test = groups_of(s.test);
  Items all = s.train;
  all.insert(all.end(), s.valid.begin(), s.valid.end());
  all.insert(all.end(), s.test.begin(), s.test.end());
  auto number = [](auto n) { return static_cast<double>(n); };
  e.check("the number of examples, all sets together,", number(all.size()), 100, 0);
  e.check("the number of different ones", number(std::set(all.begin(), all.end()).size()), 100, 0);
  const double torn = number(train.size() + valid.size() + test.size()) - number(groups_of(all).size());
  e.check("the number of groups torn apart", torn, 0, 0);
  e.check("the number of test groups (0.13 of 20)", number(test.size()), 3, 0);
  e.check("the number of validation groups (0.2 of 20)", number(valid.size()), 4, 0);
  const bool side_by_side = !test.empty() && *test.rbegin() - *test.begin() == std::ssize(test) - 1;
  e.check("the test groups are neighbours (0: no)", side_by_side, 0, 0);
  e.check("the same seed gives the same test set (1: yes)", mine::split(group, 0.2, 0.13, same).test == s.test, 1, 0);
  std::set<int64_t> ever;
  double all_drawn = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Generator another(seed);
    std::set<int64_t> drawn = groups_of(mine::split(group, 0.2, 0.13, another).test);
    all_drawn += number(drawn.size());
    ever.merge(drawn);
  }
  e.check("the number of test groups with 60 seeds, all together,", all_drawn, 60 * 3, 0);
  e.check("the number of groups that were test groups for one of 60 seeds", number(ever.size()), 20, 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("05", 3, "Three sets without a leak");
  e.hint("List the groups, each once (a std::set removes duplicates), and shuffle this list.");
  e.hint("The first lround(test * groups) are the test groups, the next lround(valid * groups) the validation groups.");
  e.hint("Then go through the examples and put each into the set of its group.");
  e.insight(
      "A test result is a promise about new examples, so split where they become new: at the document, the person,\n"
      "the day. A leak makes a model look better than it is.",
      "./heed exercise 05 4");
  return e.run(argc, argv, examine);
}
