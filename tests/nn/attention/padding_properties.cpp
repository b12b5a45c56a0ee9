// The contents of padding never matter, whatever the variant: no number there, not NaN, infinity, the largest or the
// smallest one, moves an output or a gradient of a word by a bit, before the words, between them or after them. And a
// sentence with padding before or after it is the sentence alone.
//
// The routes to an entry are made from its row, so a new row is tried with nothing written for it: a stage in
// multi-head attention (of words to themselves, causal and not, to a source, word by word) and in Attention; a mixer
// (causal and not, whole and word by word); a pooling; for other entries, the subject of the other properties.
// B sentences, S = 5 places, T = 3 queries.
#include <cmath>
#include <limits>

#include "autograd/modes.h"
#include "nn/attention/attention.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/cases/small_stages.h"
#include "nn/pooling/pooling.h"
#include "tensor/indexing.h"
#include "tests/nn/attention/mixer_subject.h"

namespace heed::nn_test {
namespace {

using nn::CatalogueEntry;
using nn::Kind;

struct Text {
  Variable query, x, y;  // [B, T, W] without padding; [B, S, W]: the words, or the keys and the values
  Tensor words;          // bool [B, S]; undefined: no padding
  int64_t large = -1;    // 2 i: parameter i is 700 times as large; 2 i + 1: -700 times; -1: none is
};
struct Read {
  std::vector<Variable> outputs;  // of words only: 0 at padding
  std::vector<Variable> parameters;
};
struct Route {
  std::string name;
  std::function<Read(const Text&)> read;
};

Variable of_words(const Variable& y, const Text& t) { return nn::words_only(y, t.words); }

template <class M>
Read read_of(M& m, const std::vector<Variable>& outputs) {
  return {outputs, nn::parameters(m)};
}

template <class M>
void set(M& m, const Text& t) {
  nn::convert(m, t.x.dtype());
  nn::set_training(m, false);
  std::vector<Variable> all = nn::parameters(m);
  if (t.large < 0) return;
  Variable& p = all.at(static_cast<size_t>(t.large / 2));
  p.set_value(mul(p.value(), t.large % 2 ? -700 : 700));
}
template <class M>
M made(const typename M::Options& options, const Text& t) {
  M m = make<M>(options, 1);
  set(m, t);
  return m;
}

// The words so far of each step, and what a step gives, joined.
template <class Step>
Variable word_by_word(const Text& t, const Step& step) {
  std::vector<Variable> outputs;
  for (int64_t s = 0; s < t.x.size(1); ++s)
    outputs.push_back(step(slice(t.x, 1, s, s + 1), t.words.defined() ? t.words.slice(1, 0, s + 1) : Tensor()));
  return concat(outputs, 1);
}

Tensor from(const Tensor& words, int64_t first) {
  return words.defined() ? words.slice(1, first, words.size(1)).contiguous() : words;
}

const nn::SmallSizes kSmall{.query = kWidth, .most = 2, .hidden = 5, .longest = 16, .one_width = true};

std::vector<Route> routes_of_mixer(const CatalogueEntry& e) {
  const std::string text = nn::text_of(Kind::mixer, nn::small_stage(Kind::mixer, {.name = e.name}, kSmall));
  auto mixer = [text](const Text& t, bool causal) {
    auto m = small_mixer(text, causal);
    set(*m, t);
    return m;
  };
  std::vector<Route> routes;
  for (bool causal : {false, true}) {
    if (causal && e.exempt.contains(nn::kLaterWordsAreNotRead)) continue;
    routes.push_back({causal ? "causal" : "whole", [=](const Text& t) {
                        auto m = mixer(t, causal);
                        return read_of(*m, {of_words((*m)(t.x, {.words = t.words}).output, t)});
                      }});
    if (causal)
      routes.push_back({"word by word", [=](const Text& t) {
                          auto m = mixer(t, causal);
                          auto memory = m->memory();
                          Variable y = word_by_word(t, [&](const Variable& word, const Tensor& words) {
                            return m->extend(word, *memory, {.words = words}).output;
                          });
                          return read_of(*m, {of_words(y, t)});
                        }});
  }
  return routes;
}

std::vector<Route> routes_of_pooling(const CatalogueEntry& e) {
  const std::string text = e.pooling ? e.name : e.text;
  return {{"pooling", [text](const Text& t) {
             auto m = made<nn::Pooling>({.modes = nn::stage_texts(text), .width = kWidth}, t);
             return read_of(m, {m(t.x, t.words)});
           }}};
}

std::vector<Route> routes_of_stage(const CatalogueEntry& e) {
  auto stages = [&e](auto& o) -> nn::StageOptions& {
    return e.kind == Kind::score        ? o.score
           : e.kind == Kind::normaliser ? o.normaliser
           : e.kind == Kind::scope      ? o.scope
           : e.kind == Kind::position   ? o.position
                                        : o.evaluator;
  };
  nn::StageOptions stage{.name = e.name};
  if (e.kind != Kind::evaluator) stage = nn::small_stage(e.kind, stage, kSmall);
  for (const nn::OptionField& setting : e.settings)
    for (const char* small : {"chunk", "landmarks", "parts"})
      if (e.kind == Kind::evaluator && setting.name == small) stage.settings[small] = 2;
  auto heads = [=](const Text& t, bool causal) {
    nn::MultiHeadOptions o{.model = kWidth, .heads = 2};
    if (causal) o.scope.name = e.kind == Kind::scope ? "causal&" + nn::text_of(e.kind, stage) : "causal";
    if (!causal || e.kind != Kind::scope) stages(o) = stage;
    return made<nn::MultiHeadAttention>(o, t);
  };
  std::vector<Route> routes;
  for (bool causal : {false, true})
    routes.push_back({causal ? "causal self-attention" : "self-attention", [=](const Text& t) {
                        auto m = heads(t, causal);
                        return read_of(m, {of_words(m(t.x, {.words = t.words}).output, t)});
                      }});
  routes.push_back(
      {"word by word", [=](const Text& t) {
         auto m = heads(t, true);
         NoGrad carries_none;
         auto memory = m.memory();
         nn::AlignmentState state;
         Variable y = word_by_word(t, [&](const Variable& word, const Tensor& words) {
           return m.extend(word, *memory, {.words = from(words, memory->kept_after(1).first), .state = &state}).output;
         });
         return read_of(m, {of_words(y, t)});
       }});
  routes.push_back({"cross-attention", [=](const Text& t) {
                      auto m = heads(t, false);
                      return read_of(m, {m(t.query, t.x, t.y, {.words = t.words}).output});
                    }});
  routes.push_back({"Attention", [=](const Text& t) {
                      nn::AttentionOptions o;
                      o.score.query = o.score.key = kWidth;
                      stages(o) = stage;
                      o.score.query = o.score.key = kWidth;
                      auto m = made<nn::Attention>(o, t);
                      nn::Attended seen = m(t.query, m.remember(t.x, t.y, t.words));
                      Variable w = seen.weights.defined() ? seen.weights : seen.context;
                      return read_of(m, {seen.context, w * w});
                    }});
  return routes;
}

// As its other properties try it: a mask that hides the padding from all queries.
std::vector<Route> routes_of_subject(const CatalogueEntry& e) {
  Subject subject = subject_of(e);
  CHECK_MESSAGE(bool(subject), "no subject to try it on: tests/nn/attention/subject.cpp");
  if (!subject) return {};
  return {{"subject", [subject](const Text& t) {
             Ask ask{.query = t.query, .keys = t.x, .values = t.y};
             if (t.words.defined()) ask.allowed = t.words.unsqueeze(1);
             Seen seen = subject(ask);
             Read read{{seen.context, seen.weights}, {}};
             for (const auto& p : seen.parameters) read.parameters.push_back(p.variable);
             return read;
           }}};
}

std::vector<Route> routes_of(const CatalogueEntry& e) {
  if (e.mixer) return routes_of_mixer(e);
  if (e.kind == Kind::pooling) return routes_of_pooling(e);
  if (e.score || e.normaliser || e.scope || e.position || e.evaluator) return routes_of_stage(e);
  std::vector<Route> routes;
  if (e.pooling) routes = routes_of_pooling(e);
  if (!e.exempt.contains("masked_keys_are_absent"))
    for (const Route& route : routes_of_subject(e)) routes.push_back(route);
  return routes;
}

// Sentences of 5, 4, 2 and 0 words.
struct Layout {
  const char* name;
  Tensor words;
};
std::vector<Layout> layouts() {
  const std::vector<int> right{1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
      left{1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0},
      between{1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0};
  return {{"after", Tensor::from_bools(right, {4, 5})},
          {"before", Tensor::from_bools(left, {4, 5})},
          {"between", Tensor::from_bools(between, {4, 5})}};
}

Text text_of(const Tensor& words, double garbage, DType dtype, int64_t large) {
  auto padded = [&](uint64_t seed) {
    Tensor x = random({words.size(0), words.size(1), kWidth}, seed, dtype);
    return leaf(where(words.unsqueeze(-1), x, Tensor::full(x.shape(), garbage, dtype)));
  };
  return {leaf({words.size(0), 3, kWidth}, 21, dtype), padded(22), padded(23), words, large};
}

struct Numbers {
  std::vector<Tensor> outputs, inputs, parameters;  // the two last: gradients; inputs: of query, x and y
};
Numbers numbers_of(const Route& route, const Text& t) {
  Read read = route.read(t);
  Variable loss;
  for (const Variable& y : read.outputs) loss = loss.defined() ? loss + sum(y * (y + 1)) : sum(y * (y + 1));
  std::vector<Variable> wanted{t.query, t.x, t.y};
  wanted.insert(wanted.end(), read.parameters.begin(), read.parameters.end());
  std::vector<Variable> all(wanted.size());
  if (loss.requires_grad()) all = grad({loss}, wanted, {.allow_unused = true});
  Numbers out{{}, {}, {}};
  for (const Variable& y : read.outputs) out.outputs.push_back(y.value());
  for (size_t i = 0; i < all.size(); ++i)
    (i < 3 ? out.inputs : out.parameters)
        .push_back(all[i].defined() ? all[i].value() : Tensor::zeros(wanted[i].shape(), wanted[i].dtype()));
  return out;
}

// Calls f with every route that the stages allow together, and a text of every layout. Or of the layout `only`, and
// then again with each parameter 700 and -700 times as large: a bias of 70 above the rest is the end of a maximum that
// padding takes part in.
template <class F>
void each_route(const CatalogueEntry& e, const std::string& only, const F& f) {
  int tried = 0;
  for (const Route& route : routes_of(e))
    for (DType dtype : {DType::f64, DType::f32})
      for (const Layout& layout : layouts()) {
        if (!only.empty() && layout.name != only) continue;
        int64_t parameters = 0;
        for (int64_t large = -1; large < parameters; ++large) {
          CAPTURE(route.name);
          CAPTURE(name_of(dtype));
          CAPTURE(layout.name);
          CAPTURE(large);
          Text plain = text_of(layout.words, 0, dtype, large);
          Numbers right;
          try {
            right = numbers_of(route, plain);
          } catch (const ValueError&) { break; } catch (const ShapeError&) {
            break;
          }  // refused together
          ++tried;
          if (!only.empty() && dtype == DType::f64) parameters = 2 * std::ssize(right.parameters);
          bool finite = true;
          for (const auto* all : {&right.outputs, &right.inputs, &right.parameters})
            for (const Tensor& x : *all) finite = finite && all_finite(x);
          CHECK((finite || large >= 0));
          if (finite) f(route, layout, plain, right);
        }
      }
  CHECK_MESSAGE(tried > 0, "no route to it");
}

PROPERTY(padding_is_never_read) {
  size_t turn = 0;
  each_route(entry, "", [&](const Route& route, const Layout& layout, const Text& plain, const Numbers& right) {
    const DType dtype = plain.x.dtype();
    const bool wide = dtype == DType::f64;
    const double most = wide ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max(),
                 least = wide ? std::numeric_limits<double>::denorm_min() : std::numeric_limits<float>::denorm_min();
    // NaN in all, each of the others in one of three layouts, with f64 and with f32.
    const std::vector<double> all{std::nan(""), 7, -700, 1e5, 1e30, most, -most, 1e-30, least, HUGE_VAL, -HUGE_VAL};
    ++turn;
    for (size_t g = 0; g < all.size(); ++g) {
      const double garbage = all[g];
      if (g > 0 && (g + turn) % 3 != 0) continue;
      CAPTURE(garbage);
      Numbers got = numbers_of(route, text_of(layout.words, garbage, dtype, plain.large));
      CHECK_MESSAGE(equal_numbers(got.outputs, right.outputs), "the padding changes an output");
      CHECK_MESSAGE(equal_numbers(got.parameters, right.parameters), "the padding changes a parameter's gradient");
      CHECK_MESSAGE(equal_numbers(got.inputs, right.inputs), "the padding changes an input's gradient");
      for (size_t i = 1; i < 3; ++i) {
        Tensor of_padding = masked_fill(got.inputs[i], layout.words.unsqueeze(-1), 0);
        CHECK_MESSAGE(all_zero(of_padding), "the padding has a gradient");
      }
    }
  });
}

void padded_is_alone(const CatalogueEntry& e, const std::string& where) {
  each_route(e, where, [&](const Route& route, const Layout& layout, const Text& padded, const Numbers& all) {
    for (int64_t b = padded.large < 0 ? 0 : 2; b < 3; ++b) {
      std::vector<int64_t> at;
      for (int64_t s = 0; s < 5; ++s)
        if (layout.words.at({b, s}) != 0) at.push_back(s);
      const Tensor index = Tensor::from(at, {std::ssize(at)});
      auto cut = [&](const Tensor& x) { return index_select(x.slice(0, b, b + 1), 1, index); };
      Text alone{leaf(padded.query.value().slice(0, b, b + 1)),
                 leaf(cut(padded.x.value())),
                 leaf(cut(padded.y.value())),
                 {},
                 padded.large};
      Numbers one = numbers_of(route, alone);
      const double bound = padded.x.dtype() == DType::f64 ? 1e-10 : 1e-4;
      CAPTURE(b);
      Tensor y = all.outputs[0].slice(0, b, b + 1);  // [1, S, ..], [1, T, ..] or [1, ..]
      if (y.rank() == 3 && y.size(1) == 5) y = index_select(y, 1, index);
      CHECK(relative_error(one.outputs[0], y.contiguous()) <= bound);
      CHECK(relative_error(one.inputs[1], cut(all.inputs[1])) <= bound);
    }
  });
}

PROPERTY(padded_after_is_alone) { padded_is_alone(entry, "after"); }
PROPERTY(padded_before_is_alone) { padded_is_alone(entry, "before"); }

}  // namespace
}  // namespace heed::nn_test
