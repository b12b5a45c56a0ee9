// Fuzzes einsum (autograd/ops_einsum.h). An input such as "ij,jk->ik|23|34" is an equation and, for each operand, the
// sizes of its axes as digits. A malformed equation must be a ValueError, and sizes that do not fit a ShapeError. The
// result must be that of loops over all letters, and each gradient must have the shape of its operand. Since the result
// is linear in every operand, sum(operand * gradient) must be sum(result). All numbers are small integers, so all
// comparisons are exact.
#include "autograd/ops_einsum.h"

#include <map>

#include "autograd/backward.h"
#include "autograd/ops_reduce.h"
#include "tests/fuzz/target.h"

using namespace heed;
using fuzz::accepted, fuzz::must;

namespace {

double total(const Tensor& x, const Tensor& factor) {
  double sum = 0;
  std::vector<double> a = x.to_vector(), b = factor.to_vector();
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// einsum by its definition, as loops over all letters. Only for equations with "->" and without "..."; {} if that would
// take more than 5000 steps.
std::vector<double> by_loops(const std::vector<std::string>& in, const std::string& out,
                             const std::vector<Tensor>& xs) {
  std::map<char, int64_t> sizes, at;
  for (size_t k = 0; k < xs.size(); ++k)
    for (size_t i = 0; i < in[k].size(); ++i)
      sizes[in[k][i]] = std::max(sizes.try_emplace(in[k][i], 0).first->second, xs[k].size(static_cast<int64_t>(i)));
  for (const auto& [letter, size] : sizes)
    for (size_t k = 0; k < xs.size() && size == 1; ++k)  // size 1 is broadcast to size 0
      for (size_t i = 0; i < in[k].size(); ++i)
        if (in[k][i] == letter) sizes[letter] = std::min(size, xs[k].size(static_cast<int64_t>(i)));
  int64_t steps = 1, count = 1;
  for (auto [letter, size] : sizes) steps *= size, at[letter] = 0;
  for (char letter : out) count *= sizes[letter];
  if (steps > 5000) return {};
  std::vector<double> y(static_cast<size_t>(count));
  for (int64_t step = 0; step < steps; ++step) {
    int64_t rest = step, place = 0;
    for (auto& [letter, index] : at) index = rest % sizes[letter], rest /= sizes[letter];
    double product = 1;
    for (size_t k = 0; k < xs.size(); ++k) {
      int64_t from = 0;
      for (size_t i = 0; i < in[k].size(); ++i) {
        int64_t size = xs[k].size(static_cast<int64_t>(i));
        from = from * size + (size == 1 ? 0 : at[in[k][i]]);
      }
      product *= xs[k].data<double>()[from];
    }
    for (char letter : out) place = place * sizes[letter] + at[letter];
    y[static_cast<size_t>(place)] += product;
  }
  return y;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 100) return 0;
  std::vector<std::string> parts = fuzz::split(fuzz::text_of(data, size), "|");
  std::vector<Variable> operands;
  std::vector<Tensor> xs;
  int64_t products = 1;
  for (size_t k = 1; k < parts.size(); ++k) {
    Shape shape;
    for (char c : parts[k]) {
      if (c < '0' || c > '9' || shape.rank() == kMaxRank) return 0;
      shape.push_back(c - '0');
      products *= std::max(1, c - '0');
      if (products > 20000) return 0;
    }
    Tensor x = Tensor::zeros(shape, DType::f64);
    for (int64_t i = 0; i < x.count(); ++i)
      x.data<double>()[i] = static_cast<double>((i * 7 + static_cast<int64_t>(k)) % 5 - 1);
    xs.push_back(x);
    operands.emplace_back(x, Variable::kRequiresGrad);
  }
  Variable y;
  if (!accepted<ValueError, ShapeError>([&] { y = einsum(parts[0], operands); }, fuzz::Message::any)) return 0;
  std::string plain;
  for (char c : parts[0])
    if (c != ' ') plain += c;
  size_t arrow = plain.find("->");
  if (plain.find('.') == plain.npos && arrow != plain.npos) {
    std::vector<double> wanted = by_loops(fuzz::split(plain.substr(0, arrow), ","), plain.substr(arrow + 2), xs);
    must(wanted.empty() || y.value().to_vector() == wanted, "the result of " + plain + " is that of a loop");
  }
  backward(sum(y));
  for (size_t k = 0; k < xs.size(); ++k) {
    Tensor gradient = operands[k].grad();
    must(gradient.defined() && gradient.shape() == xs[k].shape(), "a gradient has the shape of its operand");
    must(total(gradient, xs[k]) == total(y.value(), Tensor::ones(y.value().shape(), DType::f64)),
         "sum(operand * gradient) = sum(result)");
  }
  return 0;
}
