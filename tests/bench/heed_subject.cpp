// heed itself: every kind of rows.cpp, and the machine's own limits, which only need a loop.
#include <array>
#include <cmath>
#include <memory>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/layers.h"
#include "nn/models/bahdanau.h"
#include "nn/models/translation_model.h"
#include "nn/models/translator.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/sgd.h"
#include "nn/recurrent/lstm.h"
#include "nn/transformer/transformer.h"
#include "tensor/allocator.h"
#include "tensor/elementwise.h"
#include "tensor/kernels/gemm.h"
#include "tensor/kernels/gemm_bf16.h"
#include "tensor/kernels/machine.h"
#include "tensor/profile.h"
#include "tensor/thread_pool.h"
#include "tests/bench/forward.h"
#include "tests/bench/twins.h"

namespace {

using namespace heed;
using bench::Sizes;
using bench::Work;

template <class T>
volatile T sink;  // what is written here cannot be left out

// --- the machine

// Chains of multiply-adds on 12 vectors of 64 bytes, on every thread: as many chains as registers can hold, of one
// register each, and more than the latency hides. [rounds]
Work multiply_adds(const Sizes& s) {
  return [rounds = s[0]] {
    vectorised_for(0, thread_count(), 1, [&]<int R>(int64_t, int64_t) {
      using Register = Lanes<float, R, R / 4>;
      std::array<Register, 12> sums;
      // Equal chains would become one; and 1 is where x a + b stays x: a chain from there would be left out.
      for (size_t k = 0; k < sums.size(); ++k) sums[k] = static_cast<float>(k + 2);
      Register a = 0.999F, b = 1e-3F;
      for (int64_t i = 0; i < rounds * (64 / R); ++i)
        for (Register& x : sums) x = x * a + b;
      Register all = sums[0];
      for (size_t k = 1; k < sums.size(); ++k) all += sums[k];
      sink<float> = add_lanes(all);
    });
  };
}

Work copy(const Sizes& s) {
  Tensor from = Tensor::ones({s[0], s[1]}), to = Tensor::zeros({s[0], s[1]});
  return [from, to]() mutable { copy_into(to, from); };
}

// --- kernels

Tensor normal(const Shape& shape, uint64_t seed = 1) {
  Generator rng(seed);
  return Tensor::normal(shape, rng);
}

Work add_work(const Sizes& s) {
  return [a = Variable(normal({s[0]})), b = Variable(normal({s[0]}, 2))] { Variable c = a + b; };
}

// M, K, N; a or b may be the transpose of what is in memory. c is overwritten in its place, as in every peer. This
// measures the kernel, as with BLAS; libtorch's figure includes its tensors.
Work matmul_work(const Sizes& s, bool a_transposed = false, bool b_transposed = false) {
  Tensor a = a_transposed ? normal({s[1], s[0]}).transpose(0, 1) : normal({s[0], s[1]});
  Tensor b = b_transposed ? normal({s[2], s[1]}, 2).transpose(0, 1) : normal({s[1], s[2]}, 2);
  auto view = [](const Tensor& t) { return MatrixView<const float>{t.data<float>(), t.strides()[0], t.strides()[1]}; };
  return [s, a, b, view, c = Tensor::zeros({s[0], s[2]})]() mutable {
    gemm<float>(precision(), s[0], s[2], s[1], view(a), view(b), {c.data<float>(), s[2], 1}, /*accumulate=*/false);
  };
}

Work in_bf16(const Work& work) {
  return [work] {
    PrecisionScope scope(Precision::bf16);
    work();
  };
}

template <class F>
bench::Maker pass(F f) {
  return [f](const Sizes& s) -> Work { return [x = Variable(normal({s[0], s[1]})), f] { Variable y = f(x); }; };
}

// --- training steps

// [operations / 2, elements]: c = c * 0.99 + a, again and again; forward and backward.
Work chain(const Sizes& s) {
  return [n = s[0], a = Variable(normal({s[1]}), Variable::kRequiresGrad)]() mutable {
    Variable c = a;
    for (int64_t i = 0; i < n; ++i) c = c * 0.99 + a;
    backward(sum(c));
    a.zero_grad();
  };
}

// The same chain, forward alone, with every value kept: what it holds is nodes, handles and values.
Work recorded(const Sizes& s) {
  return [n = s[0], a = Variable(normal({s[1]}), Variable::kRequiresGrad)] {
    std::vector<Variable> kept{a};
    for (int64_t i = 0; i < n; ++i) {
      kept.push_back(kept.back() * 0.99);
      kept.push_back(kept.back() + a);
    }
  };
}

struct Mlp : nn::Module {
  explicit Mlp(const Sizes& s, Generator& rng)
      : first({.in = s[1], .out = s[2]}, rng),
        second({.in = s[2], .out = s[3]}, rng),
        third({.in = s[3], .out = s[4]}, rng) {}
  Variable operator()(const Variable& x) const { return third(relu(second(relu(first(x))))); }
  void visit(nn::Visitor& v) {
    v.child("first", first);
    v.child("second", second);
    v.child("third", third);
  }
  nn::Linear first, second, third;
};

Work mlp(const Sizes& s) {
  Generator rng(1);
  auto model = std::make_shared<Mlp>(s, rng);
  auto sgd = std::make_shared<nn::SGD>(named_parameters(*model), nn::SGD::Options{.learning_rate = 1e-3});
  Variable x = normal({s[0], s[1]}), target = normal({s[0], s[4]}, 2);
  return [=] {
    sgd->zero_grad();
    backward(mse_loss((*model)(x), target));
    sgd->step();
  };
}

Work lstm(const Sizes& s) {  // B, T, E, N
  Generator rng(1);
  auto model = std::make_shared<nn::LSTM>(nn::LSTM::Options{.input = s[2], .hidden = s[3]}, rng);
  auto adam = std::make_shared<nn::Adam>(named_parameters(*model), nn::Adam::Options{});
  Variable x = normal({s[0], s[1], s[2]});
  return [=] {
    adam->zero_grad();
    backward(mean(square((*model)(x).annotations)));
    adam->step();
  };
}

// Forward and backward, to all inputs and parameters.
bench::Maker attention(const char* score) {
  return [score](const Sizes& s) -> Work {  // B, T, S, A
    Generator rng(1);
    nn::AttentionOptions options;
    options.score = {.name = score, .query = s[3], .key = s[3]};
    auto model = std::make_shared<nn::Attention>(options, rng);
    Variable q(normal({s[0], s[1], s[3]}), Variable::kRequiresGrad), k(normal({s[0], s[2], s[3]}, 2), q.kRequiresGrad);
    return [=]() mutable {
      backward(sum((*model)(q, model->remember(k, k)).context));
      nn::zero_grad(*model);
      q.zero_grad(), k.zero_grad();
    };
  };
}

Work multi_head(const Sizes& s) {  // B, T, D, H
  Generator rng(1);
  auto model = std::make_shared<nn::MultiHeadAttention>(nn::MultiHeadOptions{.model = s[2], .heads = s[3]}, rng);
  Variable x(normal({s[0], s[1], s[2]}), Variable::kRequiresGrad);
  return [=]() mutable {
    backward(sum((*model)(x).output));
    nn::zero_grad(*model);
    x.zero_grad();
  };
}

Tensor words(int64_t B, int64_t T, int64_t V) {
  Generator rng(3);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < B * T; ++i) ids.push_back(4 + rng.below(V - 4));
  return Tensor::from(ids, {B, T});
}

Work seq2seq(const Sizes& s) {  // B, T, V, E, N
  Generator rng(1);
  nn::Bahdanau::Options o;
  o.source = o.target = {s[2], s[3]};
  o.encoder.hidden = o.decoder.hidden = s[4], o.readout = nn::Readout::kDirect, o.dropout = 0;
  auto model = std::make_shared<nn::Bahdanau>(o, rng);
  auto adam = std::make_shared<nn::Adam>(named_parameters(*model), nn::Adam::Options{});
  Tensor source = words(s[0], s[1], s[2]), target = words(s[0], s[1], s[2]),
         lengths = Tensor::full({s[0]}, double(s[1]), DType::i64);
  return [=] {
    adam->zero_grad();
    backward(cross_entropy((*model)(source, lengths, target), target));
    nn::clip_grad_norm(adam->parameters(), 1.0);
    adam->step();
  };
}

// Without projections and masks. A fifth size is a window: as many keys to each side.
Work self_attention(const Sizes& s) {  // B, T, H, K
  Variable q(normal({s[0], s[1], s[2], s[3]}), Variable::kRequiresGrad), k(normal(q.shape(), 2), q.kRequiresGrad),
      v(normal(q.shape(), 3), q.kRequiresGrad);
  AttentionTiles o{.scale = 1 / std::sqrt(static_cast<double>(s[3]))};
  if (s.size() > 4) o.left = o.right = s[4];
  return [=]() mutable {
    backward(sum(tiled_attention(q, k, v, o)));
    q.zero_grad(), k.zero_grad(), v.zero_grad();
  };
}

nn::TransformerOptions transformer_options(const Sizes& s, bool tied, double dropout) {
  nn::TransformerOptions options;
  options.source_vocabulary = options.target_vocabulary = s[2];
  options.model = s[3], options.heads = s[4], options.inner = s[6];
  options.encoder_layers = options.decoder_layers = s[5];
  options.dropout = dropout, options.tie = tied ? "all" : "none";
  return options;
}

Work transformer_step(const Sizes& s, bool tied, double dropout, double smoothing) {
  Generator rng(1);
  auto model = std::make_shared<nn::Transformer>(transformer_options(s, tied, dropout), rng);
  auto adam = std::make_shared<nn::Adam>(named_parameters(*model), nn::Adam::Options{});
  Tensor source = words(s[0], s[1], s[2]), target = words(s[0], s[1], s[2]),
         lengths = Tensor::full({s[0]}, double(s[1]), DType::i64);
  return [=] {
    adam->zero_grad();
    backward(cross_entropy((*model)(source, lengths, target), target, {.label_smoothing = smoothing}));
    nn::clip_grad_norm(adam->parameters(), 1.0);
    adam->step();
  };
}

Work transformer(const Sizes& s) {  // B, T, V, D, H, layers, F: as nn.Transformer has them, without dropout
  return transformer_step(s, false, 0, 0);
}
Work translator(const Sizes& s) { return transformer_step(s, true, 0.1, 0.1); }  // as a real one is trained

Work extend(const Sizes& s) {  // T, D, H, window
  nn::MultiHeadOptions o{.model = s[1], .heads = s[2], .scope = {.name = "causal"}};
  if (s[3] > 0) o.scope = nn::stage_from(nn::Kind::scope, "causal&window:" + std::to_string(s[3]));
  Generator rng(1);
  auto m = std::make_shared<nn::MultiHeadAttention>(o, rng);
  nn::set_training(*m, false);
  Tensor x = Tensor::normal({1, s[0], s[1]}, rng);
  return [=] {
    NoGrad guard;
    auto memory = m->memory();
    for (int64_t t = 0; t < s[0]; ++t) m->extend(Variable(x.slice(1, t, t + 1)), *memory);
  };
}

Work decode(const Sizes& s) {  // B, T, V, D, H, layers, F, hypotheses: sources and translations of T words
  Generator rng(1);
  auto model = std::make_shared<nn::TranslationModel>(nn::paper_of<nn::Transformer>(transformer_options(s, true, 0)),
                                                      nn::Vocabularies{s[2], s[2]}, rng);
  nn::set_training(*model, false);
  Tensor source = words(s[0], s[1], s[2]), lengths = Tensor::full({s[0]}, double(s[1]), DType::i64);
  nn::SearchOptions search{.max_lengths = std::vector<int64_t>(static_cast<size_t>(s[0]), s[1])};
  return [=] {
    NoGrad guard;
    nn::beam_search_all(*model->search(source, lengths), s[7], search);
  };
}

// N sentences of `shortest` to `longest` words, as `heed translate` translates a file: Translator sorts them by length
// and searches batches of at most B, one on each thread. </s> is never written, so that the work is the same each time:
// the model has longest + 2 positions, so a translation has longest + 1 words, or 2 S + 12 where that is less.
Work translate(const Sizes& s) {  // N, shortest, longest, B, V, D, H, layers, F, hypotheses
  std::vector<std::string> words;
  for (int64_t w = 4; w < s[4]; ++w) words.push_back(std::to_string(w));
  text::Vocabulary vocabulary(std::vector<std::vector<std::string>>{words});
  text::PairTokenizers plain{{text::Tokenizer::Kind::space}, {text::Tokenizer::Kind::space}};
  nn::TransformerOptions options = transformer_options({0, 0, s[4], s[5], s[6], s[7], s[8]}, true, 0);
  options.positions = "learned", options.max_positions = s[2] + 2;
  auto translator = std::make_shared<nn::Translator>(nn::TranslatorParts{plain, vocabulary, vocabulary},
                                                     nn::paper_of<nn::Transformer>(options), 1);
  for (auto& p : named_parameters(translator->model))
    if (p.name == "output.bias") {
      Tensor bias = p.variable.value();
      bias.set({text::Vocabulary::stop}, -1e9);
    }
  nn::set_training(translator->model, false);
  Generator rng(3);
  std::vector<std::vector<std::string>> sentences;
  for (int64_t i = 0; i < s[0]; ++i) {
    sentences.emplace_back();
    for (int64_t n = s[1] + i * 7 % (s[2] - s[1] + 1); n > 0; --n)
      sentences.back().push_back(words[static_cast<size_t>(rng.below(std::ssize(words)))]);
  }
  const nn::TranslateOptions how{.beam = s[9], .keep_weights = false, .several_at_once = true};
  return [=] { translator->translate(sentences, how, s[3]); };
}

}  // namespace

int main(int argc, char** argv) {
  bench::Subject heed_itself;
  heed_itself.kinds = {
      {"multiply_adds", multiply_adds},
      {"copy", copy},
      {"add", add_work},
      {"softmax", pass([](const Variable& x) { return softmax(x, -1); })},
      {"layer_norm", pass([](const Variable& x) { return layer_norm(x); })},

      {"gelu", pass([](const Variable& x) { return gelu(x); })},
      {"tanh", pass([](const Variable& x) { return tanh(x); })},
      {"chain", chain},
      {"recorded", recorded},
      {"mlp", mlp},
      {"lstm", lstm},
      {"additive_attention", attention("additive")},
      {"dot_attention", attention("dot")},
      {"multi_head", multi_head},
      {"seq2seq", seq2seq},
      {"self_attention", self_attention},
      {"window_attention", self_attention},
      {"extend", extend},
      {"transformer", transformer},
      {"translator", translator},
      {"translator_bf16", [](const Sizes& s) { return in_bf16(translator(s)); }},
      {"decode", decode},
      {"translate", translate},
  };
  heed_itself.kinds.merge(bench::with_cold({
      {"matmul", [](const Sizes& s) { return matmul_work(s); }},
      {"matmul_at", [](const Sizes& s) { return matmul_work(s, true, false); }},
      {"matmul_bt", [](const Sizes& s) { return matmul_work(s, false, true); }},
      {"matmul_bf16", [](const Sizes& s) { return in_bf16(matmul_work(s)); }},
      {"matmul_at_bf16", [](const Sizes& s) { return in_bf16(matmul_work(s, true, false)); }},
      {"matmul_bt_bf16", [](const Sizes& s) { return in_bf16(matmul_work(s, false, true)); }},
  }));
  heed_itself.kinds.merge(bench::twins(/*composed=*/false));
  heed_itself.kinds.merge(bench::forward_passes());
  heed_itself.kinds.merge(bench::published_models());
  heed_itself.set_threads = set_thread_count;
  heed_itself.system_allocations = [] { return static_cast<int64_t>(allocator_stats().system_allocations); };
  heed_itself.peak_bytes = [](const Work& work) {
    uint64_t before = allocator_stats().live_bytes;
    reset_peak();
    work();
    return static_cast<int64_t>(allocator_stats().peak_bytes - before);
  };
  heed_itself.operations = [](const Work& work) {
    Profile profile;
    work();
    double sum = 0;
    for (const ProfileRow& r : profile.rows()) sum += r.is_product ? 2 * r.work : 0;
    return sum;
  };
  heed_itself.profile = [](const Work& work) {
    work();  // once more than the first time: memory that the system lent for this repetition is there already
    Profile profile;
    work();
    return profile.table();
  };
  return bench::serve(heed_itself, argc, argv);
}
