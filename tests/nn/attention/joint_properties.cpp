// What structures hold in which two sequences read each other.
#include <cmath>

#include "nn/zoo/attention_over_attention.h"
#include "nn/zoo/bidaf.h"
#include "nn/zoo/coattention.h"
#include "nn/zoo/decomposable.h"
#include "tests/nn/attention/memory_properties.h"

namespace heed::nn_test {
namespace {

using nn::CatalogueEntry;

Variable text() { return Variable(random({2, 3, kWidth}, 1, kF64)); }
Variable question() { return Variable(random({2, 2, kWidth}, 2, kF64)); }
Tensor text_words() { return Tensor::from_bools({1, 1, 1, 1, 1, 0}, {2, 3}); }
Tensor question_words() { return Tensor::from_bools({1, 0, 1, 1}, {2, 2}); }

// All that an entry computes from two sequences and their masks, in one row for each sentence.
using Joint =
    std::function<Variable(const Variable& a, const Variable& b, const Tensor& a_words, const Tensor& b_words)>;
Joint joint(const CatalogueEntry& entry) {
  auto flat = [](const Variable& x) { return reshape(x, {x.size(0), -1}); };
  if (entry.id == "E11")
    return
        [=](auto& a, auto& b, auto& aw, auto& bw) {  // rows of padding have an output of their own, which is not read
          nn::BiDAFOutput y = built<nn::BiDAF>({.width = kWidth})(a, b, aw, bw);
          return concat({flat(slice(y.output, 1, 0, 2)), flat(slice(y.question, 1, 0, 2)), y.text}, 1);
        };
  if (entry.id == "E11b")
    return [=](auto& a, auto& b, auto& aw, auto& bw) {
      nn::CoattentionOutput y = built<nn::Coattention>({.width = kWidth})(a, b, aw, bw);
      return concat(
          {flat(slice(y.output, 1, 0, 2)), flat(slice(y.question, 1, 0, 2)), flat(slice(y.document, 1, 0, 1))}, 1);
    };
  if (entry.id == "E11c")
    return [=](auto& a, auto& b, auto& aw, auto& bw) { return nn::attention_over_attention(a, b, aw, bw).places; };
  return [=](auto& a, auto& b, auto& aw, auto& bw) {
    return built<nn::DecomposableAttention>({.width = kWidth, .hidden = 5, .classes = 3})(a, b, aw, bw).logits;
  };
}

// NaN in the padding of either side changes no bit and gets no gradient, and a sentence with padding is itself alone.
PROPERTY(padding_of_both_sides_is_absent) {
  Joint f = joint(entry);
  Variable a = leaf(text().value()), b = leaf(question().value());
  Variable y = f(a, b, text_words(), question_words());
  backward(weighted_sum(y));
  CHECK(all_zero(a.grad().select(0, 1).select(0, 2)));
  CHECK(all_zero(b.grad().select(0, 0).select(0, 1)));
  CHECK_FALSE(all_zero(a.grad().select(0, 1)));
  CHECK_FALSE(all_zero(b.grad().select(0, 0)));
  Tensor other_a = a.value().clone(), other_b = b.value().clone();
  for (int64_t d = 0; d < kWidth; ++d) other_a.set({1, 2, d}, NAN), other_b.set({0, 1, d}, NAN);
  CHECK(bit_equal(f(Variable(other_a), Variable(other_b), text_words(), question_words()).value(), y.value()));
  for (int64_t n = 0; n < 2; ++n) {
    Tensor own_a = other_a.slice(0, n, n + 1).slice(1, 0, 3 - n), own_b = other_b.slice(0, n, n + 1).slice(1, 0, 1 + n);
    Tensor alone = f(Variable(own_a), Variable(own_b), {}, {}).value().select(0, 0), padded = y.value().select(0, n);
    int64_t outputs = entry.id == "E11"    ? 2 * 4 * kWidth  // of the first two words
                      : entry.id == "E11b" ? 2 * 2 * kWidth
                                           : alone.size(0);
    CHECK(max_abs_difference(padded.slice(0, 0, outputs).contiguous(), alone.slice(0, 0, outputs).contiguous()) <
          1e-14);
  }
}

// Attention from the text to the question and back, and the four parts of the output, agree with plain loops.
PROPERTY(flow_in_both_directions_by_hand) {
  nn::BiDAF m = built<nn::BiDAF>({.width = kWidth});
  Tensor h = text().value(), u = question().value();
  nn::BiDAFOutput y = m(Variable(h), Variable(u));
  double e[3][2], a[3][2], b[3], total = 0;
  Tensor wq = m.score.of_query.value(), wk = m.score.of_key.value(), wb = m.score.of_both.value();
  for (int64_t t = 0; t < 3; ++t) {
    for (int64_t s = 0; s < 2; ++s) {
      e[t][s] = 0;
      for (int64_t d = 0; d < kWidth; ++d)
        e[t][s] += wq.at({d}) * h.at({1, t, d}) + wk.at({d}) * u.at({1, s, d}) +
                   wb.at({d}) * h.at({1, t, d}) * u.at({1, s, d});
    }
    for (int64_t s = 0; s < 2; ++s) a[t][s] = std::exp(e[t][s]) / (std::exp(e[t][0]) + std::exp(e[t][1]));
    total += b[t] = std::exp(std::max(e[t][0], e[t][1]));
  }
  for (int64_t t = 0; t < 3; ++t) {
    for (int64_t s = 0; s < 2; ++s) CHECK(y.question.value().at({1, t, s}) == doctest::Approx(a[t][s]).epsilon(1e-12));
    CHECK(y.text.value().at({1, t}) == doctest::Approx(b[t] / total).epsilon(1e-12));
    for (int64_t d = 0; d < kWidth; ++d) {
      double asked = a[t][0] * u.at({1, 0, d}) + a[t][1] * u.at({1, 1, d}), important = 0, own = h.at({1, t, d});
      for (int64_t r = 0; r < 3; ++r) important += b[r] / total * h.at({1, r, d});
      const std::vector<double> wanted{own, asked, own * asked, own * important};
      for (int64_t part = 0; part < 4; ++part)
        CHECK(y.output.value().at({1, t, part * kWidth + d}) ==
              doctest::Approx(wanted[static_cast<size_t>(part)]).epsilon(1e-12));
    }
  }
}

// Each word of the question reads the document first; the document then reads the question together with
// what it found.
PROPERTY(question_reads_the_document_first) {
  nn::Coattention m = built<nn::Coattention>({.width = kWidth, .sentinel = false});
  Variable d = text(), q = tanh(m.map(question())), e = matmul(d, transpose(q, 1, 2));
  Variable by_question = matmul(transpose(softmax(e, 1), 1, 2), d);  // over the document, for each word of the question
  Variable wanted = matmul(softmax(e, 2), concat({q, by_question}, -1));
  nn::CoattentionOutput y = m(text(), question());
  CHECK(max_abs_difference(y.output.value(), wanted.value()) < 1e-14);
  CHECK(max_abs_difference(y.document.value(), transpose(softmax(e, 1), 1, 2).value()) < 1e-14);
  CHECK(y.output.shape() == Shape{2, 3, 2 * kWidth});
}

// A sentinel beside the words takes a part of the weight: all of it where it matches best, none where
// it matches worst.
PROPERTY(sentinel_takes_weight) {
  nn::Coattention m = built<nn::Coattention>({.width = kWidth});
  Tensor rows = sum(m(text(), question()).question, {-1}).value();
  for (double row : rows.to_vector()) CHECK((row > 0 && row < 1 - 1e-6));
  m.of_question.set_value(mul(text().value().slice(0, 0, 1).slice(1, 0, 1), 1e3));  // what the first word wants
  CHECK(sum(m(text(), question()).question, {-1}).value().at({0, 0}) < 1e-12);
  m.of_question.set_value(mul(text().value().slice(0, 0, 1).slice(1, 0, 1), -1e3));
  nn::Coattention without = built<nn::Coattention>({.width = kWidth, .sentinel = false});
  CHECK(sum(m(text(), question()).question, {-1}).value().at({0, 0}) == doctest::Approx(1));
}

// The weights of places, and the probability of a word that occurs twice, agree with an example worked out by hand.
PROPERTY(pointers_by_hand) {
  Variable d(Tensor::from(std::vector<double>{0, std::log(2.0), std::log(5.0)}, {1, 3, 1}));
  Variable q(Tensor::from(std::vector<double>{1, 0}, {1, 2, 1}));
  nn::DocumentPointer y = nn::attention_over_attention(d, q);        // alpha: (1, 2, 5) / 8 and (1, 1, 1) / 3
  double first = (0.5 + 2.0 / 3 + 5.0 / 6) / 3, second = 1 - first;  // the mean of beta
  for (int64_t t = 0; t < 3; ++t) {
    double wanted = std::vector<double>{1, 2, 5}[static_cast<size_t>(t)] / 8 * first + second / 3;
    CHECK(y.places.value().at({0, t}) == doctest::Approx(wanted).epsilon(1e-12));
  }
  CHECK(y.question.value().at({0, 0}) == doctest::Approx(first).epsilon(1e-12));
  Tensor ids = Tensor::from(std::vector<int64_t>{4, 1, 4}, {1, 3});
  Tensor p = nn::probability_of_words(y.places, ids, 6).value();
  CHECK(p.at({0, 4}) == doctest::Approx(y.places.value().at({0, 0}) + y.places.value().at({0, 2})));
  CHECK(sum(p).item() == doctest::Approx(1));
}

// Reversing the words of a sentence changes nothing, since only sums over words reach the classifier; exchanging the
// two sentences does.
PROPERTY(order_of_words_has_no_effect) {
  auto m = built<nn::DecomposableAttention>({.width = kWidth, .hidden = 5, .classes = 3});
  Tensor reversed = flip(text().value(), {1});
  CHECK(max_abs_difference(m(Variable(reversed), question()).logits.value(), m(text(), question()).logits.value()) <
        1e-14);
  CHECK(max_abs_difference(m(question(), text()).logits.value(), m(text(), question()).logits.value()) > 1e-5);
}

// The answer is a network of two sums, of comparisons of each word with what it has read, as the formula says.
PROPERTY(comparisons_are_added_up) {
  auto m = built<nn::DecomposableAttention>({.width = kWidth, .hidden = 5, .classes = 3});
  auto net = [](const nn::Linear& in, const nn::Linear& out, const Variable& x) { return relu(out(relu(in(x)))); };
  Variable a = text(), b = question();
  Variable e = matmul(net(m.attend_in, m.attend_out, a), transpose(net(m.attend_in, m.attend_out, b), 1, 2));
  Variable beta = matmul(softmax(e, 2), b), alpha = matmul(transpose(softmax(e, 1), 1, 2), a);
  Variable of_a = sum(net(m.compare_in, m.compare_out, concat({a, beta}, -1)), {1});
  Variable of_b = sum(net(m.compare_in, m.compare_out, concat({b, alpha}, -1)), {1});
  Variable wanted = m.answer_out(relu(m.answer_in(concat({of_a, of_b}, -1))));
  CHECK(max_abs_difference(m(a, b).logits.value(), wanted.value()) < 1e-14);
}

}  // namespace
}  // namespace heed::nn_test
