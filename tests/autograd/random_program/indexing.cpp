// Picking by index and ordering, in random programs.
#include "tests/autograd/random_program/operations.h"

namespace slow {
namespace {

using heed::Tensor;

int64_t entry(const Tensor& ids, const Index& i) { return static_cast<int64_t>(random_program::at(ids, i)); }
Index with(Index i, int k, int64_t value) {
  i[k] = value;
  return i;
}
// The axes from `from` on, `count` of them.
Index part(const Index& i, int from, int count) {
  Index out;
  for (int k = 0; k < count; ++k) out.push_back(i[from + k]);
  return out;
}

Array index_select(const Array& x, int64_t axis, const Tensor& ids) {
  int k = from_start(axis, x.rank());
  Shape y = part(x.shape, 0, k);
  for (int64_t n : ids.shape()) y.push_back(n);
  for (int d = k + 1; d < x.rank(); ++d) y.push_back(x.shape[d]);
  return build(y, [&](const Index& i) {
    Index from = part(i, 0, k);
    from.push_back(entry(ids, part(i, k, ids.rank())));
    for (int d = k + ids.rank(); d < i.rank(); ++d) from.push_back(i[d]);
    return x(from);
  });
}
Array index_add(const Array& x, const Tensor& ids, int64_t size) {
  return scatter(x, with(x.shape, 0, size), [&](const Index& i) { return with(i, 0, entry(ids, {i[0]})); });
}
Array gather(const Array& x, int64_t axis, const Tensor& ids) {
  return build(ids.shape(), [&](const Index& i) { return x(with(i, from_start(axis, x.rank()), entry(ids, i))); });
}
Array scatter_add(const Array& x, const Array& src, int64_t axis, const Tensor& ids) {
  Array y = map(x, copy);
  each_index(ids.shape(), [&](const Index& i) {
    Real& e = y(with(i, from_start(axis, x.rank()), entry(ids, i)));
    e = e + src(i);
  });
  return y;
}
Array scatter_last(const Array& x, const Tensor& ids, int64_t size) {
  int k = x.rank() - 1;
  return scatter(x, with(x.shape, k, size), [&](const Index& i) { return with(i, k, entry(ids, i)); });
}
Array embedding(const Array& table, const Tensor& ids, int64_t padding) {  // the padding's row gets no gradient
  Shape y = ids.shape();
  y.push_back(table.shape[1]);
  return build(y, [&](const Index& i) {
    int64_t row = entry(ids, part(i, 0, i.rank() - 1));
    Real e = table({row, i[i.rank() - 1]});
    return row == padding ? constant_of(e) : e;
  });
}
Array topk(const Array& x, int64_t k, int64_t axis, bool descending) {
  return along(x, axis, k, [&](Row row) {
    for (size_t i = 0; i < row.size(); ++i)
      for (size_t j = 0; j < i; ++j) (void)less(row[i], row[j]);  // none may be nearly equal
    std::stable_sort(row.begin(), row.end(),
                     [&](Real a, Real b) { return descending ? b.v() < a.v() : a.v() < b.v(); });
    row.resize(static_cast<size_t>(k));
    return row;
  });
}
Array sort(const Array& x, int64_t axis, bool descending) { return topk(x, x.size(axis), axis, descending); }

}  // namespace
}  // namespace slow

namespace random_program {
namespace {

using slow::from_start;
using std::tuple;

// A shape within x, of `size` along the axis.
Shape within(Pick& p, const Shape& x, int64_t axis, int64_t size) {
  Shape y = x;
  for (int k = 0; k < y.rank(); ++k) y[k] = k == from_start(axis, x.rank()) ? size : std::min(x[k], p.between(1, 4));
  return y;
}

}  // namespace

std::vector<Operation> indexing_operations() {
  return {
      op(
          "index_select", +[](V x, int64_t axis, const Tensor& ids) { return index_select(x, axis, ids); },
          slow::index_select,
          [](Pick& p) {
            auto [x, k, n] = p.any_axis(3);
            return tuple{k, p.ids(p.shape(0, 2), n)};
          }),
      op(
          "index_select", +[](V x, const Tensor& ids) { return index_select(x, ids); },
          +[](A x, const Tensor& ids) { return slow::index_select(x, 0, ids); },
          [](Pick& p) {
            Shape x = p.any(1, 3);
            return tuple{p.ids(p.shape(0, 2), x[0])};
          }),
      op("index_add", heed::index_add, slow::index_add,
         [](Pick& p) {
           Shape x = p.any(1, 3);
           int64_t size = p.between(1, 4);
           return tuple{p.ids({x[0]}, size), size};
         }),
      op(
          "gather", +[](V x, int64_t axis, const Tensor& ids) { return gather(x, axis, ids); }, slow::gather,
          [](Pick& p) {
            auto [x, k, n] = p.any_axis();
            return tuple{k, p.ids(within(p, x, k, p.between(0, 4)), n)};
          }),
      op(
          "scatter_add", +[](V x, V src, int64_t axis, const Tensor& ids) { return scatter_add(x, axis, ids, src); },
          slow::scatter_add,
          [](Pick& p) {
            auto [x, k, n] = p.any_axis();
            Shape src = p.of(within(p, x, k, p.between(1, 4)));
            return tuple{k, p.ids(within(p, src, k, p.between(1, src[from_start(k, x.rank())])), n)};
          }),
      op(
          "scatter_add", +[](V x, const Tensor& ids, int64_t size) { return scatter_add(x, ids, size); },
          slow::scatter_last,
          [](Pick& p) {
            Shape x = p.any(1);
            int64_t size = p.between(1, 4);
            return tuple{p.ids(x, size), size};
          }),
      op("embedding", heed::embedding, slow::embedding,
         [](Pick& p) {
           Shape table = p.any(2, 2);
           Tensor ids = p.ids(p.shape(0, 2), table[0]);
           return tuple{ids, p.coin() ? -1 : p.below(table[0])};
         }),
      op(
          "sort", +[](V x, int64_t axis, bool down) { return sort(x, axis, {.descending = down}).values; }, slow::sort,
          [](Pick& p) {
            return tuple{p.axis(p.any(1)), p.coin()};
          }),
      op(
          "topk", +[](V x, int64_t k, int64_t axis, bool down) { return topk(x, k, axis, {.largest = down}).values; },
          slow::topk,
          [](Pick& p) {
            auto [x, axis, n] = p.any_axis();
            return tuple{p.between(0, n), axis, p.coin()};
          }),
  };
}

}  // namespace random_program
