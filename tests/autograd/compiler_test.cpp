// What the build must guard against: constants that an optimiser got wrong.
#include <doctest/doctest.h>

#include <vector>

TEST_CASE("compiler: four equal constants with zeros at the end stay what they are") {
  auto doubles = [](const std::vector<double>& v) { return v; };  // through memory, not through a constant
  auto integers = [](const std::vector<long>& v) { return v; };
  CHECK(doubles(std::vector<double>{1, 1, 1, 0})[3] == 0);
  CHECK(doubles(std::vector<double>{1, 1, 0, 0})[2] == 0);
  CHECK(integers(std::vector<long>{3, 3, 3, 0})[3] == 0);
}
