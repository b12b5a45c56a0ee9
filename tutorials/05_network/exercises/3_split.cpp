// Exercise 05.3: three sets without a leak.
//
// N examples are numbered 0 .. N - 1. Some are to learn from, some to choose with, some to be judged by; a group of
// examples belongs together (the sentences of one document, the photographs of one person), and must not be torn apart:
// who has seen half of a document knows too much about the other half.
//
//   split(group, valid, test): group[i] is the group of example i. Of all GROUPS, the share `test` goes to the test set
//   and the share `valid` to the validation set (rounded to the nearest whole number), chosen at random; the rest is
//   for training. All examples of a group follow it.
//
// rng.shuffle(items) shuffles a vector. The examples come sorted, as they do in life: without shuffling, the test set
// would hold nothing but the last groups.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "tensor/random.h"
#include "tutorials/common/exercise.h"

using namespace heed;

struct Split {
  std::vector<int64_t> train, valid, test;  // numbers of examples
};

Split split(const std::vector<int64_t>& group, double valid, double test, [[maybe_unused]] Generator& rng) {
  Split s;
  // --- the gap: this tears groups apart, and does not shuffle ---
  double count = static_cast<double>(group.size());
  for (int64_t i = 0; i < std::ssize(group); ++i) {
    double place = static_cast<double>(i) / count;
    (place < test ? s.test : place < test + valid ? s.valid : s.train).push_back(i);
  }
  // --- end of the gap ---
  return s;
}

int main(int argc, char** argv) {
  app::Exercise e("05", 3, "Three sets without a leak");
  e.hint("List the groups, each once (std::set does it), and shuffle this list.");
  e.hint(
      "The first lround(test * groups) of them are the test groups, the next lround(valid * groups) the valid ones.");
  e.hint("Then go through the examples and put each where its group is.");
  return e.run(argc, argv, [&] {
    std::vector<int64_t> group;  // 20 groups of 3 to 7 examples, in order: 100 examples
    for (int64_t g = 0; g < 20; ++g) group.insert(group.end(), static_cast<size_t>(3 + g % 5), g);
    Generator rng(1), same(1), other(2);
    Split s = split(group, 0.2, 0.1, rng);
    auto groups_of = [&](const std::vector<int64_t>& examples) {
      std::set<int64_t> found;
      for (int64_t i : examples) found.insert(group[static_cast<size_t>(i)]);
      return found;
    };
    std::vector<int64_t> all = s.train;
    all.insert(all.end(), s.valid.begin(), s.valid.end());
    all.insert(all.end(), s.test.begin(), s.test.end());
    e.check("the number of examples, all sets together,", static_cast<double>(all.size()), 100, 0);
    e.check("the number of different ones", static_cast<double>(std::set(all.begin(), all.end()).size()), 100, 0);
    e.check("the number of test groups", static_cast<double>(groups_of(s.test).size()), 2, 0);
    e.check("the number of validation groups", static_cast<double>(groups_of(s.valid).size()), 4, 0);
    std::set<int64_t> together = groups_of(s.train);
    for (int64_t g : groups_of(s.valid)) together.insert(g);
    for (int64_t g : groups_of(s.test)) together.insert(g);
    double torn = static_cast<double>(groups_of(s.train).size() + groups_of(s.valid).size() + groups_of(s.test).size() -
                                      together.size());
    e.check("the number of groups torn apart", torn, 0, 0);
    e.check("the same seed gives the same test set (1: yes)", split(group, 0.2, 0.1, same).test == s.test, 1, 0);
    e.check("another seed gives another one (1: yes)", split(group, 0.2, 0.1, other).test != s.test, 1, 0);
  });
}
