// Random programs against the slow interpreter: 5,500 usual ones and 2,500 with infinities, huge and tiny numbers in
// every run of the tests, 200,000 of each with HEED_EXHAUSTIVE=1 (./heed test --exhaustive). HEED_PROGRAMS and
// HEED_SEED choose another number of each and another first seed:
//
//   HEED_SEED=1 HEED_PROGRAMS=1000000 build/release/bin/test_autograd --test-case='random programs: values*'
//   HEED_SEED=1 HEED_PROGRAMS=1000000 build/release/bin/test_autograd --test-case='random programs: infinities*'
#include <doctest/doctest.h>

#include <cstdlib>

#include "autograd/attach.h"
#include "autograd/cases/cases.h"
#include "tensor/elementwise.h"
#include "tests/autograd/random_program/operations.h"

using namespace random_program;

namespace {

int64_t from_environment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

// a b with a gradient that forgets a factor.
Variable faulty_product(const Variable& a, const Variable& b) {
  return heed::attach("faulty", {heed::broadcast(a), heed::broadcast(b)}, heed::mul(a.value(), b.value()),
                      [sb = heed::save(b)](heed::Grads& g, const Variable& dy) {
                        g.add(0, dy * g[sb]);
                        g.add(1, dy);
                      });
}

// |x| whose squares overflow and underflow.
Variable naive_norm(const Variable& x) { return heed::sqrt(heed::sum(heed::square(x))); }
// sqrt whose gradient is 0 times infinity where 0 arrives at x = 0.
Variable careless_root(const Variable& x) {
  Tensor y = heed::sqrt(x.value()), slope = heed::div(0.5, y);
  return heed::attach("careless", {x}, y, [slope](heed::Grads& g, const Variable& dy) {
    g.add(0, Variable(heed::mul(dy.value(), slope)));
  });
}

template <class Generate>
void all_agree(const Generate& generate, int64_t usual_count) {
  int64_t first = from_environment("HEED_SEED", 1), failures = 0;
  int64_t count = from_environment("HEED_PROGRAMS", std::getenv("HEED_EXHAUSTIVE") ? 200'000 : usual_count);
  int64_t unusable = 0;  // refused by run, though each step was accepted: one in 10^6 was met
  for (int64_t seed = first; seed < first + count && failures < 10; ++seed) {
    Program p = generate(static_cast<uint64_t>(seed), operations());
    Verdict v = run(p);
    unusable += !v.usable;
    if (v.ok) continue;
    ++failures;
    Program small = shrink(p);
    FAIL_CHECK("seed " << seed << ": " << v.words << "\nshrunk: " << run(small).words << "\n" << to_string(small));
  }
  CHECK(unusable * 100'000 <= count);
}

}  // namespace

TEST_SUITE("gradcheck") {
  TEST_CASE("random programs: values and gradients are those of the slow interpreter") { all_agree(generate, 5'500); }
  TEST_CASE("random programs: infinities, huge and tiny numbers") { all_agree(generate_extreme, 2'500); }

  TEST_CASE("random programs: squares that overflow and 0 times infinity are found, and shrunk") {
    auto faulty = [](const char* name, Variable (*engine)(const Variable&), Real (*slow)(const slow::Row&),
                     bool whole) {
      return Operation{name,
                       [=](Pick& p) {
                         p.any(0, 2);
                         return Action{"", [=](In in) { return Variables{engine(in[0])}; },
                                       [=](Slow in) {
                                         if (whole) return Arrays{slow::reduce(in[0], {}, false, slow)};
                                         return Arrays{slow::map(in[0], [&](Real x) { return slow({x}); })};
                                       }};
                       },
                       false, !whole};
    };
    auto length = [](const slow::Row& x) {
      Real s = 0;
      for (Real e : x) s = s + e * e;
      return sqrt(s);
    };
    for (const Operation& o : {faulty("naive", naive_norm, length, true),
                               faulty(
                                   "careless", careless_root, [](const slow::Row& x) { return sqrt(x[0]); }, false)}) {
      int found = 0;
      for (uint64_t seed = 1; seed <= 400 && found < 5; ++seed) {
        Program p = generate_extreme(seed, {o});
        if (run(p).ok) continue;
        ++found;
        Program small = shrink(p);
        CHECK_MESSAGE(small.steps.size() <= 3, to_string(small));
      }
      CHECK(found == 5);
    }
  }

  TEST_CASE("random programs: a wrong gradient is found, and shrunk to its operation") {
    std::vector<Operation> all = operations();
    for (Operation& o : all)
      if (o.name == "mul") {
        auto make = o.make;
        o.name = "faulty";
        o.make = [make](Pick& p) {
          Action a = make(p);
          a.engine = [](In in) { return std::vector<Variable>{faulty_product(in[0], in[1])}; };
          return a;
        };
      }
    int found = 0;
    for (uint64_t seed = 1; seed <= 400 && found < 5; ++seed) {
      Program p = generate(seed, all);
      if (run(p).ok) continue;
      ++found;
      Program small = shrink(p);
      std::string text = to_string(small);
      CHECK_MESSAGE(text.find("faulty(") != std::string::npos, text);
      CHECK_MESSAGE(small.steps.size() <= 3, text);  // two leaves and the product
    }
    CHECK(found == 5);
  }
}

TEST_CASE("random programs: the operations of the case table can occur") {
  std::string missing;  // a few may: a new operation does not need a slow twin at once
  int count = 0;
  for (const heed::CaseRow& row : heed::operation_cases()) {
    bool known = row.name.rfind("checkpoint", 0) == 0;  // steps inside checkpoint, not an operation
    for (const Operation& o : operations()) known = known || o.name == row.name;
    if (known) continue;
    missing += " " + row.name;
    ++count;
  }
  CHECK_MESSAGE(count <= 3, "no slow twin in tests/autograd/random_program:" << missing);
}
