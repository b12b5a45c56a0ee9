// Shapes, views, joins, cuts and rearrangements of random programs.
#include "tests/autograd/random_program/operations.h"

namespace slow {
namespace {

// --- the same elements in the same order
Array reshape(const Array& x, const Shape& asked) {
  Shape y = asked;
  int64_t known = 1;
  for (int64_t d : y) known *= d == -1 ? 1 : d;
  for (int k = 0; k < y.rank(); ++k)
    if (y[k] == -1) y[k] = static_cast<int64_t>(x.elements.size()) / known;
  return {y, x.elements};
}
Array squeeze(Array x, int64_t axis) {
  if (x.size(axis) != 1) throw std::out_of_range("slow: squeeze");
  x.shape.erase(from_start(axis, x.rank()));
  return x;
}
Array squeezed(const Array& x, int64_t axis) { return squeeze(x, axis); }
Array unsqueeze(const Array& x, int64_t axis) {
  Array y = x;
  y.shape.insert(static_cast<int>(axis), 1);
  return y;
}

// --- the same elements in another order
Array permute(const Array& x, const Dims& order) {
  Shape y;
  for (int64_t k : order) y.push_back(x.size(k));
  return build(y, [&](const Index& i) {
    Index from = i;
    for (int k = 0; k < i.rank(); ++k) from[static_cast<int>(order[k])] = i[k];
    return x(from);
  });
}
Dims in_order(int rank) {
  Dims order;
  for (int k = 0; k < rank; ++k) order.push_back(k);
  return order;
}
Array transpose(const Array& x, int64_t a, int64_t b) {
  Dims order = in_order(x.rank());
  std::swap(order[from_start(a, x.rank())], order[from_start(b, x.rank())]);
  return permute(x, order);
}
Array movedim(const Array& x, int64_t from, int64_t to) {
  Dims order = in_order(x.rank());
  order.erase(from_start(from, x.rank()));
  order.insert(from_start(to, x.rank()), from_start(from, x.rank()));
  return permute(x, order);
}

// --- along one axis: y has `size` elements, and its element i is x's element at(i), or `otherwise` if there is none
template <class F>
Array take(const Array& x, int64_t axis, int64_t size, const F& at, Number otherwise = 0) {
  int k = from_start(axis, x.rank());
  Shape y = x.shape;
  y[k] = size;
  return build(y, [&](Index i) {
    i[k] = at(i[k]);
    return i[k] >= 0 && i[k] < x.shape[k] ? x(i) : Real(otherwise);
  });
}
Array slice(const Array& x, int64_t axis, int64_t begin, int64_t end, int64_t step) {
  return take(x, axis, (end - begin + step - 1) / step, [=](int64_t i) { return begin + step * i; });
}
Array narrow(const Array& x, int64_t axis, int64_t begin, int64_t size) {
  return take(x, axis, size, [=](int64_t i) { return begin + i; });
}
Array select(const Array& x, int64_t axis, int64_t at) {
  return squeeze(narrow(x, axis, at < 0 ? at + x.size(axis) : at, 1), axis);
}
Array place(const Array& x, int64_t axis, int64_t begin, int64_t step, int64_t size) {
  return take(x, axis, size, [=](int64_t i) { return i < begin || (i - begin) % step ? -1 : (i - begin) / step; });
}
Array flip(const Array& x, const Dims& axes) {
  int64_t n = x.size(axes[0]);
  return take(x, axes[0], n, [=](int64_t i) { return n - 1 - i; });
}
Array roll(const Array& x, const Dims& shifts, const Dims& axes) {
  int64_t n = x.size(axes[0]), shift = shifts[0];
  return take(x, axes[0], n, [=](int64_t i) { return ((i - shift) % n + n) % n; });
}
Array pad(const Array& x, int64_t axis, int64_t before, int64_t after, double value) {
  return take(
      x, axis, x.size(axis) + before + after, [=](int64_t i) { return i - before; }, value);
}

// --- several in, or several out
Array concat(const Arrays& parts, int64_t axis) {
  int k = from_start(axis, parts[0].rank());
  Shape y = parts[0].shape;
  y[k] = 0;
  for (const Array& part : parts) y[k] += part.shape[k];
  return build(y, [&](Index i) {
    size_t part = 0;
    for (; i[k] >= parts[part].shape[k]; ++part) i[k] -= parts[part].shape[k];
    return parts[part](i);
  });
}
Array stack(const Arrays& parts, int64_t axis) {
  Arrays wide;
  for (const Array& part : parts) wide.push_back(unsqueeze(part, axis));
  return concat(wide, axis);
}
Arrays split(const Array& x, const std::vector<int64_t>& sizes, int64_t axis) {
  Arrays out;
  int64_t begin = 0;
  for (int64_t size : sizes) {
    out.push_back(narrow(x, axis, begin, size));
    begin += size;
  }
  return out;
}
Arrays chunk(const Array& x, int64_t count, int64_t axis) {
  std::vector<int64_t> sizes;
  for (int64_t left = x.size(axis), size = (left + count - 1) / count; left > 0; left -= size)
    sizes.push_back(std::min(size, left));
  return split(x, sizes, axis);
}
Arrays unstack(const Array& x, int64_t axis) {
  Arrays out;
  for (int64_t i = 0; i < x.size(axis); ++i) out.push_back(select(x, axis, i));
  return out;
}

// --- triangles, diagonals and windows
template <class F>
Array where_offset(const Array& x, const F& keep) {
  return build(x.shape, [&](const Index& i) { return keep(i[i.rank() - 1] - i[i.rank() - 2]) ? x(i) : Real(0); });
}
Array tril(const Array& x, int64_t diagonal) {
  return where_offset(x, [=](int64_t d) { return d <= diagonal; });
}
Array triu(const Array& x, int64_t diagonal) {
  return where_offset(x, [=](int64_t d) { return d >= diagonal; });
}
// Element t, the last axis of i, of a diagonal of the axes a and b lies at t + down along a and t + right along b.
Index on_diagonal(const Index& i, int rank, int a, int b, int64_t offset) {
  int64_t t = i[i.rank() - 1], down = std::max<int64_t>(-offset, 0), right = std::max<int64_t>(offset, 0);
  Index at;
  for (int k = 0, next = 0; k < rank; ++k) at.push_back(k == a ? t + down : k == b ? t + right : i[next++]);
  return at;
}
Array diagonal(const Array& x, int64_t offset, int64_t first, int64_t second) {
  int a = from_start(first, x.rank()), b = from_start(second, x.rank());
  Shape y;
  for (int k = 0; k < x.rank(); ++k)
    if (k != a && k != b) y.push_back(x.shape[k]);
  int64_t down = std::max<int64_t>(-offset, 0), right = std::max<int64_t>(offset, 0);
  y.push_back(std::max<int64_t>(0, std::min(x.shape[a] - down, x.shape[b] - right)));
  return build(y, [&](const Index& i) { return x(on_diagonal(i, x.rank(), a, b, offset)); });
}
Array place_diagonal(const Array& x, const Shape& y, int64_t offset, int64_t a, int64_t b) {
  return scatter(x, y, [&](const Index& i) {
    return on_diagonal(i, y.rank(), from_start(a, y.rank()), from_start(b, y.rank()), offset);
  });
}
// Where element [.., window, .., place in it] of the windows of axis k is in x.
Index in_window(Index i, int k, int64_t step) {
  i[k] = i[k] * step + i[i.rank() - 1];
  i.erase(i.rank() - 1);
  return i;
}
Array unfold(const Array& x, int64_t axis, int64_t size, int64_t step) {
  int k = from_start(axis, x.rank());
  Shape y = x.shape;
  y[k] = (y[k] - size) / step + 1;
  y.push_back(size);
  return build(y, [&](const Index& i) { return x(in_window(i, k, step)); });
}
Array fold(const Array& x, int64_t axis, int64_t length, int64_t step) {
  Shape y = x.shape;
  y.erase(y.rank() - 1);
  y[static_cast<int>(axis)] = length;
  return scatter(x, y, [&](const Index& i) { return in_window(i, static_cast<int>(axis), step); });
}
Array sum_to(const Array& x, const Shape& y) {
  return scatter(x, y, [&](const Index& i) { return aligned(i, y); });
}
Array expand(const Array& x, const Shape& y) {
  return build(y, [&](const Index& i) { return x.spread(i); });
}

}  // namespace
}  // namespace slow

namespace random_program {
namespace {

std::tuple<Shape> another_shape(Pick& p) {
  Shape y;
  int64_t left = heed::element_count(p.any());
  for (int64_t d : {2, 3, 2, 3})
    if (left > 1 && left % d == 0 && p.coin()) {
      y.insert(static_cast<int>(p.below(y.rank() + 1)), d);
      left /= d;
    }
  if (left != 1 || p.coin(0.2)) y.push_back(left);
  if (y.rank() > 0 && left > 0 && p.coin(0.3)) y[static_cast<int>(p.below(y.rank()))] = -1;
  return {y};
}
std::tuple<Dims> permutation(Pick& p) {
  Dims order;
  for (int k = 0, rank = p.any().rank(); k < rank; ++k) order.insert(static_cast<int>(p.below(k + 1)), k);
  return {order};
}
std::tuple<int64_t> axis(Pick& p) { return {p.axis(p.any(1))}; }
std::tuple<int64_t, int64_t> two_axes(Pick& p) {
  Shape x = p.any(1);
  return {p.axis(x), p.axis(x)};
}
std::tuple<int64_t> diagonal_number(Pick& p) {
  p.any(2);
  return {p.between(-2, 2)};
}
std::tuple<> nothing(Pick& p) {
  p.any();
  return {};
}
using std::tuple;

}  // namespace

std::vector<Operation> shape_operations() {
  return {
      op("reshape", heed::reshape, slow::reshape, another_shape),
      op("transpose", heed::transpose, slow::transpose, two_axes),
      op("permute", heed::permute, slow::permute, permutation),
      op("movedim", heed::movedim, slow::movedim, two_axes),
      op("squeeze", heed::squeeze, slow::squeezed, axis),
      op("unsqueeze", heed::unsqueeze, slow::unsqueeze, [](Pick& p) { return tuple{p.below(p.any(0, 3).rank() + 1)}; }),
      op(
          "contiguous", heed::contiguous, +[](A x) { return x; }, nothing),
      op(
          "detach", +[](V x) { return x.detach(); }, +[](A x) { return slow::map(x, slow::constant_of); }, nothing),
      op("slice", heed::slice, slow::slice,
         [](Pick& p) {
           auto [x, k, n] = p.any_axis();
           int64_t begin = p.between(0, n), end = p.between(begin, n);
           return tuple{k, begin, end, p.between(1, 3)};
         }),
      op("narrow", heed::narrow, slow::narrow,
         [](Pick& p) {
           auto [x, k, n] = p.any_axis();
           int64_t begin = p.between(0, n);
           return tuple{k, begin, p.between(0, n - begin)};
         }),
      op("select", heed::select, slow::select,
         [](Pick& p) {
           auto [x, k, n] = p.any_axis();
           int64_t at = p.below(n);
           return tuple{k, p.coin(0.3) ? at - n : at};
         }),
      op("place", heed::place, slow::place,
         [](Pick& p) {
           auto [x, k, n] = p.any_axis();
           int64_t begin = p.below(3), step = p.between(1, 2);
           return tuple{k, begin, step, (n == 0 ? begin : begin + step * (n - 1)) + 1 + p.below(2)};
         }),
      op("concat", heed::concat, slow::concat,
         [](Pick& p) {
           Shape x = p.any(1);
           int64_t k = p.axis(x), more = p.below(3);
           for (int64_t n = 0; n < more; ++n) {
             Shape part = x;
             if (p.coin()) part[slow::from_start(k, x.rank())] = p.between(1, 3);
             p.of(part);
           }
           return tuple{k};
         }),
      op("stack", heed::stack, slow::stack,
         [](Pick& p) {
           Shape x = p.any(0, 3);
           for (int64_t more = p.below(3); more > 0; --more) p.of(x);
           return tuple{p.between(0, x.rank())};
         }),
      op("split", heed::split, slow::split,
         [](Pick& p) {
           auto [x, k, n] = p.any_axis();
           int64_t first = p.between(0, n), second = p.between(0, n - first);
           return tuple{std::vector<int64_t>{first, second, n - first - second}, k};
         }),
      op("chunk", heed::chunk, slow::chunk,
         [](Pick& p) {
           auto [x, k, n] = p.any_axis();
           if (n == 0) throw Unfit();
           return tuple{p.between(1, 3), k};
         }),
      op("unstack", heed::unstack, slow::unstack,
         [](Pick& p) {
           auto [x, k, n] = p.any_axis();
           if (n == 0) throw Unfit();
           return tuple{k};
         }),
      op("flip", heed::flip, slow::flip, [](Pick& p) { return tuple{Dims{p.axis(p.any(1))}}; }),
      op("roll", heed::roll, slow::roll,
         [](Pick& p) {
           Dims axes{p.axis(p.any(1))};
           return tuple{Dims{p.between(-5, 5)}, axes};
         }),
      op(
          "pad",
          +[](V x, int64_t k, int64_t before, int64_t after, double value) {
            return heed::pad(x, {{.axis = k, .before = before, .after = after}}, value);
          },
          slow::pad,
          [](Pick& p) {
            auto [x, k, n] = p.any_axis();
            int64_t before = p.between(-1, 2), after = p.between(-1, 2);
            if (n + before + after < 0 || n + std::min(before, after) < 0) throw Unfit();
            return tuple{k, before, after, p.number(-1, 1)};
          }),
      op("tril", heed::tril, slow::tril, diagonal_number),
      op("triu", heed::triu, slow::triu, diagonal_number),
      op("diagonal", heed::diagonal, slow::diagonal,
         [](Pick& p) {
           Shape x = p.any(2);
           int64_t offset = p.between(-2, 2), a = p.axis(x), b = p.axis(x);
           if (slow::from_start(a, x.rank()) == slow::from_start(b, x.rank())) throw Unfit();
           return tuple{offset, a, b};
         }),
      op("place_diagonal", heed::place_diagonal, slow::place_diagonal,
         [](Pick& p) {
           Shape x = p.any(1, 3), y = x;
           int64_t offset = p.between(-1, 1), side = x[x.rank() - 1];
           y[y.rank() - 1] = side + std::max<int64_t>(-offset, 0);
           y.push_back(side + std::max<int64_t>(offset, 0));
           return tuple{y, offset, int64_t{-2}, int64_t{-1}};
         }),
      op("unfold", heed::unfold, slow::unfold,
         [](Pick& p) {
           auto [x, k, n] = p.any_axis(3);
           int64_t size = p.between(1, n);
           return tuple{k, size, p.between(1, 2)};
         }),
      op("fold", heed::fold, slow::fold,
         [](Pick& p) {
           Shape x = p.any(2);
           int last = x.rank() - 1;
           int64_t k = p.below(last), step = p.between(1, 2), windows = x[static_cast<int>(k)];
           if (windows == 0 || x[last] == 0) throw Unfit();
           return tuple{k, (windows - 1) * step + x[last] + p.below(step), step};
         }),
      op("sum_to", heed::sum_to, slow::sum_to, [](Pick& p) { return tuple{p.smaller(p.any())}; }),
      op("expand", heed::expand, slow::expand,
         [](Pick& p) {
           Shape y = p.any(0, 3);
           for (int k = 0; k < y.rank(); ++k)
             if (y[k] == 1) y[k] = p.between(1, 3);
           if (p.coin(0.3)) y.insert(0, p.between(1, 2));
           return tuple{y};
         }),
  };
}

}  // namespace random_program
