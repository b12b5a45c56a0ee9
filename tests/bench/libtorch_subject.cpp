// The peer libtorch (PyTorch's C++ library), with the same workloads written as its users write them.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/bench/forward.h"

namespace {

using bench::Sizes;
using bench::Work;
using torch::Tensor;
namespace nn = torch::nn;
namespace optim = torch::optim;

Work add_work(const Sizes& s) {
  return [a = torch::randn({s[0]}), b = torch::randn({s[0]})] {
    torch::NoGradGuard guard;
    Tensor c = a + b;
  };
}

Work matmul_work(const Sizes& s, bool a_transposed = false, bool b_transposed = false) {
  Tensor a = a_transposed ? torch::randn({s[1], s[0]}).t() : torch::randn({s[0], s[1]});
  Tensor b = b_transposed ? torch::randn({s[2], s[1]}).t() : torch::randn({s[1], s[2]}), c = torch::zeros({s[0], s[2]});
  return [a, b, c]() mutable {
    torch::NoGradGuard guard;
    torch::mm_out(c, a, b);
  };
}

template <class F>
bench::Maker pass(F f) {
  return [f](const Sizes& s) -> Work {
    return [x = torch::randn({s[0], s[1]}), f] {
      torch::NoGradGuard guard;
      Tensor y = f(x);
    };
  };
}

Work chain(const Sizes& s) {
  return [n = s[0], a = torch::randn({s[1]}, torch::requires_grad())]() mutable {
    Tensor c = a;
    for (int64_t i = 0; i < n; ++i) c = c * 0.99 + a;
    c.sum().backward();
    a.mutable_grad().reset();
  };
}

Work mlp(const Sizes& s) {
  nn::Sequential model(nn::Linear(s[1], s[2]), nn::ReLU(), nn::Linear(s[2], s[3]), nn::ReLU(), nn::Linear(s[3], s[4]));
  auto sgd = std::make_shared<optim::SGD>(model->parameters(), optim::SGDOptions(1e-3));
  Tensor x = torch::randn({s[0], s[1]}), target = torch::randn({s[0], s[4]});
  return [=]() mutable {
    sgd->zero_grad();
    torch::mse_loss(model->forward(x), target).backward();
    sgd->step();
  };
}

Work lstm(const Sizes& s) {  // B, T, E, N
  nn::LSTM model(nn::LSTMOptions(s[2], s[3]).batch_first(true));
  auto adam = std::make_shared<optim::Adam>(model->parameters());
  Tensor x = torch::randn({s[0], s[1], s[2]});
  return [=]() mutable {
    adam->zero_grad();
    std::get<0>(model->forward(x)).square().mean().backward();
    adam->step();
  };
}

Tensor leaf(const Sizes& shape) { return torch::randn(shape, torch::requires_grad()); }

// Gradients away, so that none is added to.
void forget(const std::vector<Tensor>& all) {
  for (const Tensor& x : all) x.mutable_grad().reset();
}

Work additive_attention(const Sizes& s) {  // B, T, S, A
  int64_t A = s[3];
  nn::Linear query(nn::LinearOptions(A, A).bias(false)), key(A, A), v(nn::LinearOptions(A, 1).bias(false));
  Tensor q = leaf({s[0], s[1], A}), k = leaf({s[0], s[2], A});
  return [=]() mutable {
    Tensor scores = v->forward(torch::tanh(query->forward(q).unsqueeze(2) + key->forward(k).unsqueeze(1))).squeeze(3);
    torch::bmm(torch::softmax(scores, -1), k).sum().backward();
    forget({q, k, query->weight, key->weight, key->bias, v->weight});
  };
}

Work dot_attention(const Sizes& s) {  // B, T, S, A
  Tensor q = leaf({s[0], s[1], s[3]}), k = leaf({s[0], s[2], s[3]});
  return [=]() mutable {
    torch::bmm(torch::softmax(torch::bmm(q, k.transpose(1, 2)), -1), k).sum().backward();
    forget({q, k});
  };
}

Work multi_head(const Sizes& s) {  // B, T, D, H
  nn::MultiheadAttention model(s[2], s[3]);
  Tensor x = leaf({s[1], s[0], s[2]});  // [T, B, D], as this module wants it
  return [=]() mutable {
    std::get<0>(model->forward(x, x, x, /*key_padding_mask=*/{}, /*need_weights=*/false)).sum().backward();
    forget({x});
    forget(model->parameters());
  };
}

struct Seq2SeqImpl : nn::Module {  // as nn/models/bahdanau.h, the output layer straight on [s, c, y]
  Seq2SeqImpl(int64_t V, int64_t E, int64_t N)
      : source_embedding(register_module("se", nn::Embedding(V, E))),
        target_embedding(register_module("te", nn::Embedding(V, E))),
        encoder(register_module("encoder", nn::GRU(nn::GRUOptions(E, N).batch_first(true).bidirectional(true)))),
        bridge(register_module("bridge", nn::Linear(N, N))),
        query(register_module("query", nn::Linear(nn::LinearOptions(N, N).bias(false)))),
        key(register_module("key", nn::Linear(2 * N, N))),
        v(register_module("v", nn::Linear(nn::LinearOptions(N, 1).bias(false)))),
        cell(register_module("cell", nn::GRUCell(E + 2 * N, N))),
        output(register_module("output", nn::Linear(3 * N + E, V))),
        hidden(N) {}

  Tensor forward(const Tensor& source, const Tensor& target) {
    Tensor h = std::get<0>(encoder(source_embedding(source)));  // [B, S, 2N]
    Tensor s = torch::tanh(bridge(h.select(1, 0).slice(1, hidden)));
    Tensor keys = key(h), y = target_embedding(target);  // [B, S, N], [B, T, E]
    std::vector<Tensor> rows;
    for (int64_t t = 0; t < target.size(1); ++t) {
      Tensor scores = v(torch::tanh(query(s).unsqueeze(1) + keys)).squeeze(2);             // [B, S]
      Tensor context = torch::bmm(torch::softmax(scores, -1).unsqueeze(1), h).squeeze(1);  // [B, 2N]
      Tensor word = y.select(1, t);
      s = cell(torch::cat({word, context}, 1), s);
      rows.push_back(torch::cat({s, context, word}, 1));
    }
    return output(torch::stack(rows, 1));
  }

  nn::Embedding source_embedding, target_embedding;
  nn::GRU encoder;
  nn::Linear bridge, query, key, v;
  nn::GRUCell cell;
  nn::Linear output;
  int64_t hidden;
};
TORCH_MODULE(Seq2Seq);

Work seq2seq(const Sizes& s) {  // B, T, V, E, N
  Seq2Seq model(s[2], s[3], s[4]);
  auto adam = std::make_shared<optim::Adam>(model->parameters());
  Tensor source = torch::randint(4, s[2], {s[0], s[1]}), target = torch::randint(4, s[2], {s[0], s[1]});
  return [=]() mutable {
    adam->zero_grad();
    Tensor logits = model->forward(source, target);
    torch::nn::functional::cross_entropy(logits.flatten(0, 1), target.flatten()).backward();
    nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    adam->step();
  };
}

Work self_attention(const Sizes& s) {  // B, T, H, K: without projections and masks; this version has no fused one
  Tensor q = leaf({s[0], s[2], s[1], s[3]}), k = leaf({s[0], s[2], s[1], s[3]}), v = leaf({s[0], s[2], s[1], s[3]});
  return [=, scale = 1 / std::sqrt(static_cast<double>(s[3]))]() mutable {
    torch::matmul(torch::softmax(torch::matmul(q * scale, k.transpose(2, 3)), -1), v).sum().backward();
    forget({q, k, v});
  };
}

// nn::Transformer between embeddings with sinusoidal positions and an output layer; no dropout, no padding.
struct TranslatorImpl : nn::Module {
  TranslatorImpl(int64_t V, int64_t D, int64_t H, int64_t layers, int64_t ff, bool tied, double p)
      : source_embedding(register_module("source", nn::Embedding(V, D))),
        target_embedding(tied ? source_embedding : register_module("target", nn::Embedding(V, D))),
        body(register_module("body", nn::Transformer(nn::TransformerOptions(D, H)
                                                         .num_encoder_layers(layers)
                                                         .num_decoder_layers(layers)
                                                         .dim_feedforward(ff)
                                                         .dropout(p)))),
        output(register_module("output", nn::Linear(D, V))),
        dropout(register_module("dropout", nn::Dropout(p))),
        width(D) {
    if (tied) output->weight = source_embedding->weight;
    Tensor at = torch::arange(512).unsqueeze(1),
           hand = torch::exp(torch::arange(0, D, 2) * (-std::log(1e4) / double(D)));
    positions = torch::stack({torch::sin(at * hand), torch::cos(at * hand)}, 2).reshape({512, 1, D});
  }
  Tensor embedded(nn::Embedding& table, const Tensor& ids) {  // [B, T] -> [T, B, D], as this module wants it
    return dropout(table(ids.transpose(0, 1)) * std::sqrt(static_cast<double>(width)) +
                   positions.slice(0, 0, ids.size(1)));
  }
  Tensor forward(const Tensor& source, const Tensor& target) {
    Tensor causal = nn::TransformerImpl::generate_square_subsequent_mask(target.size(1));
    Tensor h =
        body->forward(embedded(source_embedding, source), embedded(target_embedding, target), /*src_mask=*/{}, causal);
    return output(h);  // [T, B, V]
  }
  nn::Embedding source_embedding, target_embedding;
  nn::Transformer body;
  nn::Linear output;
  nn::Dropout dropout;
  Tensor positions;
  int64_t width;
};
TORCH_MODULE(Translator);

void train(Translator& model, optim::Adam& adam, const Tensor& source, const Tensor& target, double smoothing) {
  adam.zero_grad();
  Tensor logits = model->forward(source, target);
  torch::nn::functional::cross_entropy(logits.flatten(0, 1), target.transpose(0, 1).flatten(),
                                       torch::nn::functional::CrossEntropyFuncOptions().label_smoothing(smoothing))
      .backward();
  nn::utils::clip_grad_norm_(model->parameters(), 1.0);
  adam.step();
}

Work transformer_step(const Sizes& s, bool tied, double dropout, double smoothing) {  // B, T, V, D, H, layers, ff
  Translator model(s[2], s[3], s[4], s[5], s[6], tied, dropout);
  auto adam = std::make_shared<optim::Adam>(model->parameters());
  Tensor source = torch::randint(4, s[2], {s[0], s[1]}), target = torch::randint(4, s[2], {s[0], s[1]});
  return [=]() mutable { train(model, *adam, source, target, smoothing); };
}
// Beam search, greedily with one hypothesis: every step decodes all words so far, since nn::Transformer keeps nothing.
// padding [B, S]: true where the source is padding; undefined if it is nowhere.
void beam_search(Translator& model, const Tensor& source, const Tensor& padding, int64_t steps, int64_t V, int64_t k) {
  torch::NoGradGuard guard;
  int64_t B = source.size(0);
  Tensor memory = model->body->encoder.get<nn::TransformerEncoder>()->forward(
      model->embedded(model->source_embedding, source), /*src_mask=*/{}, padding);
  auto decoder = model->body->decoder.get<nn::TransformerDecoder>();
  memory = memory.repeat_interleave(k, 1);  // [S, B k, D]
  Tensor unread = padding.defined() ? padding.repeat_interleave(k, 0) : Tensor();
  Tensor words = torch::full({B * k, 1}, 2, torch::kLong), total = torch::full({B, k}, -INFINITY);
  total.select(1, 0) = 0;  // all begin alike: one of them counts
  for (int64_t t = 0; t < steps; ++t) {
    Tensor causal = nn::TransformerImpl::generate_square_subsequent_mask(words.size(1));
    Tensor h = decoder->forward(model->embedded(model->target_embedding, words), memory, causal, /*memory_mask=*/{},
                                /*tgt_key_padding_mask=*/{}, unread);
    Tensor all = total.unsqueeze(2) + torch::log_softmax(model->output(h[-1]), 1).view({B, k, V});
    auto [best, at] = all.view({B, k * V}).topk(k, 1);
    Tensor from = (at.div(V, "floor") + torch::arange(B).unsqueeze(1) * k).flatten();
    words = torch::cat({words.index_select(0, from), at.remainder(V).view({B * k, 1})}, 1);
    total = best;
  }
}
Work decode(const Sizes& s) {  // B, T, V, D, H, layers, ff, hypotheses
  Translator model(s[2], s[3], s[4], s[5], s[6], /*tied=*/true, 0);
  model->eval();
  Tensor source = torch::randint(4, s[2], {s[0], s[1]});
  return [=]() mutable { beam_search(model, source, {}, s[1], s[2], s[7]); };
}
// As heed's subject has it: the same batches of sentences of similar length, padded, one after another; each operation
// uses all threads.
Work translate(const Sizes& s) {  // N, shortest, longest, B, V, D, H, layers, ff, hypotheses
  Translator model(s[4], s[5], s[6], s[7], s[8], /*tied=*/true, 0);
  model->eval();
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < s[0]; ++i) lengths.push_back(s[1] + i * 7 % (s[2] - s[1] + 1) + 1);  // with </s>
  std::sort(lengths.begin(), lengths.end());
  std::vector<std::pair<Tensor, Tensor>> batches;
  for (int64_t begin = 0; begin < s[0]; begin += s[3]) {
    int64_t end = std::min(begin + s[3], s[0]);
    Tensor n = torch::tensor(std::vector<int64_t>(lengths.begin() + begin, lengths.begin() + end)).unsqueeze(1);
    int64_t S = lengths[static_cast<size_t>(end - 1)];
    batches.emplace_back(torch::randint(4, s[4], {end - begin, S}), torch::arange(S).unsqueeze(0) >= n);
  }
  return [=]() mutable {
    for (const auto& [source, padding] : batches) beam_search(model, source, padding, s[2] + 1, s[4], s[9]);
  };
}
Work transformer(const Sizes& s) { return transformer_step(s, false, 0, 0); }
Work translator(const Sizes& s) { return transformer_step(s, true, 0.1, 0.1); }

}  // namespace

int main(int argc, char** argv) {
  bench::Subject libtorch;
  libtorch.kinds = {
      {"add", add_work},
      {"softmax", pass([](const Tensor& x) { return torch::softmax(x, -1); })},
      {"layer_norm", pass([](const Tensor& x) { return torch::layer_norm(x, {x.size(1)}); })},
      {"gelu", pass([](const Tensor& x) { return torch::gelu(x); })},
      {"tanh", pass([](const Tensor& x) { return torch::tanh(x); })},
      {"chain", chain},
      {"mlp", mlp},
      {"lstm", lstm},
      {"additive_attention", additive_attention},
      {"dot_attention", dot_attention},
      {"multi_head", multi_head},
      {"seq2seq", seq2seq},
      {"self_attention", self_attention},
      {"transformer", transformer},
      {"translator", translator},
      {"decode", decode},
      {"translate", translate},
  };
  libtorch.kinds.merge(bench::with_cold({{"matmul", [](const Sizes& s) { return matmul_work(s); }},
                                         {"matmul_at", [](const Sizes& s) { return matmul_work(s, true, false); }},
                                         {"matmul_bt", [](const Sizes& s) { return matmul_work(s, false, true); }}}));
  libtorch.kinds.merge(bench::forward_passes());
  libtorch.set_threads = [](int n) { torch::set_num_threads(n); };
  return bench::serve(libtorch, argc, argv);
}
