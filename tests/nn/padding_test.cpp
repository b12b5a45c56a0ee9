// The contents of padding never matter: no number there, not NaN, infinity, the largest or the smallest one, changes an
// output or a gradient by a bit. 0 times NaN is NaN, so a weight of 0 is not enough, neither forward nor in the product
// that makes a weight's gradient. Here are the modules; tests/nn/attention/padding_properties.cpp has every variant.
#include <fmt/format.h>

#include <cmath>

#include "nn/attention/attention.h"
#include "nn/attention/mixers/aft.h"
#include "nn/attention/structures/hierarchical.h"
#include "nn/attention/structures/lstmn.h"
#include "nn/attention/structures/structured.h"
#include "nn/models/any_recurrent.h"
#include "nn/models/attention_decoder.h"
#include "nn/padding.h"
#include "nn/pool.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pooling.h"
#include "nn/recurrent/gru.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"
#include "nn/transformer/transformer.h"
#include "nn/zoo/attention_over_attention.h"
#include "nn/zoo/bidaf.h"
#include "nn/zoo/coattention.h"
#include "nn/zoo/decomposable.h"
#include "tensor/compare.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

// Two sentences of 3 and of 2 words, S = 4 places.
Tensor lengths() { return Tensor::from(std::vector<int64_t>{3, 2}, {2}); }
// They are the first words of their rows, the last ones, or some with padding between them.
enum class Where { after, before, between } where_padding_is = Where::after;
Tensor words() {
  if (where_padding_is == Where::before) return flip(nn::length_mask(lengths(), 4), {1});
  if (where_padding_is == Where::between) return Tensor::from_bools({1, 0, 1, 1, 0, 1, 0, 1}, {2, 4});
  return nn::length_mask(lengths(), 4);
}
// Calls f with each of them; for what takes a mask and not lengths.
template <class F>
void everywhere(const F& f) {
  for (Where where : {Where::after, Where::before, Where::between}) {
    where_padding_is = where;
    CAPTURE(static_cast<int>(where));
    f();
  }
  where_padding_is = Where::after;
}

// Of each position; 0 is ignored.
const Tensor kTargets = Tensor::from(std::vector<int64_t>{1, 2, 1, 0, 2, 2, 0, 0}, {2, 4});

// x [2, 4, D] with `padding` where no words are.
Variable padded(int64_t D, uint64_t seed, double padding) {
  Tensor x = random({2, 4, D}, seed);
  return {where(words().unsqueeze(-1), x, Tensor::full(x.shape(), padding)), Variable::kRequiresGrad};
}
// What of y [2, 4, ..] belongs to words.
Variable of_words(const Variable& y) { return masked_fill(y, logical_not(words()).unsqueeze(-1), 0); }

struct Made {
  std::vector<Variable> inputs, outputs;
};

// Outputs and gradients with 0 in the padding, and with what is worse. `f` makes its own inputs.
template <class F>
void padding_is_nothing(const std::string& name, const F& f) {
  auto run = [&](double padding, bool recorded) {
    Made made = f(padding);
    std::vector<Tensor> out;
    Variable total(Tensor::zeros({}));
    for (const Variable& y : made.outputs) {
      out.push_back(y.value());
      total = total + weighted_sum(y);
    }
    for (const Variable& g : grad({total}, made.inputs, {.create_graph = recorded})) out.push_back(g.value());
    return out;
  };
  CAPTURE(name);
  for (bool recorded : {false, true}) {
    CAPTURE(recorded);
    std::vector<Tensor> right = run(0, recorded);
    for (const Tensor& t : right) CHECK(all_finite(t));
    for (double padding : {std::nan(""), HUGE_VAL, -HUGE_VAL, 3e38, -3e38, 1e30, 1e-30, 1e-45, 7.0}) {
      CAPTURE(padding);
      std::vector<Tensor> got = run(padding, recorded);
      REQUIRE(got.size() == right.size());
      for (size_t k = 0; k < got.size(); ++k) {
        CAPTURE(k);
        CHECK(equal_numbers({got[k]}, {right[k]}));
      }
    }
  }
}

template <class M>
std::vector<Variable> inputs_of(M& m, const std::vector<Variable>& data) {
  std::vector<Variable> all = data;
  for (const Variable& p : nn::parameters(m)) all.push_back(p);
  return all;
}

// A module on x [2, 4, D]: call(module, x) -> outputs.
template <class M, class F>
void module_ignores_padding(const std::string& name, const typename M::Options& options, int64_t D, const F& call) {
  padding_is_nothing(name, [&](double padding) {
    M m = make<M>(options, 1);
    Variable x = padded(D, 2, padding);
    std::vector<Variable> outputs = call(m, x);
    return Made{inputs_of(m, {x}), outputs};
  });
}

template <class M>
void recurrent_ignores_padding(const char* name, const typename M::Options& options) {
  for (bool step_by_step : {false, true})
    module_ignores_padding<M>(fmt::format("{}{}", name, step_by_step ? ", step by step" : ""), options, 3,
                              [&](M& m, const Variable& x) {
                                if (step_by_step)
                                  for (auto& cell : m.cells)
                                    cell.output_hooks = {[](std::string_view, const Variable&) { return Variable(); }};
                                auto [y, last] = m(x, lengths());
                                std::vector<Variable> outputs{y};
                                for (Variable* part : nn::parts(last)) outputs.push_back(*part);
                                return outputs;
                              });
}

}  // namespace

TEST_CASE("padding: one number of it that is not ordinary, wherever it stands, is hidden") {
  for (int64_t i = 0; i < 6; ++i) {
    Tensor x = Tensor::ones({1, 3, 3}, kF64);
    x.data<double>()[3 + i] = NAN;
    Tensor y = nn::without_padding(Variable(x), nn::length_mask(Tensor::from(std::vector<int64_t>{1}, {1}), 3)).value();
    CHECK(sum(y).item() == 3);
  }
}

TEST_CASE("padding: a sequence as one node, forward and backward in time") {
  using Run = nn::SequenceStates (*)(const nn::SequenceInputs&);
  struct Kind {
    const char* name;
    int64_t G;
    size_t parts;
    Run run;
  };
  for (const Kind& k : {Kind{"rnn_tanh", 1, 1, nn::rnn_tanh_sequence}, Kind{"rnn_relu", 1, 1, nn::rnn_relu_sequence},
                        Kind{"gru", 3, 1, nn::gru_sequence}, Kind{"lstm", 4, 2, nn::lstm_sequence}})
    for (bool backwards : {false, true})
      padding_is_nothing(k.name, [&](double padding) {
        Variable x = padded(3, 1, padding);
        nn::SequenceInputs in{transpose(x, 0, 1),
                              leaf({k.G * 2, 3}, 2),
                              leaf({k.G * 2, 2}, 3),
                              leaf({k.G * 2}, 4),
                              leaf({k.G * 2}, 5),
                              {},
                              words().transpose(0, 1).contiguous(),
                              backwards};
        for (size_t p = 0; p < k.parts; ++p) in.state.push_back(leaf({2, 2}, 6 + p));
        auto [y, last] = k.run(in);
        last.push_back(y);
        Made made{{x, in.weight_ih, in.weight_hh, in.bias_ih, in.bias_hh}, last};
        for (const Variable& part : in.state) made.inputs.push_back(part);
        return made;
      });
}

TEST_CASE("padding: recurrent layers, with and without hooks on the steps") {
  recurrent_ignores_padding<nn::RNN>("RNN", {.input = 3, .hidden = 2, .layers = 2, .bidirectional = true});
  recurrent_ignores_padding<nn::RNN>("RNN relu", {.input = 3, .hidden = 2, .activation = nn::RNNActivation::relu});
  recurrent_ignores_padding<nn::GRU>("GRU", {.input = 3, .hidden = 2, .layers = 2, .bidirectional = true});
  recurrent_ignores_padding<nn::LSTM>("LSTM", {.input = 3, .hidden = 2, .layers = 2, .bidirectional = true});
  module_ignores_padding<nn::LSTMN>("LSTMN", {.input = 3, .hidden = 2}, 3, [](nn::LSTMN& m, const Variable& x) {
    nn::LSTMN::Sequence s = m(x, lengths());
    return std::vector<Variable>{s.h, s.c, s.last.h, s.last.c};
  });
  module_ignores_padding<nn::HierarchyLevel>("HierarchyLevel", {.input = 3, .hidden = 2, .attention = 2}, 3,
                                             [](nn::HierarchyLevel& m, const Variable& x) {
                                               nn::Attended seen = m(x, lengths());
                                               return std::vector<Variable>{seen.context, seen.weights};
                                             });
}

TEST_CASE("padding: attention of every score, of keys, of values and of both") {
  for (const nn::CatalogueEntry& entry : nn::stage_entries(nn::Kind::score))
    for (const char* where_it_is : {"keys", "values", "both"})
      padding_is_nothing(fmt::format("Attention {}, {}", entry.name, where_it_is), [&](double padding) {
        nn::Attention m = make<nn::Attention>({.score = {.name = entry.name, .query = 3, .key = 3}}, 1);
        bool one = std::string(where_it_is) == "both";
        Variable keys = padded(3, 2, std::string(where_it_is) == "values" ? 0 : padding);
        Variable values = one ? keys : padded(3, 3, std::string(where_it_is) == "keys" ? 0 : padding);
        Variable query = leaf({2, 2, 3}, 4);
        nn::Attended seen = m(query, m.remember(keys, values, lengths()));
        std::vector<Variable> data{values};
        if (std::count(entry.own.begin(), entry.own.end(), "no_query_is_read") == 0) data.push_back(query);
        if (!one && !entry.exempt.contains("weights_depend_on_keys")) data.push_back(keys);
        return Made{inputs_of(m, data), {seen.context, seen.weights}};
      });
}

TEST_CASE("padding: attend, and the decoder that is one node") {
  padding_is_nothing("attend", [](double padding) {
    Variable values = padded(3, 1, padding);
    Tensor e = random({2, 2, 4}, 2);
    for (int64_t b = 0; b < 2; ++b)
      for (int64_t t = 0; t < 2; ++t)
        for (int64_t s = 3 - b; s < 4; ++s) e.set({b, t, s}, padding);
    Variable scores = leaf(e);
    nn::Attended seen = nn::attend(scores, values, words().unsqueeze(1));
    return Made{{scores, values}, {seen.context, seen.weights}};
  });
  for (auto* decoder : {nn::attention_decoder, nn::attention_decoder_composed})
    padding_is_nothing("attention_decoder", [&](double padding) {
      nn::DecoderInputs in{leaf({2, 3, 2}, 1),   leaf({2, 2}, 2), padded(3, 3, padding), padded(2, 4, padding),
                           words().unsqueeze(1), leaf({2, 2}, 5), leaf({2}, 6),          leaf({6, 5}, 7),
                           leaf({6, 2}, 8),      leaf({6}, 9),    leaf({6}, 10)};
      nn::DecoderOutputs out = decoder(in);
      return Made{{in.words, in.state, in.annotations, in.keys, in.query, in.v, in.weight_ih, in.weight_hh, in.bias_ih,
                   in.bias_hh},
                  {out.joined}};
    });
}

TEST_CASE("padding: multi-head attention, its three evaluators, and a transformer's layers") {
  everywhere([] {
    for (const char* evaluator : {"dense", "chunked:2", "tiled"}) {
      nn::MultiHeadOptions o{.model = 4, .heads = 2, .evaluator = nn::stage_from(nn::Kind::evaluator, evaluator)};
      using M = nn::MultiHeadAttention;
      module_ignores_padding<M>(fmt::format("self, {}", evaluator), o, 4, [](M& m, const Variable& x) {
        return std::vector<Variable>{of_words(m(x, {.words = words()}).output)};
      });
      module_ignores_padding<M>(fmt::format("cross, {}", evaluator), o, 4, [](M& m, const Variable& x) {
        return std::vector<Variable>{m(Variable(random({2, 3, 4}, 9)), x, x, {.words = words()}).output};
      });
      padding_is_nothing(fmt::format("memory, {}", evaluator), [&](double padding) {
        M m = make<M>(o, 1);
        Variable k = padded(4, 2, padding), v = padded(4, 3, padding), q = leaf({2, 3, 4}, 4);
        auto heads = [](const Variable& x) { return transpose(reshape(x, {2, 4, 2, 2}), 1, 2); };
        return Made{{q, k, v, m.out_proj.weight},
                    {m(q, nn::HeadMemory{heads(k), heads(v)}, {.words = words()}).output}};
      });
    }
    using L = nn::TransformerLayer;
    for (bool first : {false, true}) {
      nn::TransformerLayerOptions o{.model = 4, .heads = 2, .inner = 3, .norm_first = first};
      module_ignores_padding<L>("encoder layer", o, 4, [](L& m, const Variable& x) {
        return std::vector<Variable>{of_words(m(x, {.self = {.words = words()}}).output)};
      });
      o.cross = o.causal = true;
      module_ignores_padding<L>("decoder layer", o, 4, [](L& m, const Variable& x) {
        nn::LayerInput in{.memory = x, .cross = {.words = words()}};
        return std::vector<Variable>{m(Variable(random({2, 3, 4}, 9)), in).output};
      });
      o.cross = o.causal = false;
      module_ignores_padding<nn::TransformerStack>(
          "stack", {.layer = o, .layers = 2}, 4, [](auto& m, const Variable& x) {
            return std::vector<Variable>{of_words(m(x, {.self = {.words = words()}}).output)};
          });
    }
  });
}

TEST_CASE("padding: pooling of every kind") {
  everywhere([] {
    for (const char* name :
         {"cls", "lasttoken", "max", "mean", "mean_sqrt_len_tokens", "sum", "weightedmean", "position_encoding"})
      padding_is_nothing(name, [&](double padding) {
        Variable x = padded(3, 1, padding);
        return Made{{x}, {nn::pool(name, x, words())}};
      });
    module_ignores_padding<nn::Pooling>("Pooling", {.modes = {"attention", "mean"}, .width = 3}, 3,
                                        [](auto& m, const Variable& x) { return std::vector{m(x, words())}; });
    module_ignores_padding<nn::StructuredEmbedding>("StructuredEmbedding", {.input = 3, .hidden = 2, .rows = 2}, 3,
                                                    [](auto& m, const Variable& x) {
                                                      nn::Attended seen = m(x, words());
                                                      return std::vector{seen.context, seen.weights};
                                                    });
    module_ignores_padding<nn::MultiHeadPooling>("MultiHeadPooling", {.model = 4, .heads = 2, .seeds = 2}, 4,
                                                 [](auto& m, const Variable& x) {
                                                   nn::Attended seen = m(x, words());
                                                   return std::vector{seen.context, seen.weights};
                                                 });
  });
}

TEST_CASE("padding: structures that read two sequences, of both") {
  everywhere([] {
    auto as_document = [](const Variable& x) { return flip(x, {0}); };  // x is the question
    auto shown = [](const Variable& y) { return masked_fill(y, logical_not(flip(words(), {0})).unsqueeze(-1), 0); };
    module_ignores_padding<nn::BiDAF>("BiDAF", {.width = 3}, 3, [&](auto& m, const Variable& x) {
      return std::vector{shown(m(as_document(x), x, flip(words(), {0}), words()).output)};
    });
    module_ignores_padding<nn::Coattention>("Coattention", {.width = 3}, 3, [&](auto& m, const Variable& x) {
      return std::vector{shown(m(as_document(x), x, flip(words(), {0}), words()).output)};
    });
    module_ignores_padding<nn::DecomposableAttention>(
        "DecomposableAttention", {.width = 3, .hidden = 2, .classes = 2}, 3, [&](auto& m, const Variable& x) {
          return std::vector{m(as_document(x), x, flip(words(), {0}), words()).logits};
        });
    padding_is_nothing("attention_over_attention", [&](double padding) {
      Variable d = padded(3, 1, padding), q = padded(3, 2, padding);
      return Made{{d, q}, {nn::attention_over_attention(d, q, words(), words()).places}};
    });
  });
}

// A bias 70 above the rest, for a word that is padding, and no larger than the others for those that are there.
TEST_CASE("padding: aft_conv is the sentence alone, to the last bit, whatever its biases are") {
  for (double bias : {0.0, 70.0, 75.0, 700.0})
    for (int64_t place : {0, 1, 3, 4}) {
      Generator rng(1);
      auto m = nn::make_mixer({.name = "aft_conv", .query = 4, .key = 4, .settings = {{"window", 3}}, .heads = 1}, rng);
      auto& table = dynamic_cast<nn::AftMixer&>(*m).table;
      Tensor biased = table.value().clone();
      biased.set({0, place}, bias);
      table.set_value(biased);
      Tensor x = random({1, 3, 4}, 2), nothing = Tensor::zeros({1, 2, 4});
      Tensor alone = (*m)(Variable(x), {}).output.value();
      Tensor after = (*m)(Variable(concat({x, nothing}, 1)), {.words = Tensor::from_bools({1, 1, 1, 0, 0}, {1, 5})})
                         .output.value();
      Tensor before = (*m)(Variable(concat({nothing, x}, 1)), {.words = Tensor::from_bools({0, 0, 1, 1, 1}, {1, 5})})
                          .output.value();
      CAPTURE(bias);
      CAPTURE(place);
      CHECK(bit_equal(after.slice(1, 0, 3).contiguous(), alone));
      CHECK(bit_equal(before.slice(1, 2, 5).contiguous(), alone));
    }
}

TEST_CASE("padding: losses of rows that are ignored") {
  padding_is_nothing("nll_loss", [&](double padding) {
    Variable x = padded(3, 1, padding);
    return Made{{x}, {nll_loss(x, kTargets, {.ignore_index = 0})}};
  });
  for (double padding : {std::nan(""), HUGE_VAL}) {  // the plain pass
    Variable x = padded(3, 1, padding), loss = cross_entropy(x, kTargets, {.label_smoothing = 0.1, .ignore_index = 0});
    CHECK(all_finite(loss.value()));
    backward(loss);
    CHECK(all_finite(x.grad()));
  }
}

TEST_CASE("padding: cross_entropy of rows that are ignored, both passes") {
  for (double smoothing : {0.0, 0.1})
    padding_is_nothing("cross_entropy", [&](double padding) {
      Variable x = padded(3, 1, padding);
      return Made{{x}, {cross_entropy(x, kTargets, {.label_smoothing = smoothing, .ignore_index = 0})}};
    });
}
