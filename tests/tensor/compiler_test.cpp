// What a compiler got wrong, and CMakeLists.txt has the way around it.
//   1. GCC 12 with AVX-512 made the constant {1, 1, 0, 0} into {1, 1, 1, 1}: constants of 32 and 64 bytes that end in
//      zeros, copied into vectors, arrays and texts.
//   2. GCC tuned for AMD's Zen computed a sum of products in a loop with a product and a sum, not fused, if the loop
//      has one such chain only. Loops with several chains were fused, so the bits depended on the size of a tile.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

// The elements as digits, in a function that the optimiser cannot see through.
template <class T>
[[gnu::noinline]] std::string digits(const std::vector<T>& v) {
  std::string out;
  for (T e : v) out += std::to_string(static_cast<int>(e));
  return out;
}

template <class T>
void check_constants() {
  CHECK(digits(std::vector<T>{1, 1, 0, 0}) == "1100");
  CHECK(digits(std::vector<T>{1, 1, 1, 0}) == "1110");
  CHECK(digits(std::vector<T>{1, 0, 0, 0}) == "1000");
  CHECK(digits(std::vector<T>{0, 0, 1, 1}) == "0011");
  CHECK(digits(std::vector<T>{1, 0, 1, 0, 1, 0, 0, 0}) == "10101000");
  CHECK(digits(std::vector<T>{1, 1, 1, 1, 1, 1, 0, 0}) == "11111100");
  CHECK(digits(std::vector<T>{1, 1, 1, 1, 1, 1, 1, 0}) == "11111110");
}

// Copies that no vectoriser takes part in.
[[gnu::noinline]] void copy_integers(int64_t* to) {
  static const int64_t from[8] = {1, 1, 0, 0, 0, 0, 0, 0};
  std::memcpy(to, from, sizeof from);
}
[[gnu::noinline]] void copy_text(char* to) { std::memcpy(to, "aaaaaaaaaaaaaaaaaaaaaaaa\0\0\0\0\0\0\0", 32); }

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
// start + a[0] b[0] + a[1] b[1] + ..., the chain of a matrix product.
template <class T>
[[gnu::noinline]] T chain(T start, const std::vector<T>& a, const std::vector<T>& b) {
  for (size_t k = 0; k < a.size(); ++k) start += a[k] * b[k];
  return start;
}
#endif

}  // namespace

TEST_CASE("constants keep the zeros at their end") {
  check_constants<double>();
  check_constants<int64_t>();
  check_constants<float>();
  check_constants<int>();
}

TEST_CASE("constants keep the zeros at their end when they are copied as memory") {
  int64_t integers[8];
  copy_integers(integers);
  CHECK(digits(std::vector<int64_t>(integers, integers + 8)) == "11000000");
  char text[32];
  copy_text(text);
  CHECK(std::string(text, 32) == std::string(24, 'a') + std::string(8, '\0'));
}

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
TEST_CASE("a single chain of multiply-adds is fused") {
  const float f = 0x1p-15f;  // (1 + f) (1 - f) = 1 - f^2 rounds to 1, unless it is fused with the sum
  CHECK(chain<float>(-1, {1 + f}, {1 - f}) == -f * f);
  const double d = 0x1p-30;
  CHECK(chain<double>(-1, {1 + d}, {1 - d}) == -d * d);
}
#endif
