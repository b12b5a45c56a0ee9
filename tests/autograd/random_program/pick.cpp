// How operations choose their inputs and options.
#include <set>

#include "tests/autograd/random_program/operations.h"

namespace random_program {

double Pick::number(double low, double high) {
  double x = low + (high - low) * rng.uniform(), digits = p.extreme ? 64 : 100;  // 64: f32 has them too
  return std::round(digits * x) / digits;
}

Shape Pick::take(const Accepts& accepts, const std::function<Shape()>& make, Range range) {
  int value = coin(0.8) ? existing(accepts, range) : -1;
  if (value < 0) value = leaf(make(), range);
  inputs.push_back(value);
  return now(value).shape;
}
Shape Pick::any(int min_rank, int max_rank, Range range) {
  return take([=](const Shape& s) { return s.rank() >= min_rank && s.rank() <= max_rank; },
              [=, this] { return shape(min_rank, std::max(min_rank, std::min(max_rank, 3))); }, range);
}
Shape Pick::of(const Shape& wanted, Range range) {
  return take([=](const Shape& s) { return s == wanted; }, [=] { return wanted; }, range);
}
Shape Pick::against(const Shape& other, Range range) {
  auto fits = [=](const Shape& s) {
    try {
      return heed::element_count(slow::broadcast(s, other)) <= 48;
    } catch (const std::out_of_range&) { return false; }
  };
  return take(
      fits, [=, this] { return smaller(other); }, range);
}

Pick::Axis Pick::any_axis(int max_rank) {
  Shape x = any(1, max_rank);
  int64_t k = axis(x);
  return {x, k, x[slow::from_start(k, x.rank())]};
}

int64_t Pick::axis(const Shape& shape) {
  int64_t axis = below(shape.rank());
  return coin(0.3) ? axis - shape.rank() : axis;
}
Dims Pick::axes(const Shape& shape) {
  Dims out;
  for (int k = 0; k < shape.rank(); ++k)
    if (coin(0.4)) out.insert(static_cast<int>(below(out.rank() + 1)), coin(0.3) ? k - shape.rank() : k);
  return out;
}
Shape Pick::shape(int min_rank, int max_rank) {
  Shape s;
  for (int64_t rank = between(min_rank, max_rank); rank > 0; --rank) {
    constexpr int64_t sizes[] = {1, 2, 2, 3, 3, 4};
    s.push_back(coin(0.01) ? 0 : sizes[below(6)]);
  }
  return s;
}
Shape Pick::smaller(const Shape& shape) {
  Shape s = shape;
  while (s.rank() > 0 && coin(0.2)) s.erase(0);
  for (int k = 0; k < s.rank(); ++k)
    if (coin(0.2)) s[k] = 1;
  return s;
}
Tensor Pick::bools(const Shape& shape, double chance) {
  std::vector<int> bits;
  for (int64_t n = heed::element_count(shape); n > 0; --n) bits.push_back(coin(chance));
  return Tensor::from_bools(bits, shape);
}
Tensor Pick::ids(const Shape& shape, int64_t limit) {
  std::vector<int64_t> values;
  for (int64_t n = heed::element_count(shape); n > 0; --n) values.push_back(below(limit));
  return Tensor::from(values, shape);
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    const std::set<std::string> keep_nothing = {"add", "sub", "cumsum", "flip", "roll", "tril", "triu"};
    const std::set<std::string> by_class = {"nll_loss", "cross_entropy", "cross_entropy_composed"};
    std::vector<Operation> joined;
    for (auto family : {elementwise_operations, reducing_operations, shape_operations, indexing_operations,
                        product_operations, loss_operations})
      for (Operation& o : family()) {
        o.keeps_nothing = keep_nothing.count(o.name) > 0;
        o.elementwise = family == elementwise_operations || (family == loss_operations && by_class.count(o.name) == 0);
        o.loss = family == loss_operations;
        o.product = family == product_operations || o.name == "layer_norm_composed" || o.name == "rms_norm_composed";
        joined.push_back(std::move(o));
      }
    return joined;
  }();
  return all;
}

}  // namespace random_program
