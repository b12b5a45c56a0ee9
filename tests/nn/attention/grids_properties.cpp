// What the mixers of pictures (nn/attention/grids) hold: regions against masks, borders, positions, gates.
#include <cmath>
#include <set>

#include "nn/attention/grids/cbam.h"
#include "nn/attention/grids/coordinate.h"
#include "nn/attention/grids/criss_cross.h"
#include "nn/attention/grids/cross_stripes.h"
#include "nn/attention/grids/deformable.h"
#include "nn/attention/grids/eca.h"
#include "nn/attention/grids/focal.h"
#include "nn/attention/grids/global_context.h"
#include "nn/attention/grids/grid_attention.h"
#include "nn/attention/grids/lambda_layer.h"
#include "nn/attention/grids/neighbourhood.h"
#include "nn/attention/grids/non_local.h"
#include "nn/attention/grids/outlook.h"
#include "nn/attention/grids/shifted_window.h"
#include "nn/attention/grids/swin_v2.h"
#include "nn/cases/small_stages.h"
#include "tests/nn/attention/mixer_reference.h"

namespace heed::nn_test {
namespace {

using nn::CatalogueEntry;

Variable pixels(int64_t R, int64_t C, int64_t B = 2) { return leaf({B, R, C, kWidth}, 31, kF64); }

// A mixer of width 4 with two heads in evaluation, all of its parameters drawn.
template <class M>
struct OnGrid {
  explicit OnGrid(const std::string& text, int64_t layer = 0, bool fresh = false) {
    nn::MixerOptions o = nn::stage_from(nn::Kind::mixer, text);
    o.query = o.key = kWidth, o.heads = 2, o.layer = layer, o.layers = 2;
    Generator rng(5);
    held = nn::make_mixer(o, rng);
    nn::convert(*held, kF64);
    nn::set_training(*held, false);
    uint64_t seed = 60;
    if (!fresh)
      for (auto& p : nn::named_parameters(*held)) p.variable.set_value(random(p.variable.shape(), ++seed, kF64));
  }
  Tensor operator()(const Variable& x) const { return get().picture(x).value(); }
  M& get() const { return dynamic_cast<M&>(*held); }
  M* operator->() const { return &get(); }
  std::unique_ptr<nn::Mixer> held;
};

template <class M>
void copy_heads(const OnGrid<M>& to, const nn::GridHeads& from) {
  set(to->heads.in_proj.weight, from.in_proj.weight.value()), set(to->heads.in_proj.bias, from.in_proj.bias.value());
  set(to->heads.out_proj.weight, from.out_proj.weight.value()),
      set(to->heads.out_proj.bias, from.out_proj.bias.value());
}

void zero(Variable& p) { p.set_value(Tensor::zeros(p.shape(), p.dtype())); }

struct Pair {
  int64_t row, column, to_row, to_column;  // a place, and one that it may read
};
using Score = std::function<double(int64_t head, const Pair&)>;  // what is added to q k^T; -inf: may not read it
constexpr double kNo = -HUGE_VAL;
double allowed_if(bool yes) { return yes ? 0 : kNo; }

// softmax(q k^T + score) v over all pairs of places of a picture; q, k, v [B, H, R C, K].
Variable by_mask(const Variable& q, const Variable& k, const Variable& v, int64_t C, const Score& score) {
  const int64_t H = q.size(1), T = q.size(2);
  Tensor bias = Tensor::zeros({1, H, T, T}, kF64);
  for (int64_t h = 0; h < H; ++h)
    for (int64_t t = 0; t < T; ++t)
      for (int64_t s = 0; s < T; ++s) bias.set({0, h, t, s}, score(h, {t / C, t % C, s / C, s % C}));
  return matmul(softmax(matmul(q, transpose(k, -2, -1)) + Variable(bias)), v);
}
Tensor by_mask(const nn::GridHeads& heads, const Variable& x, const Score& score) {
  nn::GridHeads::Read r = heads(x);
  return heads.output(by_mask(r.q * nn::GridHeads::scale(r), r.k, r.v, x.size(2), score), x).value();
}
void agree(const Tensor& a, const Tensor& b, double tol = 1e-12) {
  REQUIRE(a.shape() == b.shape());
  CHECK(relative_error(a, b) < tol);
}

// Windows of M places of an axis of `length` that begin at `shift`, the first cut off.
bool same_window(int64_t a, int64_t b, int64_t length, int64_t M, int64_t shift) {
  return M >= length || (a - shift + M) / M == (b - shift + M) / M;
}

// Swin's program: in a picture of at most M rows or columns the windows are as small as that, and do not move. A row or
// a column of places is a sentence, which is cut as it is.
struct SwinWindow {
  SwinWindow(int64_t M, int64_t R, int64_t C, int64_t layer) : size(M), shift(layer * (M / 2)) {
    if (std::min(R, C) > 1 && std::min(R, C) <= M) size = std::min(R, C), shift = 0;
  }
  int64_t size, shift;
};

void windows_are_masks(const std::string& size, int64_t M, int64_t R, int64_t C) {
  for (int64_t layer : {0, 1}) {
    const SwinWindow w(M, R, C, layer);
    OnGrid<nn::ShiftedWindow> m("shifted_window:window=" + size, layer);
    Tensor table = m->table.value();
    agree(m(pixels(R, C)), by_mask(m->heads, pixels(R, C), [&](int64_t h, const Pair& p) {
            if (!same_window(p.row, p.to_row, R, w.size, w.shift)) return kNo;
            if (!same_window(p.column, p.to_column, C, w.size, w.shift)) return kNo;
            return table.at({(p.row - p.to_row + M - 1) * (2 * M - 1) + p.column - p.to_column + M - 1, h});
          }));
  }
}
void swin_v2_windows_are_masks(const std::string& size, int64_t M, int64_t R, int64_t C) {
  OnGrid<nn::SwinV2> m("swin_v2:window=" + size + ",hidden=3,norm=0", 1);
  const SwinWindow w(M, R, C, 1);
  M = w.size;
  Tensor table = m->table(M).value();
  nn::GridHeads::Read r = m->read(pixels(R, C));
  Variable context = by_mask(r.q, r.k, r.v, C, [&](int64_t h, const Pair& p) {
    if (!same_window(p.row, p.to_row, R, M, w.shift) || !same_window(p.column, p.to_column, C, M, w.shift)) return kNo;
    return table.at({(p.row - p.to_row + M - 1) * (2 * M - 1) + p.column - p.to_column + M - 1, h});
  });
  agree(nn::places_of(Variable(m(pixels(R, C)))).value(), m->out_proj(nn::join_heads(context)).value());
}
void grids_are_masks(const std::string& size, int64_t G, int64_t R, int64_t C) {
  OnGrid<nn::GridAttention> m("grid:grid=" + size);
  Tensor table = m->table.value();
  const int64_t down = (R + G - 1) / G, right = (C + G - 1) / G;  // how far apart
  agree(m(pixels(R, C)), by_mask(m->heads, pixels(R, C), [&](int64_t h, const Pair& p) {
          if ((p.row - p.to_row) % down != 0 || (p.column - p.to_column) % right != 0) return kNo;
          const int64_t a = (p.row - p.to_row) / down + G - 1, b = (p.column - p.to_column) / right + G - 1;
          return table.at({a * (2 * G - 1) + b, h});
        }));
}
void neighbours_are_masks(const std::string& size, int64_t k, int64_t R, int64_t C) {
  for (bool causal : {false, true}) {
    OnGrid<nn::Neighbourhood> m("neighbourhood:window=" + size + (causal ? ",causal_rows=1" : ""));
    auto near = [k](int64_t i, int64_t j, int64_t length, bool from_above) {
      if (from_above) return j <= i && j > i - k;
      const int64_t first = std::clamp<int64_t>(i - k / 2, 0, std::max<int64_t>(length - k, 0));
      return j >= first && j < first + k;
    };
    agree(m(pixels(R, C)), by_mask(m->heads, pixels(R, C), [&](int64_t, const Pair& p) {
            return allowed_if(near(p.row, p.to_row, R, causal) && near(p.column, p.to_column, C, false));
          }));
  }
}
void stripes_are_masks(const std::string& size, int64_t s, int64_t R, int64_t C) {
  OnGrid<nn::CrossStripes> m("cross_stripes:stripe=" + size);
  for (Variable* p : {&m->vertical.weight, &m->vertical.bias, &m->horizontal.weight, &m->horizontal.bias}) zero(*p);
  agree(m(pixels(R, C)), by_mask(m->heads, pixels(R, C), [&](int64_t h, const Pair& p) {
          return allowed_if(h == 0 ? p.column / s == p.to_column / s : p.row / s == p.to_row / s);
        }));
}
void crosses_are_masks(int64_t R, int64_t C) {
  OnGrid<nn::CrissCross> m("criss_cross:passes=1");
  Variable x = pixels(R, C), flat = unsqueeze(nn::places_of(x), 1);
  Variable read = by_mask(m->query(flat), m->key(flat), m->value(flat), C, [](int64_t, const Pair& p) {
    return allowed_if(p.row == p.to_row || p.column == p.to_column);
  });
  agree(m(x), (x + m->gamma * nn::rows_of(squeeze(read, 1), R, C)).value());
}

void fine_windows_are_masks(const std::string& size, int64_t M, int64_t R, int64_t C) {
  OnGrid<nn::Focal> m("focal:ring=0,pooled=0,window=" + size);
  Tensor table = m->table.value();
  agree(m(pixels(R, C)), by_mask(m->heads, pixels(R, C), [&](int64_t h, const Pair& p) {
          if (p.row / M != p.to_row / M || p.column / M != p.to_column / M) return kNo;
          return table.at({(p.row - p.to_row + M - 1) * (2 * M - 1) + p.column - p.to_column + M - 1, h});
        }));
}

// What is computed region by region is attention to all places under a mask, on pictures that no region divides.
PROPERTY(regions_are_masks) {
  for (auto [R, C] : {std::pair<int64_t, int64_t>{3, 5}, {4, 7}, {6, 2}, {1, 5}})
    for (int64_t size : {1, 2, 3, 4}) {
      const std::string text = std::to_string(size);
      if (entry.name == "shifted_window") windows_are_masks(text, size, R, C);
      if (entry.name == "swin_v2") swin_v2_windows_are_masks(text, size, R, C);
      if (entry.name == "grid") grids_are_masks(text, size, R, C);
      if (entry.name == "neighbourhood") neighbours_are_masks(text, size, R, C);
      if (entry.name == "cross_stripes") stripes_are_masks(text, size, R, C);
      if (entry.name == "focal") fine_windows_are_masks(text, size, R, C);
      if (entry.name == "criss_cross") crosses_are_masks(R, C);
    }
}

// --- M7, M12, M8 ---
// If one window covers the picture, it is full attention; otherwise places of another window have no influence.
PROPERTY(a_window_of_the_whole_picture_is_attention) {
  for (const char* window : {"5", "8"}) {
    OnGrid<nn::ShiftedWindow> m(std::string("shifted_window:window=") + window, 1);  // such a window is not shifted
    Variable x = pixels(5, window[0] == '5' ? 5 : 1);
    zero(m->table);
    nn::GridHeads::Read r = m->heads(x);
    agree(m(x), m->heads.output(full_attention(r.q, r.k, r.v), x).value());
    m->table.set_value(Tensor::full(m->table.shape(), 3, kF64));  // the same for all keys
    agree(m(x), m->heads.output(full_attention(r.q, r.k, r.v), x).value());
    // Of 3 x 5 places a window has 3 x 3: the fourth column is in the second window.
    const Tensor wide = m(pixels(3, 5)), narrow = m(slice(pixels(3, 5), 2, 0, 3));
    agree(wide.slice(2, 0, 3).contiguous(), narrow);
  }
}

// The places whose x changes what is computed at one place.
std::set<int64_t> read_by(const std::function<Variable(const Variable&)>& f, int64_t R, int64_t C, int64_t at) {
  Variable x = pixels(R, C, 1);
  backward(sum(square(slice(nn::places_of(f(x)), 1, at, at + 1))));
  Tensor g = reshape(Variable(x.grad()), {R * C, kWidth}).value();
  std::set<int64_t> read;
  for (int64_t t = 0; t < R * C; ++t)
    if (!all_zero(g.slice(0, t, t + 1).contiguous())) read.insert(t);
  return read;
}

// The grid alone reaches a few places that lie far apart; after a layer of windows the two reach every place.
PROPERTY(windows_and_a_grid_reach_every_place) {
  OnGrid<nn::ShiftedWindow> window("shifted_window:window=2");
  OnGrid<nn::GridAttention> grid("grid:grid=3"), alone("grid:grid=1");  // 4 x 6: places 2 rows and 2 columns apart
  for (int64_t t = 0; t < 24; ++t) {
    CHECK(read_by([&](const Variable& x) { return grid->picture(x); }, 4, 6, t).size() == 6);
    CHECK(read_by([&](const Variable& x) { return grid->picture(window->picture(x)); }, 4, 6, t).size() == 24);
    CHECK(read_by([&](const Variable& x) { return alone->picture(x); }, 4, 6, t) == std::set<int64_t>{t});
  }
}

// Every place has the same number of neighbours in a large enough picture, as the window moves inwards at the border;
// in causal order the first places have fewer.
PROPERTY(every_place_has_as_many_neighbours) {
  for (int64_t length : {1, 2, 5, 8, 9})
    for (int64_t k : {1, 2, 3, 4, 5})
      for (int64_t d : {1, 2, 3})
        for (bool causal : {false, true}) {
          const auto near = nn::axis_neighbours(length, {k, d, causal});
          REQUIRE(std::ssize(near) == length);
          for (int64_t i = 0; i < length; ++i) {
            const std::vector<int64_t>& of = near[static_cast<size_t>(i)];
            const int64_t alike = (length - i % d + d - 1) / d;  // places with the same remainder
            CHECK(std::ssize(of) == std::min(k, causal ? i / d + 1 : alike));
            CHECK(std::ranges::count(of, i) == 1);
            for (size_t n = 1; n < of.size(); ++n) CHECK(of[n] == of[n - 1] + d);
            CHECK((of.front() >= 0 && of.back() < length));
            if (causal) CHECK(of.back() == i);
            // Away from the border the place is in the middle.
            if (!causal && i - k / 2 * d >= 0 && i + k / 2 * d < length) CHECK(of.front() == i - k / 2 * d);
          }
        }
}

// If the dilated neighbourhood covers all places that are a multiple of the dilation away, it is grid attention.
PROPERTY(dilated_neighbours_are_a_grid) {
  OnGrid<nn::Neighbourhood> near("neighbourhood:window=3,dilation=2");
  OnGrid<nn::GridAttention> grid("grid:grid=3");
  copy_heads(grid, near->heads), zero(grid->table);
  for (int64_t R : {4, 5, 6}) agree(near(pixels(R, 6)), grid(pixels(R, 6)));
}

// --- M15 ---
// Longer queries and shorter keys change nothing, since the score is a cosine, and its learned factor
// stops at a limit.
PROPERTY(lengths_of_queries_and_keys_do_not_matter) {
  OnGrid<nn::SwinV2> m("swin_v2:window=2,hidden=3");
  Variable x = pixels(3, 4);
  const Tensor before = m(x), W = m->in_proj.weight.value();
  Tensor factors = Tensor::ones({3 * kWidth, 1}, kF64);
  for (int64_t i = 0; i < 2 * kWidth; ++i) factors.set({i, 0}, i < kWidth ? 300 : 0.02);
  set(m->in_proj.weight, mul(W, factors)), set(m->q_bias, mul(m->q_bias.value(), 300));
  agree(m(x), before, 1e-10);
  m->tau.set_value(Tensor::full(m->tau.shape(), 50, kF64));  // the factor is 100 at most
  const Tensor capped = m(x);
  m->tau.set_value(Tensor::full(m->tau.shape(), std::log(100.0), kF64));
  agree(m(x), capped);
}

// The bias is a network of logarithmic distances with values between fixed bounds, and the layer begins as published.
PROPERTY(log_spaced_bias_is_bounded) {
  OnGrid<nn::SwinV2> m("swin_v2:window=8,hidden=3");
  Tensor d = m->differences(8).value(), table = m->table(8).value();
  CHECK(d.shape() == Shape{15 * 15, 2});
  const double far = std::log2(9) / 3;  // u = 8 at the end of a window
  CHECK(d.at({0, 0}) == doctest::Approx(-far));
  CHECK(d.at({14, 1}) == doctest::Approx(far));
  CHECK(d.at({7 * 15 + 7, 0}) == 0);
  CHECK(d.at({8 * 15 + 7, 0}) == doctest::Approx(std::log2(1 + 8 / 7.0) / 3));
  CHECK(d.at({8 * 15 + 7, 1}) == 0);
  for (double b : table.to_vector()) CHECK((b > 0 && b < 16));
  zero(m->bias.weight);
  CHECK(m->table(8).value().at({0, 0}) == 8);
  CHECK(m->differences(3).value().at({0, 0}) == doctest::Approx(-far));  // in a picture of 3 x 3 places
  OnGrid<nn::SwinV2> fresh("swin_v2", 0, true);
  CHECK(fresh->tau.value().at({1, 0, 0}) == doctest::Approx(std::log(10.0)));
  CHECK(all_zero(fresh->q_bias.value()));
  CHECK(all_zero(fresh(pixels(3, 5))));  // the gain of the norm begins at 0
}

// --- M6 ---
// One pass reads the row and the column of a place; two passes reach every place of the picture.
PROPERTY(two_passes_reach_every_place) {
  OnGrid<nn::CrissCross> m("criss_cross");
  for (int64_t t = 0; t < 15; ++t) {
    CHECK(read_by([&](const Variable& x) { return m->pass(x); }, 3, 5, t).size() == 7);  // 3 + 5 - 1
    CHECK(read_by([&](const Variable& x) { return m->picture(x); }, 3, 5, t).size() == 15);
  }
}
// Its gate begins at zero, so a new layer returns the picture unchanged, bit by bit.
PROPERTY(gate_of_zero_keeps_the_picture) {
  OnGrid<nn::CrissCross> m("criss_cross", 0, true);
  CHECK(bit_equal(m(pixels(3, 5)), pixels(3, 5).value()));
}

// --- M9 ---
// With offsets of zero every place reads its own value; whole offsets read the value of the place that they point to.
PROPERTY(offsets_of_zero_read_the_place) {
  OnGrid<nn::Deformable> m("deformable:points=3");
  auto& a = m->attention;
  zero(a.offsets.weight), zero(a.offsets.bias);
  for (int64_t R : {1, 3}) agree(m(pixels(R, 5)), a.out_proj(a.value_proj(pixels(R, 5))).value());
  // Whole offsets read another place: one to the right and two up.
  Tensor whole = Tensor::full({12}, 1, kF64);
  for (int64_t i = 1; i < 12; i += 2) whole.set({i}, -2);
  set(a.offsets.bias, whole);
  Tensor y = m(pixels(4, 5)).slice(1, 2, 4).slice(2, 0, 4).contiguous();
  Variable from = slice(slice(pixels(4, 5), 1, 0, 2), 2, 1, 5);
  agree(y, a.out_proj(a.value_proj(from)).value());
}

// A point between places reads their values with bilinear weights, over all levels and without padding, as
// plain loops do.
PROPERTY(points_have_tent_weights) {
  const int64_t H = 2, K = 2, P = 2;
  auto m = drawn<nn::DeformableAttention>({.width = kWidth, .heads = H, .points = P, .levels = 2});
  Variable query = leaf({2, 3, kWidth}, 41, kF64), references = sigmoid(leaf({2, 3, 2}, 42, kF64));
  std::vector<Variable> levels{pixels(3, 5), leaf({2, 2, 1, kWidth}, 43, kF64)};
  std::vector<Tensor> words{Tensor::full({2, 15}, 1, DType::boolean), Tensor::full({2, 2}, 1, DType::boolean)};
  words[0].set({1, 4}, 0), words[0].set({1, 7}, 0);
  Tensor context = Tensor::zeros({2, 3, kWidth}, kF64);
  Tensor w = softmax(reshape(m.weights(query), {2, 3, H, 2 * P})).value();
  Tensor moves = reshape(m.offsets(query), {2, 3, H, 2, P, 2}).value();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 3; ++t)
      for (int64_t n = 0; n < H * 2 * P; ++n) {
        const int64_t h = n / (2 * P), l = n / P % 2, p = n % P;
        const Variable& level = levels[l == 0 ? 0 : 1];
        const int64_t R = level.size(1), C = level.size(2);
        Tensor v = m.value_proj(nn::places_of(level)).value();
        auto centre = [&](int64_t axis, int64_t size) {
          const double at = references.value().at({b, t, axis}) + moves.at({b, t, h, l, p, axis}) / double(size);
          return at * double(size) - 0.5;
        };
        for (int64_t s = 0; s < R * C; ++s) {
          const double tent = std::max(0.0, 1 - std::abs(centre(1, R) - double(s / C))) *
                              std::max(0.0, 1 - std::abs(centre(0, C) - double(s % C)));
          if (words[l == 0 ? 0 : 1].at({b, s}) == 0) continue;
          for (int64_t d = h * K; d < (h + 1) * K; ++d)
            context.set({b, t, d}, context.at({b, t, d}) + w.at({b, t, h, l * P + p}) * tent * v.at({b, s, d}));
        }
      }
  agree(m(query, references, levels, words).value(), m.out_proj(Variable(context)).value());
}

// The points begin on rays around the place, one direction per head, with equal weights, as published.
PROPERTY(points_begin_on_rays) {
  auto m = built<nn::DeformableAttention>({.width = 8, .heads = 8, .points = 3});
  CHECK((all_zero(m.offsets.weight.value()) && all_zero(m.weights.weight.value()) && all_zero(m.weights.bias.value())));
  Tensor rays = reshape(m.offsets.bias, {8, 3, 2}).value();
  const double x[] = {1, 1, 0, -1, -1, -1, 0, 1}, y[] = {0, 1, 1, 1, 0, -1, -1, -1};
  for (int64_t h = 0; h < 8; ++h)
    for (int64_t p = 0; p < 3; ++p) {
      CHECK(std::abs(rays.at({h, p, 0}) - x[h] * double(p + 1)) < 1e-6);
      CHECK(std::abs(rays.at({h, p, 1}) - y[h] * double(p + 1)) < 1e-6);
    }
}

// --- M4, M5 ---
// In each of its forms a new block returns the picture unchanged, since the weights of its norm begin at zero.
PROPERTY(the_picture_is_unchanged_at_the_start) {
  for (const std::string& name : entry.variants) {
    OnGrid<nn::NonLocal> m(name, 0, true);
    CHECK(bit_equal(m(pixels(3, 5)), pixels(3, 5).value()));
    CHECK(all_zero(m->norm.weight.value()));
  }
}
// Without a softmax, keys and values may be multiplied first: one small matrix of all places gives the same result.
PROPERTY(products_without_softmax_are_associative) {
  OnGrid<nn::NonLocal> m("non_local_dot");
  Variable x = pixels(3, 5), flat = nn::places_of(x);
  Variable sums = matmul(transpose(m->phi(flat), 1, 2), m->g(flat)) / 15;  // [B, I, I], of all places
  Variable y = flat + m->norm(m->out_proj(matmul(m->theta(flat), sums)));
  agree(m(x), nn::rows_of(y, 3, 5).value());
}
// Two further forms have the weights of their formulas: a ReLU of query and key side by side, and a softmax of the
// places' own products.
PROPERTY(concatenated_and_gaussian_weights) {
  OnGrid<nn::NonLocal> concat("non_local_concat"), gaussian("non_local_gaussian"), pooled("non_local_gaussian:pool=1");
  Variable x = pixels(3, 5);
  Tensor w = concat->weights(x).value(), t = concat->theta(nn::places_of(x)).value(),
         p = concat->phi(nn::places_of(x)).value(), f = concat->pair_weight.value();
  int positive = 0;
  for (int64_t n = 0; n < 15 * 15; ++n) {
    double e = 0;
    for (int64_t i = 0; i < 2; ++i) e += f.at({i}) * t.at({1, n / 15, i}) + f.at({2 + i}) * p.at({1, n % 15, i});
    positive += e > 0;
    CHECK(w.at({1, n / 15, n % 15}) == doctest::Approx(std::max(e, 0.0) / 15));
  }
  CHECK((positive > 0 && positive < 15 * 15));
  Variable flat = nn::places_of(x);
  agree(gaussian->weights(x).value(), softmax(matmul(flat, transpose(flat, 1, 2))).value());
  CHECK(pooled->weights(x).shape() == Shape{2, 15, 2});  // 3 x 5 places are 1 x 2 maxima
}

// What it adds is one vector, the same at every place; at the start it adds nothing.
PROPERTY(one_vector_for_all_places) {
  OnGrid<nn::GlobalContext> m("global_context"), fresh("global_context", 0, true);
  Variable x = pixels(3, 5);
  Tensor added = sub(nn::places_of(Variable(m(x))).value(), nn::places_of(x).value());
  for (int64_t t = 1; t < 15; ++t) agree(added.slice(1, t, t + 1).contiguous(), added.slice(1, 0, 1).contiguous());
  CHECK_FALSE(all_zero(added));
  CHECK(bit_equal(fresh(x), x.value()));
  CHECK((all_zero(fresh->mask.bias.value()) && !all_zero(fresh->mask.weight.value())));
}
// If all queries of non-local attention are equal, every place reads this context: leaving the queries out is
// the whole simplification.
PROPERTY(equal_queries_are_global_context) {
  OnGrid<nn::GlobalContext> m("global_context");
  OnGrid<nn::NonLocal> all("non_local");
  zero(all->theta.weight);  // all queries are its bias
  set(m->mask.weight, matmul(reshape(all->theta.bias, {1, 2}), all->phi.weight).value());
  Variable x = pixels(3, 5), read = matmul(all->weights(x), nn::places_of(x));
  Tensor c = m->context(nn::places_of(x)).value();
  for (int64_t t = 0; t < 15; ++t) agree(read.value().slice(1, t, t + 1).contiguous(), c);
}

// --- M2 ---
// Each gate is a sigmoid of the means of a channel and its neighbours: a band matrix in place of a full one.
PROPERTY(gates_are_a_band_of_channels) {
  OnGrid<nn::Eca> m("eca:taps=3"), one("eca:taps=1");
  Variable x = pixels(3, 5);
  Tensor band = Tensor::zeros({kWidth, kWidth}, kF64), f = m->filter.value();
  for (int64_t c = 0; c < kWidth; ++c)
    for (int64_t j = 0; j < 3; ++j)
      if (c + j - 1 >= 0 && c + j - 1 < kWidth) band.set({c + j - 1, c}, f.at({j}));
  Variable means = mean(nn::places_of(x), {1});
  Variable gates = reshape(sigmoid(matmul(means, Variable(band))), {2, 1, 1, kWidth});
  agree(m(x), (x * gates).value());
  agree(one(x), (x * reshape(sigmoid(means * one->filter), {2, 1, 1, kWidth})).value());
}
// The number of channels that a gate reads is odd and grows with the logarithm of the width, by the published rule.
PROPERTY(taps_grow_with_the_width) {
  const std::vector<std::pair<int64_t, int64_t>> taps{{1, 1},   {4, 1},   {8, 3},   {64, 3},
                                                      {128, 5}, {256, 5}, {512, 5}, {2048, 7}};
  for (const auto& width_and_taps : taps) CHECK(nn::Eca::taps_for(width_and_taps.first) == width_and_taps.second);
}

// --- M1, M3 ---
// With weights of zero both gates are one half, so every value is a quarter of itself.
PROPERTY(gates_of_zero_weights_are_halves) {
  auto m = small_mixer(entry.name + ":columns=5");
  for (auto& p : nn::named_parameters(*m)) zero(p.variable);
  Variable x = nn::places_of(pixels(3, 5));
  agree((*m)(x, {}).output.value(), div(x.value(), 4));
}
// Channels are gated first, and the gates of the places read the gated picture; another order gives another result.
PROPERTY(channels_are_gated_before_places) {
  OnGrid<nn::Cbam> m("cbam:radius=1");
  Variable x = pixels(3, 5), gated = x * m->channel_gates(x);
  agree(m(x), (gated * m->place_gates(gated)).value());
  CHECK(relative_error(m(x), (gated * m->place_gates(x)).value()) > 1e-3);
  // The maximum of a picture of one colour is its mean.
  Variable colour = expand(leaf({2, 1, 1, kWidth}, 51, kF64), {2, 3, 5, kWidth});
  Variable mlp = m->excite(relu(m->squeeze_in(mean(colour, {1, 2}, true))));
  agree(m->channel_gates(colour).value(), sigmoid(2 * mlp).value());
  // The gates of places begin at 1/2.
  OnGrid<nn::Cbam> fresh("cbam", 0, true);
  for (double gate : fresh->place_gates(x).value().to_vector()) CHECK(gate == 0.5);
  CHECK((all_zero(fresh->squeeze_in.bias.value()) && all_zero(fresh->excite.bias.value())));
  CHECK_FALSE(all_zero(fresh->filter.weight.value()));
  // The filter reads the maximum first.
  Tensor of_maximum = Tensor::zeros({1, 2, 3, 3}, kF64);
  of_maximum.set({0, 0, 1, 1}, 1);
  set(m->filter.weight, of_maximum);
  agree(m->place_gates(x).value(), sigmoid(m->norm(amax(x, {3}, true))).value());
}
// A transposed picture, with the gates of rows and columns exchanged, gives the transposed result: both
// are treated alike.
PROPERTY(rows_and_columns_may_be_exchanged) {
  OnGrid<nn::Coordinate> m("coordinate"), other("coordinate");
  set(other->of_rows.weight, m->of_columns.weight.value()), set(other->of_rows.bias, m->of_columns.bias.value());
  set(other->of_columns.weight, m->of_rows.weight.value()), set(other->of_columns.bias, m->of_rows.bias.value());
  Variable x = pixels(3, 5);
  agree(other(transpose(x, 1, 2)), transpose(Variable(m(x)), 1, 2).value().contiguous());
  CHECK(relative_error(m(transpose(x, 1, 2)), transpose(Variable(m(x)), 1, 2).value().contiguous()) > 1e-3);
}

// --- M10 ---
// Its small matrices give what explicit weights of all pairs give: query times key plus position, without a
// softmax of the pairs.
PROPERTY(lambdas_are_weights_without_softmax) {
  for (auto [R, C] : {std::pair<int64_t, int64_t>{3, 5}, {2, 1}}) {
    OnGrid<nn::LambdaLayer> m("lambda_layer:inner=3,reach=2");
    Variable x = pixels(R, C);
    Tensor q = m->queries(x).value(), k = m->keys(x).value(), E = m->positions.value();
    Tensor w = Tensor::zeros({2, 2, R * C, R * C}, kF64);
    for (int64_t n = 0; n < 4 * R * C * R * C; ++n) {
      const int64_t s = n % (R * C), t = n / (R * C) % (R * C), h = n / (R * C * R * C) % 2,
                    b = n / (2 * R * C * R * C);
      const int64_t down = s / C - t / C, right = s % C - t % C;
      double e = 0;
      for (int64_t i = 0; i < 3; ++i) {
        double key = k.at({b, s, i});
        if (std::abs(down) <= 2 && std::abs(right) <= 2) key += E.at({down + 2, right + 2, i});
        e += q.at({b, t, h, i}) * key;
      }
      w.set({b, h, t, s}, e);
    }
    agree(nn::places_of(Variable(m(x))).value(),
          nn::join_heads(matmul(Variable(w), unsqueeze(m->values(x), 1))).value());
  }
}
// With positions of zero it is linear attention over the whole picture: the relative positions are all that was added.
PROPERTY(positions_of_zero_are_linear_attention) {
  OnGrid<nn::LambdaLayer> m("lambda_layer:inner=3");
  zero(m->positions);
  Variable x = pixels(3, 5);
  Variable weights = matmul(transpose(m->queries(x), 1, 2), transpose(unsqueeze(m->keys(x), 1), 2, 3));  // q kbar^T
  agree(nn::places_of(Variable(m(x))).value(), nn::join_heads(matmul(weights, unsqueeze(m->values(x), 1))).value());
}

// --- M11 ---
// The convolution that tells positions reads no place of another stripe; without it, one stripe of the whole picture
// is full attention.
PROPERTY(the_convolution_stays_in_its_stripe) {
  OnGrid<nn::CrossStripes> m("cross_stripes:stripe=2");
  const nn::AxisCut rows = nn::windows_of(3, 3), columns = nn::windows_of(5, 2);
  Variable v = leaf({1, 1, 15, 2}, 52, kF64);
  Variable y = m->inside_stripes(m->vertical, v, rows, columns);
  backward(sum(slice(y, 2, 6, 7)));  // row 1, column 1: beside the border of stripes 0 and 1
  for (int64_t s = 0; s < 15; ++s) {
    CAPTURE(s);
    CHECK(all_zero(v.grad().slice(2, s, s + 1).contiguous()) == (s % 5 >= 2));
  }
  // One stripe is the whole half: the convolution of the picture.
  Variable whole = m->inside_stripes(m->vertical, v, rows, nn::windows_of(5, 9));
  agree(nn::join_heads(whole).value(), nn::places_of(m->vertical(nn::rows_of(nn::join_heads(v), 3, 5))).value());
  OnGrid<nn::CrossStripes> wide("cross_stripes:stripe=9");
  for (Variable* p : {&wide->vertical.weight, &wide->vertical.bias, &wide->horizontal.weight, &wide->horizontal.bias})
    zero(*p);
  nn::GridHeads::Read r = wide->heads(pixels(3, 5));
  agree(wide(pixels(3, 5)), wide->heads.output(full_attention(r.q, r.k, r.v), pixels(3, 5)).value());
}

// --- M14 ---
// With tables of 0 it is one softmax over the places around the window and the pooled windows within reach of it.
PROPERTY(rings_and_pooled_windows_share_a_softmax) {
  const int64_t R = 5, C = 4, M = 2, e = 1, T = R * C, N = 6;  // 3 x 2 windows
  OnGrid<nn::Focal> m("focal:window=2,ring=1,reach=1");
  for (Variable* p : {&m->table, &m->ring_table, &m->pooled_table}) zero(*p);
  Variable x = pixels(R, C), flat = nn::places_of(x);
  std::vector<Variable> pooled;
  for (int64_t w = 0; w < N; ++w) {
    Variable one = expand(m->pool.bias, {2, kWidth});
    for (int64_t s = 0; s < M * M; ++s)
      if (int64_t row = w / 2 * M + s / M, column = w % 2 * M + s % M; row < R)
        one = one + select(flat, 1, row * C + column) * select(select(m->pool.weight, 0, 0), 0, s);
    pooled.push_back(one);
  }
  nn::GridHeads::Read fine = m->heads(x), coarse = m->heads(unsqueeze(stack(pooled, 1), 1));
  Tensor allowed = Tensor::full({T, T + N}, 0, DType::boolean);
  for (int64_t t = 0; t < T; ++t) {
    const int64_t up = t / C / M * M, left = t % C / M * M;
    auto near = [&](int64_t at, int64_t first) { return at >= first - e && at < first + M + e; };
    for (int64_t s = 0; s < T; ++s) allowed.set({t, s}, near(s / C, up) && near(s % C, left));
    for (int64_t w = 0; w < N; ++w) allowed.set({t, T + w}, std::abs(w / 2 - up / M) <= 1);
  }
  Variable context = full_attention(fine.q, concat({fine.k, coarse.k}, 2), concat({fine.v, coarse.v}, 2), allowed);
  agree(m(x), m->heads.output(context, x).value());
  OnGrid<nn::Focal> fresh("focal:window=2", 0, true);
  CHECK(fresh->pool.weight.value().at({0, 3}) == 0.25);
  CHECK((all_zero(fresh->table.value()) && all_zero(fresh->pool.bias.value())));
}

// --- M13 ---
// With windows of one place it is a linear layer: the only weight is 1, whatever it is computed from.
PROPERTY(one_place_windows_are_a_linear_layer) {
  OnGrid<nn::Outlook> m("outlook:radius=0");
  agree(m(pixels(3, 5)), m->out_proj(m->value(pixels(3, 5))).value());
}
// With equal weights it averages each window and adds up the windows that contain a place: two box filters.
PROPERTY(weights_of_zero_are_two_box_filters) {
  OnGrid<nn::Outlook> m("outlook:radius=1");
  zero(m->weights.weight), zero(m->weights.bias);
  auto box = [](const Variable& y) { return sum(nn::neighbours(y, 3, 3), {4, 5}); };
  // The means of the windows, zeros outside counted, and then sums: of fewer windows at the border.
  agree(m(pixels(3, 5)), m->out_proj(box(box(m->value(pixels(3, 5))) / 9)).value());
}

}  // namespace

TEST_CASE("pictures of a batch may differ in height, and each is as if it were alone") {
  int tried = 0;
  for (const CatalogueEntry& entry : nn::stage_entries(nn::Kind::mixer)) {
    const bool of_pictures = std::ranges::any_of(entry.settings, [](const auto& s) { return s.name == "columns"; });
    if (!of_pictures) continue;
    CAPTURE(entry.name);
    ++tried;
    nn::StageOptions o = nn::small_stage(nn::Kind::mixer, {.name = entry.name}, {.most = 2});
    o.settings["columns"] = 3;
    auto m = small_mixer(nn::text_of(nn::Kind::mixer, o));
    Variable x = leaf({4, 12, kWidth}, 61, kF64);
    Tensor words = Tensor::full({4, 12}, 1, DType::boolean);
    for (int64_t t = 0; t < 12; ++t) {
      if (t >= 6) words.set({0, t}, 0), words.set({3, t}, 0);  // two rows
      if (t >= 8 || t == 4) words.set({1, t}, 0);              // three rows, with black places in two of them
    }
    Tensor y = (*m)(x, {.words = words}).output.value();
    auto alone = [&](int64_t b, int64_t places) {
      Variable one = slice(nn::words_only(x, words), 0, b, b + 1);
      Tensor expected = (*m)(slice(one, 1, 0, places), {}).output.value();
      agree(y.slice(0, b, b + 1).slice(1, 0, places).contiguous(), expected);
    };
    alone(0, 6), alone(1, 9), alone(2, 12), alone(3, 6);
    // Rows of padding above the picture are as if they were below.
    Tensor above = Tensor::full({1, 12}, 1, DType::boolean);
    for (int64_t t = 0; t < 6; ++t) above.set({0, t}, 0);
    Tensor moved = (*m)(slice(x, 0, 2, 3), {.words = above}).output.value();
    Tensor below = (*m)(slice(slice(x, 0, 2, 3), 1, 6, 12), {}).output.value();
    agree(moved.slice(1, 6, 12).contiguous(), below);
  }
  CHECK(tried >= 14);
}

}  // namespace heed::nn_test
