#include "tutorials/05_network/exercises/3_split.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace mine {

using namespace heed;

Split split(const std::vector<int64_t>& group, double valid, double test, Generator& rng) {
  Split s;
  // ---- the gap: this code tears groups apart, and does not shuffle ----
  // | double count = static_cast<double>(group.size());
  // | for (int64_t i = 0; i < std::ssize(group); ++i) {
  // |   double place = static_cast<double>(i) / count;
  // |   (place < test ? s.test : place < test + valid ? s.valid : s.train).push_back(i);
  // | }
  // ---- filled: groups are shuffled and shared out, and each example follows its group ----
  std::set<int64_t> unique(group.begin(), group.end());
  std::vector<int64_t> groups(unique.begin(), unique.end());
  rng.shuffle(groups);
  auto share = [&](double part) { return std::lround(part * static_cast<double>(groups.size())); };
  auto first_of_valid = groups.begin() + share(test), first_of_train = first_of_valid + share(valid);
  std::set<int64_t> in_test(groups.begin(), first_of_valid), in_valid(first_of_valid, first_of_train);
  for (size_t i = 0; i < group.size(); ++i)
    (in_test.count(group[i])    ? s.test
     : in_valid.count(group[i]) ? s.valid
                                : s.train)
        .push_back(static_cast<int64_t>(i));
  // ---- end of the gap ----
  return s;
}

}  // namespace mine
