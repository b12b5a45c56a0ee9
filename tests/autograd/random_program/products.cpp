// Matrix products, contractions and attention of random programs.
#include <map>

#include "tests/autograd/random_program/operations.h"

namespace random_program {
namespace {

using slow::Index;
using std::tuple;

// sum over k of a[.., i, k] b[.., k, j], with vectors as rows at the left and columns at the right.
Array product(const Array& left, const Array& right) {
  Array a = left, b = right;
  bool row = a.shape.rank() == 1, column = b.shape.rank() == 1;
  if (row) a.shape.insert(0, 1);
  if (column) b.shape.insert(1, 1);
  auto outer = [](const Array& x) {
    Shape s = x.shape;
    s.erase(s.rank() - 1);
    s.erase(s.rank() - 1);
    return s;
  };
  Shape y = slow::broadcast(outer(a), outer(b));
  int batch = y.rank();
  y.push_back(a.shape[a.shape.rank() - 2]);
  y.push_back(b.shape[b.shape.rank() - 1]);
  int64_t inner = a.shape[a.shape.rank() - 1];
  Array out = slow::build(y, [&](const Index& i) {
    Real s = 0;
    for (int64_t k = 0; k < inner; ++k) {
      Index from = i, to = i;
      from[batch + 1] = k;
      to[batch] = k;
      s = s + a.spread(from) * b.spread(to);
    }
    return s;
  });
  if (column) out.shape.erase(out.shape.rank() - 1);
  if (row) out.shape.erase(out.shape.rank() - 1 - (column ? 0 : 1));
  return out;
}

Array affine(Slow in) {  // x W^T + b
  Array turned = slow::build({in[1].shape[1], in[1].shape[0]}, [&](const Index& i) { return in[1]({i[1], i[0]}); });
  Array y = product(in[0], turned);
  return in.size() < 3 ? y : slow::map(y, in[2], [](Real a, Real b) { return a + b; });
}

// y[result] = sum over all other letters of the product of the operands, for "ab,bc->ac".
Array contraction(Slow in, const std::string& equation) {
  std::vector<std::string> operands{""};
  size_t arrow = equation.find("->");
  for (char c : equation.substr(0, arrow))
    if (c == ',')
      operands.emplace_back();
    else
      operands.back() += c;
  std::string result = equation.substr(arrow + 2), all;
  std::map<char, int64_t> sizes;
  for (size_t n = 0; n < operands.size(); ++n)
    for (size_t k = 0; k < operands[n].size(); ++k) sizes[operands[n][k]] = in[n].shape[static_cast<int>(k)];
  for (auto [c, size] : sizes) all += c;
  auto index_of = [](const std::string& letters, const std::map<char, int64_t>& at) {
    Index i;
    for (char c : letters) i.push_back(at.at(c));
    return i;
  };
  Array y = slow::filled(index_of(result, sizes), 0);
  slow::each_index(index_of(all, sizes), [&](const Index& i) {
    std::map<char, int64_t> at;
    for (size_t k = 0; k < all.size(); ++k) at[all[k]] = i[static_cast<int>(k)];
    Real term = 1;
    for (size_t n = 0; n < operands.size(); ++n) term = term * in[n](index_of(operands[n], at));
    Real& e = y(index_of(result, at));
    e = e + term;
  });
  return y;
}
tuple<std::string> some_equation(Pick& p) {
  std::map<char, int64_t> sizes;
  std::string equation, result;
  for (int64_t n = 0, count = p.between(1, 3); n < count; ++n) {
    Shape shape;
    if (n > 0) equation += ',';
    for (int64_t rank = p.between(n == 0, 3); rank > 0; --rank) {
      char c = static_cast<char>('a' + p.below(4));
      if (!sizes.count(c)) {
        sizes[c] = p.between(1, 3);
        if (p.coin()) result += c;
      }
      equation += c;
      shape.push_back(sizes[c]);
    }
    p.of(shape);
  }
  return {equation + "->" + result};
}

// softmax over s of (scale q . k + bias), where allowed, times v; head h reads group h / (H / G).
using Tiles = heed::AttentionTiles;
Array attention(Slow in, const Tiles& o) {
  const Array &q = in[0], &k = in[1], &v = in[2];  // [B, T, H, K], [B, S, G, K], [B, S, G, V]
  int64_t H = q.shape[2], S = k.shape[1], G = k.shape[2], width = v.shape[3];
  Array y = slow::filled({q.shape[0], q.shape[1], H, width}, 0);
  slow::each_index({q.shape[0], q.shape[1], H}, [&](const Index& i) {
    int64_t b = i[0], t = i[1], h = i[2], g = h / (H / G);
    slow::Row scores;
    for (int64_t s = 0; s < S; ++s) {
      bool seen = (!o.causal || s <= o.first + t) && (!o.allowed.defined() || at(o.allowed, {b, h, t, s}) != 0);
      seen = seen && s >= o.first + t - o.left && s <= o.first + t + o.right;
      if (int64_t n = o.blocks.size; n > 0) seen = seen && o.blocks.keep.at({t / n, s / n}) != 0;
      Real score = o.bias.defined() ? Real(at(o.bias, {b, h, t, s})) : Real(0);
      for (int64_t e = 0; e < q.shape[3]; ++e) score = score + o.scale * (q({b, t, h, e}) * k({b, s, g, e}));
      scores.push_back(seen ? score : Real(-INFINITY));
    }
    slow::Row w = softmax(scores);
    for (int64_t e = 0; e < width; ++e)
      for (int64_t s = 0; s < S; ++s)
        if (scores[static_cast<size_t>(s)].v() > -INFINITY)
          y({b, t, h, e}) = y({b, t, h, e}) + w[static_cast<size_t>(s)] * v({b, s, g, e});
  });
  return y;
}
tuple<Tiles> some_tiles(Pick& p) {
  int64_t B = p.between(1, 2), T = p.between(1, 3), G = p.between(1, 2), H = G * p.between(1, 2), S = p.between(1, 4);
  int64_t K = p.between(1, 2);
  p.of({B, T, H, K});
  p.of({B, S, G, K});
  p.of({B, S, G, p.between(1, 2)});
  Tiles o{.scale = p.number(0.3, 1.2), .causal = p.coin(0.3), .first = p.below(2)};
  o.query_block = p.below(3);
  o.key_block = p.below(3);
  if (p.coin(0.2)) o.left = p.below(3);
  if (p.coin(0.2)) o.right = p.below(3);
  if (p.coin(0.2)) {
    int64_t n = o.blocks.size = p.between(1, 3);
    o.blocks.keep = p.bools({(T + n - 1) / n, (S + n - 1) / n}, 0.7);
  }
  if (p.coin(0.3)) o.allowed = p.bools(p.smaller({B, H, T, S}), 0.7);
  if (p.coin(0.3)) {
    Shape shape = p.smaller({B, H, T, S});
    std::vector<double> values;
    for (int64_t n = heed::element_count(shape); n > 0; --n) values.push_back(p.number(-1, 1));
    o.bias = Tensor::from(values, shape);
  }
  return {o};
}
template <Variable (*kF)(V, V, V, const Tiles&)>
Variable tiled(In in, const Tiles& given) {
  Tiles o = given;
  if (o.bias.defined()) o.bias = o.bias.to(in[0].dtype());
  return kF(in[0], in[1], in[2], o);
}

}  // namespace

std::string str(const Tiles& o) {
  return "scale " + str(o.scale) + (o.causal ? ", causal" : "") + ", window " + str(Dims{o.left, o.right}) + " from " +
         str(o.first) + ", list " + str(o.blocks.size) + " " + str(o.blocks.keep) + ", allowed " + str(o.allowed) +
         ", bias " + str(o.bias) + ", blocks " + str(Dims{o.query_block, o.key_block});
}

std::vector<Operation> product_operations() {
  return {
      op("matmul", heed::matmul, product,
         [](Pick& p) {
           Shape a = p.any(1, 3), b{a[a.rank() - 1]};
           if (p.coin(0.85)) b.push_back(p.between(1, 4));
           if (b.rank() == 2 && p.coin(0.4))
             b.insert(0, a.rank() == 3 && a[0] != 1 ? (p.coin() ? a[0] : 1) : p.between(1, 2));
           p.of(b);
           return tuple{};
         }),
      op(
          "linear", +[](In in) { return heed::linear(in[0], in[1], in.size() > 2 ? in[2] : Variable()); }, affine,
          [](Pick& p) {
            Shape x = p.any(1, 3), w = p.of({p.between(1, 4), x[x.rank() - 1]});
            if (p.coin()) p.of({w[0]});
            return tuple{};
          }),
      op(
          "einsum", +[](In in, const std::string& equation) { return heed::einsum(equation, in); }, contraction,
          some_equation),
      op("tiled_attention", tiled<heed::tiled_attention>, attention, some_tiles),
      op("tiled_attention_composed", tiled<heed::tiled_attention_composed>, attention, some_tiles),
  };
}

}  // namespace random_program
