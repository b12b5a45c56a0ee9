// Philox against published values; uniformity, moments, and the same numbers for any number of threads.
#include "tensor/random.h"

#include <doctest/doctest.h>

#include <set>

#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/row_places.h"
#include "tests/tensor/support.h"

using namespace heed;

namespace {

using Words = std::array<uint32_t, 4>;

// Philox4x32-10 with all four words of the counter, written from the paper: a round multiplies words 0 and 2, and
// swaps the low and high halves.
Words philox_reference(Words c, uint32_t k0, uint32_t k1) {
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    uint64_t a = uint64_t{0xD2511F53u} * c[0], b = uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
  }
  return c;
}

// Pearson's statistic of counts that should be equal; its mean is bins - 1, its deviation sqrt(2 bins).
double chi_squared(const std::vector<int64_t>& counts, double expected) {
  double total = 0;
  for (int64_t n : counts)
    total += (static_cast<double>(n) - expected) * (static_cast<double>(n) - expected) / expected;
  return total;
}

struct Moments {
  double mean = 0, variance = 0, skew = 0, kurtosis = 0;
};
Moments moments(const Tensor& t) {
  Moments m;
  std::vector<double> v = t.to_vector();
  auto n = static_cast<double>(v.size());
  for (double x : v) m.mean += x / n;
  for (double x : v) m.variance += (x - m.mean) * (x - m.mean) / n;
  for (double x : v) {
    double z = (x - m.mean) / std::sqrt(m.variance);
    m.skew += z * z * z / n, m.kurtosis += z * z * z * z / n;
  }
  return m;
}

}  // namespace

TEST_CASE("philox4x32-10 gives the known answers of the Random123 distribution") {
  uint32_t f = 0xffffffff;
  CHECK(philox_reference({0, 0, 0, 0}, 0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox_reference({f, f, f, f}, f, f) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox_reference({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
  CHECK(philox(0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  for (uint64_t i = 0; i < 1000; ++i) {  // the counter is words 0 and 1, the seed the key
    uint64_t seed = i * 0x9E3779B97F4A7C15ull, counter = i * i * 0xD1B54A32D192ED03ull;
    REQUIRE(philox(seed, counter) ==
            philox_reference({static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32), 0, 0},
                             static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)));
  }
}

TEST_CASE("a generator is a seed and a position") {
  Generator a(7), b(7), c(8);
  std::vector<double> first;
  for (int i = 0; i < 10; ++i) first.push_back(a.uniform());
  for (int i = 0; i < 10; ++i) CHECK(b.uniform() == first[static_cast<size_t>(i)]);
  CHECK(c.uniform() != first[0]);
  CHECK(a.offset() == 10);
  Generator resumed(7, 4);
  CHECK(resumed.uniform() == first[4]);
  CHECK(resumed.reserve(100) == 5);
  CHECK(resumed.offset() == 105);
  Generator copy = a;
  CHECK(copy.normal() == a.normal());
}

TEST_CASE("below is uniform, shuffle is a permutation that favours no place") {
  Generator rng(1);
  std::vector<int64_t> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts[static_cast<size_t>(rng.below(7))];
  CHECK(chi_squared(counts, 10000) < 25);  // 6 degrees of freedom: p about 3e-4
  CHECK(rng.below(1) == 0);
  for (int i = 0; i < 100; ++i) {
    int64_t v = rng.below(INT64_MAX);
    CHECK((v >= 0 && v < INT64_MAX));
  }
  std::vector<int64_t> at_front(5);
  for (int i = 0; i < 50000; ++i) {
    std::vector<int> items = {0, 1, 2, 3, 4};
    rng.shuffle(items);
    ++at_front[static_cast<size_t>(items[0])];
    REQUIRE(std::set<int>(items.begin(), items.end()).size() == 5);
  }
  CHECK(chi_squared(at_front, 10000) < 25);
  std::vector<int> none;
  rng.shuffle(none);
}

TEST_CASE("uniform tensors fill their interval evenly, and leave out its end") {
  for (DType d : {DType::f32, DType::f64}) {
    Generator rng(2);
    Tensor u = Tensor::uniform({1000000}, rng, 0, 1, d);
    CHECK(rng.offset() == 500000);
    std::vector<int64_t> counts(256), pairs(256);
    std::vector<double> v = u.to_vector();
    bool inside = true;
    for (size_t i = 0; i < v.size(); ++i) {
      inside = inside && v[i] >= 0 && v[i] < 1;
      if (!inside) break;
      ++counts[static_cast<size_t>(v[i] * 256)];
      if (i % 2) ++pairs[static_cast<size_t>(v[i - 1] * 16) * 16 + static_cast<size_t>(v[i] * 16)];
    }
    REQUIRE(inside);
    CHECK(std::abs(chi_squared(counts, 1e6 / 256) - 255) < 5 * std::sqrt(2 * 255));
    CHECK(std::abs(chi_squared(pairs, 5e5 / 256) - 255) < 5 * std::sqrt(2 * 255));  // neighbours are independent
    Moments m = moments(u);
    CHECK(std::abs(m.mean - 0.5) < 5 * std::sqrt(1.0 / 12e6));
    CHECK(m.variance == doctest::Approx(1.0 / 12).epsilon(0.005));
    Tensor wide = Tensor::uniform({1000}, rng, -3, 5, d);
    for (double x : wide.to_vector()) REQUIRE((x >= -3 && x < 5));
  }
  // A block that begins with 25 one bits: rounded to f32 the number would be 1.
  uint64_t block = 0;
  while (philox(0, block)[0] < 0xFFFFFF80u) ++block;
  Generator close(0, block);
  CHECK(Tensor::uniform({1}, close).item() < 1);
}

TEST_CASE("uniform tensors never hold the end of their interval, nor what is below its start") {
  uint64_t last = 0;  // a block whose first number has the largest 24 bits
  while (philox(0, last)[0] < 0xFFFFFF00u) ++last;
  auto try_type = [&](DType d, auto zero) {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    double eps = Limits::epsilon(), tiny = Limits::denorm_min(), most = Limits::max(), huge = 0.9 * most;
    // clang-format off
    const double intervals[][2] = {
        {1000, 1001}, {-1001, -1000}, {0.3, 0.7}, {-0.1, 0.1}, {0.5, 1000}, {-1e-30, 1}, {-1, 1e-30},
        {0.7, 0.7 + 3 * eps}, {-0.7, -0.7 + 3 * eps}, {1, 1 + eps}, {1, 1 + 5 * eps}, {1 - eps, 1 + eps},
        {-1, -1 + eps}, {0, tiny}, {-tiny, tiny}, {-3 * tiny, 2 * tiny}, {-Limits::min(), Limits::min()},
        {1 / eps, 3 / eps}, {most * (1 - eps), most}, {-most, most}, {-huge, huge}, {-most, 0}};
    // clang-format on
    for (const auto& interval : intervals) {
      double low = interval[0], high = interval[1];  // no structured binding: CHECK_MESSAGE captures them
      Generator rng(3), at_last(0, last);
      bool inside = true;
      std::vector<double> v = Tensor::uniform({300000}, rng, low, high, d).to_vector();
      v.push_back(Tensor::uniform({1}, at_last, low, high, d).item());
      for (double x : v) inside = inside && x >= low && x < high && x >= T(low) && x < T(high);
      CHECK_MESSAGE(inside, name_of(d) << " [" << low << ", " << high << ")");
    }
    std::vector<int64_t> counts(5);  // all numbers of a small interval are equally likely
    Generator rng(4);
    for (double x : Tensor::uniform({50000}, rng, 1, 1 + 5 * eps, d).to_vector())
      ++counts[static_cast<size_t>((x - 1) / eps)];
    CHECK(chi_squared(counts, 10000) < 25);
    double bits = d == DType::f32 ? 0x1p24 : 0x1p53;  // of the stream, scaled: models are drawn from these
    for (auto [low, high] : {std::pair{0.0, 1.0}, {-0.5, 0.5}, {-1.0, 1.0}}) {
      Tensor t = Tensor::uniform({2000}, rng = Generator(5), low, high, d);
      for (uint64_t b = 0; b < 1000; ++b)
        REQUIRE(t.at({static_cast<int64_t>(2 * b)}) ==
                low + (high - low) * (std::floor(Generator(5, b).uniform() * bits) / bits));
    }
  };
  try_type(DType::f32, 0.0f);
  try_type(DType::f64, 0.0);
  Generator rng(1);
  CHECK(bit_equal(Tensor::uniform({2}, rng, 0.7, 0.7), Tensor::full({2}, 0.7)));
  CHECK_THROWS_AS(Tensor::uniform({2}, rng, 0, 1e39), ValueError);
}

TEST_CASE("a normal number is Box and Muller's, of the two uniform numbers that the stream gives next") {
  Generator rng(5), same(5);
  for (int i = 0; i < 20; ++i) {
    double u = 1 - same.uniform(), v = same.uniform();
    CHECK(rng.normal() == doctest::Approx(std::sqrt(-2 * std::log(u)) * std::cos(2 * std::acos(-1.0) * v)));
  }
}

TEST_CASE("normal tensors have the moments of the normal distribution") {
  for (DType d : {DType::f32, DType::f64}) {
    Generator rng(3);
    Moments m = moments(Tensor::normal({1000001}, rng, 2, 3, d));
    CHECK(rng.offset() == 500001);
    CHECK(std::abs(m.mean - 2) < 5 * 3e-3);
    CHECK(m.variance == doctest::Approx(9).epsilon(0.01));
    CHECK(std::abs(m.skew) < 0.0125);
    CHECK(m.kurtosis == doctest::Approx(3).epsilon(0.01));
  }
  Generator rng(4);
  double total = 0, squares = 0;
  for (int i = 0; i < 100000; ++i) {
    double x = rng.normal();
    total += x, squares += x * x;
  }
  CHECK(std::abs(total / 1e5) < 5 / std::sqrt(1e5));
  CHECK(squares / 1e5 == doctest::Approx(1).epsilon(0.03));
}

TEST_CASE("f32 and f64 draw the same stream, and a longer tensor begins like a shorter one") {
  Generator a(5), b(5), c(5);
  Tensor single = Tensor::normal({101}, a), wide = Tensor::normal({101}, b, 0, 1, DType::f64);
  CHECK(bit_equal(wide.to(DType::f32), single));
  CHECK(bit_equal(Tensor::normal({1000}, c).slice(0, 0, 101), single));
  CHECK(a.offset() == b.offset());
  CHECK(Tensor::uniform({0}, a).count() == 0);
}

TEST_CASE("a dropout mask is made of the stream's words, and dropout is the product with it, in any layout") {
  for (DType d : {DType::f32, DType::f64})
    for (uint64_t offset : {uint64_t{0}, uint64_t{0xfffffffd}})  // over the end of the low word
      for (int64_t n : {1, 31, 32, 33, 100}) {
        Tensor mask = dropout_mask({n}, d, 0.3, 0x123456789abcdef, offset);
        std::vector<double> want;
        for (int64_t i = 0; i < n; ++i) {
          auto words = philox(0x123456789abcdef, offset + static_cast<uint64_t>(i / 4));
          bool kept = words[static_cast<size_t>(i % 4)] >= static_cast<uint32_t>(0.3 * 4294967296.0);
          want.push_back(kept ? 1 / 0.7 : 0);
        }
        CHECK(bit_equal(mask, Tensor::from(want, {n}).to(d)));
        Generator rng(4);
        Tensor x = Tensor::normal({n, 3}, rng, 0, 1, d);
        for (double p : {0.3, 1.0}) {
          Tensor y = mul(x, dropout_mask({n, 3}, d, p, 7, offset));
          for (const Tensor& layout : test::layouts_of(x))
            CHECK(dropout(layout, p, 7, offset).to_vector() == y.to_vector());
        }
        Tensor infinite = dropout(Tensor::full({n}, INFINITY, d), 0.3, 0x123456789abcdef, offset);
        for (int64_t i = 0; i < n; ++i) CHECK(infinite.at({i}) == (mask.at({i}) > 0 ? INFINITY : 0));
      }
  CHECK(test::same_bits_for_any_threads([] { return dropout(Tensor::ones({300, 333}), 0.4, 1, 2); }));
}

TEST_CASE("a dropout mask has its rate, its scale, and depends on seed, offset and place alone") {
  for (double p : {0.0, 0.1, 0.5, 0.9, 1.0})
    for (DType d : {DType::f32, DType::f64}) {
      Tensor mask = dropout_mask({100, 1003}, d, p, 11, 22);
      double kept = 0, scale = Tensor::scalar(p < 1 ? 1 / (1 - p) : 0, d).item(), n = 100300;
      bool valid = true;
      for (double v : mask.to_vector()) {
        valid = valid && (v == 0 || v == scale);
        kept += v != 0;
      }
      CHECK(valid);
      CHECK(std::abs(kept - n * (1 - p)) <= 5 * std::sqrt(n * p * (1 - p)));
      CHECK(bit_equal(dropout_mask({100, 1003}, d, p, 11, 22), mask));
      CHECK(bit_equal(dropout_mask({7}, d, p, 11, 22), mask.view({-1}).slice(0, 0, 7)));
      CHECK(bit_equal(dropout_mask({10}, d, p, 11, 24), mask.view({-1}).slice(0, 8, 18)));  // two blocks on
    }
  CHECK_FALSE(bit_equal(dropout_mask({100}, DType::f32, 0.5, 1, 0), dropout_mask({100}, DType::f32, 0.5, 2, 0)));
  CHECK((dropout_blocks(0) == 0 && dropout_blocks(4) == 1 && dropout_blocks(5) == 2));
}

TEST_CASE("places of rows: a share of a batch is dropped and drawn as in the whole batch, whatever the axis") {
  for (int axis : {0, 1})
    for (int64_t step : {2, 3}) {
      const Shape whole_shape = axis == 0 ? Shape{7, 5, 13} : Shape{5, 7, 13};
      Generator rng(1);
      const Tensor x = Tensor::normal(whole_shape, rng), whole = dropout(x, 0.4, 9, 100);
      for (int64_t first = 0; first < step; ++first) {
        std::vector<int64_t> rows;
        for (int64_t row = first; row < 7; row += step) rows.push_back(row);
        const RowPlaces places{std::ssize(rows), first, step, 7, axis};
        const Tensor index = Tensor::from(rows, {std::ssize(rows)}), own = index_select(x, axis, index);
        CHECK(bit_equal(placed_dropout(own, 0.4, 9, 100, places), index_select(whole, axis, index)));
        CHECK(places.whole_count(own.shape()) == x.count());
        if (axis == 1) continue;
        Generator here(3), there(3);
        const Tensor noise = Tensor::normal(x.shape(), there);
        RowScope scope(places);
        CHECK(bit_equal(Tensor::normal(own.shape(), here), index_select(noise, 0, index)));
        CHECK(here.offset() == there.offset());
      }
    }
  // Two heads to a row: entry i of 6 is head i % 2 of row i / 2.
  CHECK(RowPlaces{3, 1, 2, 6}.place(3, 6) == (1 + 1 * 2) * 2 + 1);
}
