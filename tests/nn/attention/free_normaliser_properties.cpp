// What the normalisers hold whose rows have a sum of their own, or whose queries compete: sigmoid, sink, slots, relu,
// stick_breaking, soft_cap, exponential.
#include <cmath>

#include "nn/attention/attend.h"
#include "nn/attention/normalisers/sink.h"
#include "nn/attention/normalisers/slots.h"
#include "nn/attention/normalisers/soft_cap.h"
#include "tensor/reduce.h"
#include "tests/nn/attention/normalised.h"
#include "tests/nn/attention/subject.h"

namespace heed::nn_test {
namespace {

constexpr double kNone = -INFINITY;

double total_of(const Tensor& w) { return sum(w).item(); }

// With scores of zero the weights of S keys sum to S / (S + 1): the bias follows the number of keys.
PROPERTY(zero_scores_sum_to_almost_one) {
  for (int64_t S : {1, 4, 100})
    CHECK(total_of(normalised("sigmoid", Tensor::zeros({S}, kF64))) == doctest::Approx(double(S) / double(S + 1)));
  CHECK(total_of(normalised("sigmoid", row({0, 0, kNone, kNone}))) == doctest::Approx(2.0 / 3));
  CHECK(max_abs_difference(normalised("sigmoid", row({2, -1})), row({.786986, .155362})) < 1e-6);
}

// A higher score for one key leaves the weights of all others as they are, whereas under a softmax it takes
// weight from them.
PROPERTY(keys_do_not_compete) {
  Tensor a = normalised("sigmoid", row({1, 2, 3, kNone})), b = normalised("sigmoid", row({1, 2, 90, kNone}));
  for (size_t s : {0u, 1u, 3u}) CHECK(a.to_vector()[s] == b.to_vector()[s]);
  CHECK(b.to_vector()[2] == doctest::Approx(1));
  CHECK(normalised("softmax", row({1, 2, 90, kNone})).to_vector()[0] < 1e-30);
}

// It is a softmax with a further key of value 0: the context is the same, and its weight is what is missing from 1.
PROPERTY(is_a_softmax_with_one_more_key) {
  Tensor e = random({2, 3, 5}, 1, kF64), v = random({2, 5, 4}, 2, kF64);
  for (double z : {0.0, 1.7}) {
    auto made = normaliser_of(z == 0 ? "sink" : "sink:1");
    if (z != 0) static_cast<nn::SinkNormaliser&>(*made).sink.set_value(Tensor::full({1, 1, 1}, z, kF64));
    nn::Attended ours = nn::attend(Variable(e), Variable(v), {.normaliser = made.get()});
    nn::Attended twin = nn::attend(concat({Variable(e), Variable(Tensor::full({2, 3, 1}, z, kF64))}, -1),
                                   concat({Variable(v), Variable(Tensor::zeros({2, 1, 4}, kF64))}, 1));
    CHECK(max_abs_difference(ours.context.value(), twin.context.value()) < 1e-15);
    CHECK(max_abs_difference(sum(ours.weights.value(), {-1}),
                             sub(Tensor::ones({}, kF64), twin.weights.value().select(2, 5))) < 1e-15);
  }
  CHECK(max_abs_difference(normalised("sink", row({0, 0, 0})), row({.25, .25, .25})) < 1e-15);
  CHECK(all_zero(normalised("sink", row({kNone, kNone}))));
  CHECK(total_of(normalised("sink", row({-50, -60}))) < 1e-20);  // nothing useful: nothing is read
}

// Each head learns a sink of its own, and a higher sink leaves less weight for the keys.
PROPERTY(heads_learn_their_sink) {
  // dw_s / dz = -w_s w_z, of this head alone.
  auto made = normaliser_of("sink:1", 3);
  Variable& sink = static_cast<nn::SinkNormaliser&>(*made).sink;
  REQUIRE(sink.shape() == Shape{3, 1, 1});
  sink.set_value(Tensor::from(std::vector<double>{-1, 0, 2}, {3, 1, 1}));
  Tensor e = random({2, 3, 4, 5}, 1, kF64);
  Variable w = (*made)(Variable(e));
  backward(sum(w));
  for (int64_t h = 0; h < 3; ++h) {
    double wanted = 0;
    for (double read : sum(w.value(), {-1}).select(1, h).to_vector()) wanted -= read * (1 - read);
    CHECK(sink.grad().at({h, 0, 0}) == doctest::Approx(wanted).epsilon(1e-12));
  }
  CHECK(total_of(w.value().select(1, 0)) > total_of(w.value().select(1, 2)));
}

// Each key is first shared out among the queries, and only then are the rows divided by their sums.
PROPERTY(queries_compete_for_keys) {
  Tensor e = random({2, 3, 5}, 1, kF64);
  Tensor shares = exp(nn::SlotNormaliser::log_shares(Variable(e))).value();
  CHECK(max_abs_difference(sum(shares, {-2}), Tensor::ones({2, 5}, kF64)) < 1e-15);
  Tensor w = normalised("slots", e);
  CHECK(max_abs_difference(w, div(shares, sum(shares, {-1}, true))) < 1e-15);
  CHECK(max_abs_difference(sum(w, {-1}), Tensor::ones({2, 3}, kF64)) < 1e-15);
  // A key that one query wants by 10 more is lost for the other, whose row is about the other key then.
  Tensor contest = normalised("slots", row({10, 0, 0, 0}).view({2, 2}));
  CHECK(contest.at({1, 0}) < 1e-4);
  CHECK(normalised("softmax", row({10, 0, 0, 0}).view({2, 2})).at({1, 0}) == .5);
  Tensor lost = normalised("slots", row({900, 900, 0, 0}).view({2, 2}));  // the second query wins nothing
  CHECK(max_abs_difference(lost, Tensor::full({2, 2}, .5, kF64)) < 1e-15);
}

// It is three steps of Sinkhorn's normaliser without the first one.
PROPERTY(is_sinkhorn_without_its_first_rows) {
  Tensor e = random({2, 3, 5}, 1, kF64);
  for (int64_t t = 0; t < 3; ++t) e.set({1, t, 4}, kNone);
  Tensor rows = log_softmax(Variable(e), -1).value();
  CHECK(max_abs_difference(normalised("slots", rows), normalised("sinkhorn:3", e)) < 1e-15);
  CHECK(max_abs_difference(normalised("slots", e), normalised("sinkhorn:3", e)) > 1e-3);
}

// Repeating a source, keys and values, leaves the context as it was, since sums are divided by the number of keys.
PROPERTY(a_source_repeated_reads_the_same) {
  Tensor e = random({2, 3, 5}, 1, kF64), v = random({2, 5, 4}, 2, kF64);
  auto made = normaliser_of("relu");
  auto context = [&](const Variable& scores, const Variable& values) {
    return nn::attend(scores, values, {.normaliser = made.get()}).context.value();
  };
  Tensor once = context(Variable(e), Variable(v));
  CHECK(max_abs_difference(context(concat({Variable(e), Variable(e)}, -1), concat({Variable(v), Variable(v)}, 1)),
                           once) < 1e-15);
  Variable padding(Tensor::full({2, 3, 2}, kNone, kF64)), zeros(Tensor::zeros({2, 2, 4}, kF64));
  CHECK(max_abs_difference(context(concat({Variable(e), padding}, -1), concat({Variable(v), zeros}, 1)), once) < 1e-15);
}

// A positive score divided by the number of keys is the weight; a negative one has the weight 0 and gets no gradient.
PROPERTY(positive_scores_are_weights) {
  CHECK(normalised("relu", row({2, -1, 0, 6})).to_vector() == std::vector<double>{.5, 0, 0, 1.5});
  CHECK(score_gradient(*normaliser_of("relu"), row({2, -1, 4, kNone}), row({3, 6, 9, 12})).to_vector() ==
        std::vector<double>{1, 0, 3, 0});
}

// Each key takes its share of what nearer keys have left, as in an example worked out by hand.
PROPERTY(the_rest_of_the_stick_is_left) {
  // By hand, from the last key: .5, then .5 of the half that is left, ..
  CHECK(max_abs_difference(normalised("stick_breaking", row({0, 0, 0})), row({.125, .25, .5})) < 1e-15);
  CHECK(max_abs_difference(normalised("stick_breaking", row({0, kNone, 0})), row({.25, 0, .5})) < 1e-15);
  Tensor e = random({4, 6}, 1, kF64), w = normalised("stick_breaking", e);
  for (int64_t r = 0; r < 4; ++r) {
    double left = 1;
    for (int64_t s = 5; s >= 0; --s) {
      double beta = 1 / (1 + std::exp(-e.at({r, s})));
      CHECK(w.at({r, s}) == doctest::Approx(beta * left).epsilon(1e-12));
      left *= 1 - beta;
    }
    CHECK(total_of(w.select(0, r)) == doctest::Approx(1 - left).epsilon(1e-12));
  }
}

// If the nearest key takes the whole stick, it is read alone, whatever the others score.
PROPERTY(a_sure_key_is_copied) {
  CHECK(normalised("stick_breaking", row({9, 9, 1e3})).to_vector() == std::vector<double>{0, 0, 1});
  CHECK(normalised("stick_breaking", row({1e3, 1e3, -1e3})).to_vector()[1] == 1);
}

// A remainder of the stick that would round to 0 still gives the right weight and the right gradient.
PROPERTY(small_sticks_keep_their_digits) {
  // 1 - sigmoid(40) is 0 in f64, but e^-40 is a number.
  Variable e = leaf(row({0, 40}));
  Variable w = (*normaliser_of("stick_breaking"))(e);
  CHECK(w.value().at({0}) == doctest::Approx(.5 * std::exp(-40)).epsilon(1e-12));
  backward(log(select(w, 0, 0)));
  CHECK(max_abs_difference(e.grad(), row({.5, -1})) < 1e-12);
}

// No score exceeds the cap, scores near zero keep their slope, and keys are masked after the cap, so they still
// get no weight.
PROPERTY(scores_stay_below_the_cap) {
  auto made = normaliser_of("soft_cap:3");
  const auto& cap = static_cast<const nn::SoftCapNormaliser&>(*made);
  for (double e : cap.capped(Variable(mul(random({50}, 1, kF64), 100))).value().to_vector()) CHECK(std::abs(e) <= 3);
  Variable zero = leaf(row({0}));
  backward(sum(cap.capped(zero)));
  CHECK(zero.grad().item() == doctest::Approx(1).epsilon(1e-15));  // the slope
  CHECK(normalised("soft_cap:3", row({1e4, -1e4})).at({0}) == doctest::Approx(1 / (1 + std::exp(-6))));
  CHECK(normalised("soft_cap:3", row({-1e4, kNone})).to_vector() == std::vector<double>{1, 0});  // masked after the cap
}

// With a very high cap it is the softmax; a low cap changes the weights.
PROPERTY(a_high_cap_is_a_softmax) {
  Tensor e = random({4, 6}, 1, kF64);
  CHECK(max_abs_difference(normalised("soft_cap:1e8", e), normalised("softmax", e)) < 1e-12);
  CHECK(max_abs_difference(normalised("soft_cap:1", e), normalised("softmax", e)) > 1e-2);
}

// Divided by their sum, the weights are the softmax: this division is all that was left out.
PROPERTY(divided_by_their_sum_is_softmax) {
  Tensor e = random({4, 6}, 1, kF64), w = normalised("exponential", e);
  CHECK(max_abs_difference(div(w, sum(w, {-1}, true)), normalised("softmax", e)) < 1e-15);
  CHECK(normalised("exponential", row({0, kNone, std::log(3)})).at({2}) == doctest::Approx(3));
}

}  // namespace
}  // namespace heed::nn_test
