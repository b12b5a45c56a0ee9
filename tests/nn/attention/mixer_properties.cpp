// What every mixer holds, and what each of them holds by itself.
#include <cmath>

#include "autograd/modes.h"
#include "nn/attention/attend.h"
#include "nn/attention/memories/segment.h"
#include "nn/attention/recurrences/average.h"
#include "nn/attention/recurrences/state_memory.h"
#include "nn/attention/scopes/masks.h"
#include "nn/cases/small_stages.h"
#include "tests/nn/attention/mixer_subject.h"

namespace heed::nn_test {

namespace {

bool silent(const nn::Mixer& m) {
  const NoGrad constants;
  try {
    return all_zero(m(small_sentences(3), {}).output.value());
  } catch (const Error&) {
    return false;  // it is for sentences of another length
  }
}

// A mixer whose outputs are 0 at first, since a matrix or a gain begins at 0, would hold nearly any property. The
// parameter on which its outputs hang is drawn.
void awaken(nn::Mixer& m) {
  if (!silent(m)) return;
  for (auto& p : nn::named_parameters(m)) {
    const Tensor first = p.variable.value();
    if (!all_zero(first)) continue;
    p.variable.set_value(random(first.shape(), 77, DType::f64));
    if (!silent(m)) return;
    p.variable.set_value(first);
  }
}

}  // namespace

std::unique_ptr<nn::Mixer> small_mixer(const std::string& text, bool causal, int64_t heads) {
  nn::MixerOptions o = nn::stage_from(nn::Kind::mixer, text);
  o.query = o.key = kWidth, o.heads = heads, o.causal = causal;
  Generator rng(7);
  std::unique_ptr<nn::Mixer> m = nn::make_mixer(o, rng);
  nn::convert(*m, DType::f64);
  nn::set_training(*m, false);
  awaken(*m);
  return m;
}

Variable small_sentences(int64_t T) { return leaf({2, T, kWidth}, 11, DType::f64); }

namespace {

using nn::CatalogueEntry;

std::string small_text(const CatalogueEntry& e) {
  return nn::text_of(nn::Kind::mixer, nn::small_stage(nn::Kind::mixer, {.name = e.name}, {.most = 2, .longest = 8}));
}
bool can_be_causal(const CatalogueEntry& e) { return !e.exempt.contains(nn::kLaterWordsAreNotRead); }

// Two sentences, of five words and of three; whatever stands in the padding, NaN too, changes no bit of a word.
PROPERTY(padding_changes_no_output) {
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 5});
  for (bool causal : {false, true}) {
    if (causal && !can_be_causal(entry)) continue;
    auto m = small_mixer(small_text(entry), causal);
    Tensor x = small_sentences(5).value().clone(), other = x.clone();
    for (int64_t s : {3, 4})
      for (int64_t d = 0; d < kWidth; ++d) other.set({1, s, d}, 1e3 * static_cast<double>(d - s));
    Variable xv = leaf(x), ov = leaf(other);
    Variable one = (*m)(xv, {.words = words}).output, two = (*m)(ov, {.words = words}).output;
    CHECK(same_bits({one.value().slice(1, 0, 3).contiguous()}, {two.value().slice(1, 0, 3).contiguous()}));
    CHECK(same_bits({one.value().select(0, 0).contiguous()}, {two.value().select(0, 0).contiguous()}));
    backward(sum(slice(select(one, 0, 1), 0, 0, 3)));
    Tensor g = xv.grad().select(0, 1).slice(0, 3, 5).contiguous();
    CHECK(all_zero(g));
    // Without the padding it is the same sentence.
    Variable alone = (*m)(Variable(x.slice(0, 1, 2).slice(1, 0, 3).contiguous()), {}).output;
    CHECK(max_abs_difference(alone.value(), one.value().slice(0, 1, 2).slice(1, 0, 3).contiguous()) < 1e-12);
  }
}

PROPERTY(later_words_are_not_read) {  // nn::kLaterWordsAreNotRead
  auto m = small_mixer(small_text(entry), true);
  for (int64_t t = 0; t < 6; ++t) {
    Variable x = small_sentences(6);
    backward(sum(slice((*m)(x, {}).output, 1, t, t + 1)));
    Tensor g = x.grad();
    CHECK(all_zero(g.slice(1, t + 1, 6).contiguous()));
  }
}

// One word at a time and in pieces; beam search keeps rows, which must carry their state with them.
PROPERTY(word_by_word_is_the_whole) {
  if (!can_be_causal(entry)) {  // it refuses, with its reason
    std::string said = message_of<ValueError>([&] { small_mixer(small_text(entry), true); });
    CHECK(said.find("--encoder-mixers " + entry.name) != std::string::npos);
    return;
  }
  auto m = small_mixer(small_text(entry), true);
  Variable x = small_sentences(7);
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1}, {2, 7});
  for (const Tensor& mask : {Tensor(), words}) {
    Tensor whole = (*m)(x, {.words = mask}).output.value();
    for (std::vector<int64_t> pieces : {std::vector<int64_t>{1, 1, 1, 1, 1, 1, 1}, {3, 1, 2, 1}}) {
      auto memory = m->memory();
      int64_t at = 0;
      for (int64_t n : pieces) {
        Tensor seen = mask.defined() ? mask.slice(1, 0, at + n).contiguous() : Tensor();
        Tensor y = m->extend(slice(x, 1, at, at + n), *memory, {.words = seen}).output.value();
        Tensor expected = whole.slice(1, at, at + n).contiguous();
        for (int64_t b = 0; b < 2; ++b)
          for (int64_t i = 0; i < n; ++i)  // what is computed at padding is nobody's
            if (!mask.defined() || mask.at({b, at + i}) != 0)
              CHECK(max_abs_difference(y.select(0, b).select(0, i).contiguous(),
                                       expected.select(0, b).select(0, i).contiguous()) < 1e-12);
        at += n;
        CHECK(memory->words() == at);
      }
    }
  }
  auto memory = m->memory();
  m->extend(slice(x, 1, 0, 3), *memory, {});
  const Tensor order = Tensor::from(std::vector<int64_t>{1, 0, 1}, {3});
  memory->keep(order);
  Variable turned = index_select(x, 0, order);
  Tensor y = m->extend(slice(turned, 1, 3, 4), *memory, {}).output.value();
  CHECK(max_abs_difference(y, (*m)(turned, {}).output.value().slice(1, 3, 4).contiguous()) < 1e-12);
}

PROPERTY(no_words_stay_finite) {
  auto m = small_mixer(small_text(entry));
  Variable x = small_sentences(3);
  Variable y = (*m)(x, {.words = Tensor::from_bools({1, 1, 0, 0, 0, 0}, {2, 3})}).output;
  backward(sum(y));
  CHECK(std::isfinite(sum(y).item()));
  CHECK(std::isfinite(sum(abs(x.grad())).item()));
}

// The mixer reads the mean of the allowed words, as attention with equal weights does, causal or not; a feed-forward
// network and gates follow.
PROPERTY(uniform_weights_are_the_mean) {
  for (bool causal : {true, false}) {
    auto made = small_mixer("average", causal);
    auto& m = dynamic_cast<nn::AverageMixer&>(*made);
    Variable x = small_sentences(5);
    Tensor scores = Tensor::zeros({1, 5, 5}, DType::f64), allowed;
    if (causal) allowed = nn::causal_mask({.queries = 5, .keys = 5});
    Variable mean = nn::attend(Variable(scores.expand({2, 5, 5}).contiguous()), x, allowed).context;
    Variable g = m.linear2(relu(m.linear1(mean))), open = sigmoid(m.gates(concat({x, g}, -1)));
    Variable expected = slice(open, -1, 0, kWidth) * x + slice(open, -1, kWidth, 2 * kWidth) * g;
    CHECK(max_abs_difference(m(x, {}).output.value(), expected.value()) < 1e-14);
  }
}

// A decoder keeps one sum and one count per sentence, however many words it has read.
PROPERTY(a_step_keeps_one_vector) {
  auto m = small_mixer("average", true);
  auto memory = m->memory();
  for (int64_t t : {0, 3, 4}) {  // three words, then one by one
    m->extend(slice(small_sentences(5), 1, t, std::max<int64_t>(t + 1, 3)), *memory, {});
    CHECK(memory->bytes() == 2 * (kWidth + 1) * 8);  // two sentences, a sum and a count
  }
  nn::SegmentMemory other(3, {});
  CHECK(message_of<ValueError>([&] { m->extend(small_sentences(1), other, {}); }).find("state of its own") !=
        std::string::npos);
}

}  // namespace
}  // namespace heed::nn_test
