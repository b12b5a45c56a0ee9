// einsum against a loop over every assignment of its letters; and what it refuses.
#include "autograd/ops_einsum.h"

#include <doctest/doctest.h>

#include <map>

#include "autograd/backward.h"
#include "tensor/reduce.h"
#include "tests/tensor/support.h"

using namespace heed;
using test::Index;
using test::indices;

namespace {

// By the definition: add the product of the operands to the result for every value of every letter.
Tensor by_loops(const std::vector<std::string>& in, const std::string& out, const std::vector<Tensor>& xs) {
  std::map<char, int64_t> sizes;
  for (size_t k = 0; k < xs.size(); ++k)
    for (size_t i = 0; i < in[k].size(); ++i) sizes[in[k][i]] = xs[k].shape()[static_cast<int>(i)];
  Shape all, result;
  std::map<char, size_t> place;
  for (auto [letter, size] : sizes) place[letter] = static_cast<size_t>(all.rank()), all.push_back(size);
  for (char letter : out) result.push_back(sizes[letter]);
  Tensor y = Tensor::zeros(result, DType::f64);
  for (const Index& at : indices(all)) {
    auto part = [&](const std::string& letters) {
      Index index;
      for (char letter : letters) index.push_back(at[place[letter]]);
      return index;
    };
    double product = 1;
    for (size_t k = 0; k < xs.size(); ++k) product *= test::value(xs[k], part(in[k]));
    test::element<double>(y, part(out)) += product;
  }
  return y;
}

std::vector<Tensor> random_operands(const std::vector<std::string>& in) {
  const std::map<char, int64_t> sizes = {{'a', 2}, {'b', 3}, {'c', 4}, {'d', 5}, {'e', 1}, {'Z', 2}};
  Generator rng(5);
  std::vector<Tensor> xs;
  for (const std::string& letters : in) {
    Shape shape;
    for (char letter : letters) shape.push_back(sizes.at(letter));
    xs.push_back(Tensor::normal(shape, rng, 0, 1, DType::f64));
  }
  return xs;
}

}  // namespace

TEST_CASE("einsum: every kind of contraction is what its letters say") {
  struct Try {
    std::vector<std::string> in;
    std::string out;
  };
  for (const Try& t : {Try{{"ab"}, "ba"},
                       {{"abc"}, "b"},
                       {{"aa"}, ""},
                       {{"abba"}, "ab"},
                       {{"aaa"}, "a"},
                       {{"ab", "bc"}, "ac"},
                       {{"abc", "acd"}, "abd"},
                       {{"abc", "acd"}, "dba"},
                       {{"a", "b"}, "ab"},
                       {{"ab", "ab"}, "ab"},
                       {{"ab", "ab"}, ""},
                       {{"ab", "cd"}, "bd"},
                       {{"aba", "b"}, "a"},
                       {{"ab", "bc", "cd"}, "ad"},
                       {{"ab", "ab", "ab"}, "b"},
                       {{"", "ab"}, "ab"},
                       {{"eb", "eb"}, "eb"},
                       {{"Zab", "bZ"}, "aZ"},
                       {{"abcd", "cb"}, "da"}}) {
    std::string equation = t.in[0];
    for (size_t k = 1; k < t.in.size(); ++k) equation += "," + t.in[k];
    equation += "->" + t.out;
    CAPTURE(equation);
    std::vector<Tensor> xs = random_operands(t.in);
    std::vector<Variable> vs(xs.begin(), xs.end());
    Tensor y = einsum(equation, vs).value();
    REQUIRE(y.shape() == by_loops(t.in, t.out, xs).shape());
    CHECK(max_abs_difference(y, by_loops(t.in, t.out, xs)) < 1e-12);
  }
}

TEST_CASE("einsum: the result that is not written, spaces, and ...") {
  auto xs = random_operands({"ba", "ac", "cbd", "cda"});
  auto same = [](const Variable& a, const Variable& b) { return bit_equal(a.value(), b.value()); };
  CHECK(same(einsum("ba", {xs[0]}), einsum("ba->ab", {xs[0]})));
  CHECK(same(einsum(" ba , ac ", {xs[0], xs[1]}), einsum("ba,ac->bc", {xs[0], xs[1]})));
  CHECK(same(einsum("Zb,bY", {xs[0].transpose(0, 1), xs[0]}), einsum("zb,by->yz", {xs[0].transpose(0, 1), xs[0]})));
  CHECK(same(einsum("...bd,...da->...ba", {xs[2], xs[3]}), einsum("cbd,cda->cba", {xs[2], xs[3]})));
  CHECK(same(einsum("b...", {xs[2]}), einsum("bxy->xyb", {xs[2]})));
  CHECK(same(einsum("...->", {xs[2]}), einsum("abc->", {xs[2]})));
  CHECK(einsum("...i,...i->...", {Tensor::ones({4, 1, 3}), Tensor::ones({5, 3})}).shape() == Shape{4, 5});
}

TEST_CASE("einsum: an axis of size 1 broadcasts, whichever operand has it, and its gradient is summed") {
  auto xs = random_operands({"ab", "eb", "ae", "ee"});  // e has size 1
  for (const std::string equation : {"ab,ab->ab", "ab,ab->", "ab,ab->b", "ab,ab", "ab,cb->ac"})
    for (size_t k : {1UL, 2UL, 3UL}) {
      CAPTURE(equation);
      Tensor full = xs[k].expand(equation == "ab,cb->ac" ? Shape{xs[k].size(0), 3} : xs[0].shape()).contiguous();
      CHECK(max_abs_difference(einsum(equation, {xs[0], xs[k]}).value(), einsum(equation, {xs[0], full}).value()) <
            1e-14);
      CHECK(max_abs_difference(einsum(equation, {xs[k], xs[0]}).value(), einsum(equation, {full, xs[0]}).value()) <
            1e-14);
    }
  CHECK(einsum("i,ii->i", {Tensor::ones({3}), Tensor::full({1, 1}, 2)}).value().to_vector() ==
        std::vector<double>{2, 2, 2});
  Variable row(xs[1], Variable::kRequiresGrad);
  backward(einsum("ab,ab->", {Variable(xs[0]), row}));
  CHECK(max_abs_difference(row.grad(), sum(xs[0], {0}, /*keep=*/true)) < 1e-14);
}
