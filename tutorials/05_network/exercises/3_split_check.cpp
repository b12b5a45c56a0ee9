// Hints, common mistakes and checks of exercise 05.3.
#include "tutorials/05_network/exercises/3_split.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Split;
using Items = std::vector<int64_t>;

Items groups_once(const Items& group) {
  const std::set<int64_t> unique(group.begin(), group.end());
  return {unique.begin(), unique.end()};
}
int64_t rounded(double share, const Items& of) { return std::lround(share * static_cast<double>(of.size())); }

// Cuts a list of groups into test, validation and training groups, which the examples follow.
Split cut(const Items& group, const Items& groups, int64_t test, int64_t valid) {
  const std::set<int64_t> in_test(groups.begin(), groups.begin() + test);
  const std::set<int64_t> in_valid(groups.begin() + test, groups.begin() + test + valid);
  Split s;
  for (size_t i = 0; i < group.size(); ++i) {
    Items& to = in_test.contains(group[i]) ? s.test : in_valid.contains(group[i]) ? s.valid : s.train;
    to.push_back(static_cast<int64_t>(i));
  }
  return s;
}
Split right_split(const Items& group, double valid, double test, Generator& rng) {
  Items groups = groups_once(group);
  rng.shuffle(groups);
  return cut(group, groups, rounded(test, groups), rounded(valid, groups));
}
Items all_of(const Items& group) {
  Items all(group.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  return all;
}
// The examples themselves are cut, in the order given.
Split cut_examples(const Items& order, double valid, double test) {
  const auto a = order.begin() + rounded(test, order), b = a + rounded(valid, order);
  return {{b, order.end()}, {a, b}, {order.begin(), a}};
}

using G = const Items&;
const std::vector<app::Mistake<decltype(&mine::split)>> mistakes{
    {"The gap is still open: it cuts the sorted list of examples, which tears groups apart, and it does not shuffle",
     [](G group, double valid, double test, Generator&) { return cut_examples(all_of(group), valid, test); }},
    {"You shuffle examples: the examples of a group then land in different sets. Shuffle the list of groups",
     [](G group, double valid, double test, Generator& rng) {
       Items order = all_of(group);
       rng.shuffle(order);
       return cut_examples(order, valid, test);
     }},
    {"You do not shuffle the groups: the test set has neighbouring groups, whatever the seed is",
     [](G group, double valid, double test, Generator&) {
       const Items groups = groups_once(group);
       return cut(group, groups, rounded(test, groups), rounded(valid, groups));
     }},
    {"You shuffle with a generator of your own: use rng, or every seed gives the same split",
     [](G group, double valid, double test, Generator&) {
       Generator own(7);
       return right_split(group, valid, test, own);
     }},
    {"You round the number of groups down: round to the nearest whole number, with std::lround",
     [](G group, double valid, double test, Generator& rng) {
       Items groups = groups_once(group);
       rng.shuffle(groups);
       const auto count = static_cast<double>(groups.size());
       return cut(group, groups, static_cast<int64_t>(test * count), static_cast<int64_t>(valid * count));
     }},
    {"The shares are exchanged: the third argument is the share of the test set, the second that of the validation set",
     [](G group, double valid, double test, Generator& rng) { return right_split(group, test, valid, rng); }},
    {"The validation groups are taken from the start of the list, as the test groups are: start after the test groups",
     [](G group, double valid, double test, Generator& rng) {
       Items groups = groups_once(group);
       rng.shuffle(groups);
       Split s = cut(group, groups, rounded(test, groups), rounded(valid, groups));
       s.valid = cut(group, groups, rounded(valid, groups), 0).test;
       s.train = cut(group, groups, 0, std::max(rounded(valid, groups), rounded(test, groups))).train;
       return s;
     }},
    {"The training set has every example: leave out those of the validation set and of the test set",
     [](G group, double valid, double test, Generator& rng) {
       Split s = right_split(group, valid, test, rng);
       s.train = all_of(group);
       return s;
     }},
    {"The sets contain groups: put the numbers of the examples of each group into them",
     [](G group, double valid, double test, Generator& rng) {
       Items groups = groups_once(group);
       rng.shuffle(groups);
       const auto a = groups.begin() + rounded(test, groups), b = a + rounded(valid, groups);
       return Split{{b, groups.end()}, {a, b}, {groups.begin(), a}};
     }},
    {"You fill a set until it has its share of the EXAMPLES: the shares are of the groups, whatever their sizes are",
     [](G group, double valid, double test, Generator& rng) {
       Items groups = groups_once(group);
       rng.shuffle(groups);
       auto until = [&](double share, int64_t first) {  // how many groups have so many examples
         int64_t n = 0;
         for (int64_t examples = 0; examples < rounded(share, group); ++n)
           examples += std::ranges::count(group, groups[static_cast<size_t>(first + n)]);
         return n;
       };
       const int64_t in_test = until(test, 0);
       return cut(group, groups, in_test, until(valid, in_test));
     }},
    {"You split the examples of each group: a group must stay in one set, so shuffle and cut the list of groups",
     [](G group, double valid, double test, Generator& rng) {
       Split s;
       for (int64_t g : groups_once(group)) {
         Items own;
         for (size_t i = 0; i < group.size(); ++i)
           if (group[i] == g) own.push_back(static_cast<int64_t>(i));
         rng.shuffle(own);
         const Split part = cut_examples(own, valid, test);
         s.train.insert(s.train.end(), part.train.begin(), part.train.end());
         s.valid.insert(s.valid.end(), part.valid.begin(), part.valid.end());
         s.test.insert(s.test.end(), part.test.begin(), part.test.end());
       }
       return s;
     }},
};

void examine(app::Exercise& e, const decltype(&mine::split)& split) {
  Items group;  // 20 groups of 1, 3, 5, 7 or 9 examples, in order: 100 examples
  for (int64_t g = 0; g < 20; ++g) group.insert(group.end(), static_cast<size_t>(1 + 2 * (g % 5)), g);
  Generator rng(1), same(1);
  const Split s = split(group, 0.2, 0.13, rng);
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
  e.check("the same seed gives the same test set (1: yes)", split(group, 0.2, 0.13, same).test == s.test, 1, 0);
  std::set<int64_t> ever;
  double all_drawn = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Generator another(seed);
    std::set<int64_t> drawn = groups_of(split(group, 0.2, 0.13, another).test);
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
  return e.run(argc, argv, mine::split, examine, mistakes);
}
