// GRU: padding, directions, threads and batches change no bit; the parts agree with the whole.
#include "nn/recurrent/gru.h"

#include <doctest/doctest.h>

#include "nn/recurrent/padding.h"
#include "tensor/thread_pool.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

Tensor lengths_of(const std::vector<int64_t>& lengths) {
  return Tensor::from(lengths, {static_cast<int64_t>(lengths.size())});
}

const nn::GRUOptions kBoth{.input = 5, .hidden = 7, .layers = 2, .bidirectional = true};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("GRU: a padded sentence gives the bits of the same sentence alone, and padding gets no gradient") {
    nn::GRU gru = make<nn::GRU>(kBoth, 1);
    std::vector<int64_t> lengths{6, 2, 4, 1};
    Variable x = leaf({4, 6, 5}, 2), initial = leaf({4, 4, 7}, 3);
    auto [y, h] = gru(x, lengths_of(lengths), initial);
    Tensor dy = random(y.shape(), 4), dh = random(h.shape(), 5);
    backward(sum(y * Variable(dy)) + sum(h * Variable(dh)));
    for (int64_t b = 0; b < 4; ++b) {
      CAPTURE(b);
      int64_t n = lengths[static_cast<size_t>(b)];
      auto cut = [&](const Tensor& t) { return t.slice(0, b, b + 1).slice(1, 0, n).contiguous(); };  // [1, n, ..]
      auto row = [&](const Tensor& t) { return t.slice(1, b, b + 1).contiguous(); };                 // [L D, 1, N]
      Variable alone = leaf(cut(x.value())), start = leaf(row(initial.value()));
      auto [y1, h1] = gru(alone, {}, start);
      CHECK(bit_equal(y1.value(), cut(y.value())));
      CHECK(bit_equal(h1.value(), row(h.value())));
      backward(sum(y1 * Variable(cut(dy))) + sum(h1 * Variable(row(dh))));
      CHECK(bit_equal(alone.grad(), cut(x.grad())));
      CHECK(bit_equal(start.grad(), row(initial.grad())));
      if (n == 6) continue;
      CHECK(all_zero(x.grad().select(0, b).slice(0, n, 6)));
      CHECK(all_zero(y.value().select(0, b).slice(0, n, 6)));
    }
  }

  TEST_CASE("GRU: what stands behind the end does not matter, whatever it is") {
    nn::GRU gru = make<nn::GRU>(kBoth, 1);
    Tensor x = random({2, 4, 5}, 2), other = x.clone();
    Tensor behind = other.select(0, 1).slice(0, 2, 4);
    fill_into(behind, 1e6);
    auto a = gru(x, lengths_of({4, 2})), b = gru(other, lengths_of({4, 2}));
    CHECK(bit_equal(a.annotations.value(), b.annotations.value()));
    CHECK(bit_equal(a.state.value(), b.state.value()));
  }

  TEST_CASE("GRU: the backward direction begins at a sentence's own last word") {
    nn::GRU gru = make<nn::GRU>({.input = 3, .hidden = 4, .bidirectional = true}, 1);
    Tensor x = random({2, 5, 3}, 2);
    auto [y, h] = gru(x, lengths_of({3, 5}));
    Variable zero(Tensor::zeros({1, 4}));
    for (int64_t b = 0; b < 2; ++b) {
      int64_t n = b == 0 ? 3 : 5;
      Variable state = zero;
      for (int64_t t = n - 1; t >= 0; --t) {
        state = gru.cells[1](x.slice(0, b, b + 1).select(1, t), state);
        Tensor here = y.value().slice(0, b, b + 1).select(1, t).slice(1, 4, 8).contiguous();
        CHECK(bit_equal(here, state.value()));
      }
      CHECK(bit_equal(h.value().select(0, 1).slice(0, b, b + 1).contiguous(), state.value()));
    }
  }

  TEST_CASE("GRU: one step at a time with a cell gives the same bits") {
    nn::GRU gru = make<nn::GRU>({.input = 3, .hidden = 4}, 1);
    Tensor x = random({2, 5, 3}, 2);
    auto [y, h] = gru(x);
    Variable state(Tensor::zeros({2, 4}));
    for (int64_t t = 0; t < 5; ++t) {
      state = gru.cells[0](x.select(1, t), state);
      CHECK(bit_equal(y.value().select(1, t).contiguous(), state.value()));
    }
    CHECK(bit_equal(h.value().select(0, 0).contiguous(), state.value()));
  }

  TEST_CASE("GRU: the same bits on one and on two threads, gradients too") {
    nn::GRU gru = make<nn::GRU>({.input = 96, .hidden = 160, .bidirectional = true}, 1);
    Tensor x = random({120, 4, 96}, 2);
    std::vector<int64_t> lengths(120);
    for (size_t b = 0; b < lengths.size(); ++b) lengths[b] = 1 + static_cast<int64_t>(b % 4);
    int threads = thread_count();
    std::vector<std::vector<Tensor>> runs;
    for (int n : {1, 2, 3}) {
      set_thread_count(n);
      nn::zero_grad(gru);
      Variable in = leaf(x);
      auto [y, h] = gru(in, lengths_of(lengths));
      backward(weighted_sum(y) + weighted_sum(h));
      runs.push_back(gradients(gru));
      for (const Tensor& t : {y.value(), h.value(), in.grad()}) runs.back().push_back(t);
    }
    set_thread_count(threads);
    CHECK(same_bits(runs[0], runs[1]));
    CHECK(same_bits(runs[0], runs[2]));
  }

  TEST_CASE("GRU: a batch of five gives the bits of five batches of one") {
    nn::GRU gru = make<nn::GRU>(kBoth, 1);
    Variable x = leaf({5, 4, 5}, 2);
    auto [y, h] = gru(x);
    backward(sum(square(y)));
    for (int64_t b = 0; b < 5; ++b) {
      Variable one = leaf(x.value().slice(0, b, b + 1));
      auto [y1, h1] = gru(one);
      backward(sum(square(y1)));
      CHECK(bit_equal(y1.value(), y.value().slice(0, b, b + 1).contiguous()));
      CHECK(bit_equal(h1.value(), h.value().slice(1, b, b + 1).contiguous()));
      CHECK(bit_equal(one.grad(), x.grad().slice(0, b, b + 1).contiguous()));
    }
  }

  TEST_CASE("GRU: dropout falls between layers only, and only while training") {
    nn::GRUOptions one{.input = 3, .hidden = 4, .dropout = 0.5}, two = one;
    two.layers = 2;
    Tensor x = random({2, 5, 3}, 2);
    nn::GRU single = make<nn::GRU>(one, 1), stacked = make<nn::GRU>(two, 1);
    CHECK(bit_equal(single(x).annotations.value(), single(x).annotations.value()));
    CHECK_FALSE(bit_equal(stacked(x).annotations.value(), stacked(x).annotations.value()));
    CHECK(bit_equal(stacked(x).state.value().select(0, 0).contiguous(),
                    stacked(x).state.value().select(0, 0).contiguous()));  // the first layer never sees it
    nn::set_training(stacked, false);
    CHECK(bit_equal(stacked(x).annotations.value(), stacked(x).annotations.value()));
  }

  TEST_CASE("GRU: names are PyTorch's, and what does not fit is refused in one sentence") {
    nn::GRU gru = make<nn::GRU>({.input = 3, .hidden = 4, .layers = 2, .bidirectional = true}, 1);
    auto names = nn::named_parameters(gru);
    REQUIRE(names.size() == 16);
    CHECK(names[4].name == "weight_ih_l0_reverse");
    CHECK(names[15].name == "bias_hh_l1_reverse");
    CHECK(names[8].variable.shape() == Shape{12, 8});
    CHECK(message_of<ShapeError>([&] {
            gru(random({2, 5, 4}, 1));
          }) == "GRU: needs x [B, T, 3] with T at least 1; got [2, 5, 4]");
    CHECK(message_of<ShapeError>([&] {
            gru(random({2, 0, 3}, 1));
          }) == "GRU: needs x [B, T, 3] with T at least 1; got [2, 0, 3]");
    CHECK(message_of<ShapeError>([&] {
            gru(random({2, 5, 3}, 1), {}, random({2, 2, 4}, 1));
          }) == "GRU: the initial state must be [layers x directions, B, N] = [4, 2, 4]; got [2, 2, 4]");
    CHECK(message_of<ShapeError>([&] {
            gru(random({2, 5, 3}, 1), lengths_of({5, 5, 5}));
          }) == "GRU: needs one length a sentence, [2]; got [3]");
    CHECK(message_of<ValueError>([&] {
            gru(random({2, 5, 3}, 1), lengths_of({5, 0}));
          }) == "length_mask: a length must lie in [1, 5]; got 0 in row 1");
    CHECK(message_of<ValueError>([&] {
            gru(random({2, 5, 3}, 1), lengths_of({6, 1}));
          }) == "length_mask: a length must lie in [1, 5]; got 6 in row 0");
    CHECK(message_of<ValueError>([] { make<nn::GRU>({.input = 3, .hidden = 4, .layers = 0}, 1); }) ==
          "GRU: needs at least one layer; got 0");
    for (int64_t width : {0, -1})
      CHECK(message_of<ValueError>([&] {
              make<nn::GRUCell>({.input = 3, .hidden = width}, 1);
            }).find("GRU: widths must be positive; got input 3 and hidden") == 0);
    CHECK(message_of<ShapeError>([] { nn::length_mask(Tensor::zeros({2}), 3); }) ==
          "length_mask: lengths must be [B] i64; got f32 [2]");
  }
}
