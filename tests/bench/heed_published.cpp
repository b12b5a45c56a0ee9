// Published models (nn/published/) with random weights: an encoder that reads texts, and a decoder that writes words.
#include <algorithm>
#include <memory>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/published/model.h"
#include "tensor/elementwise.h"
#include "tensor/half_matrix.h"
#include "tensor/kernels/gemm_bf16.h"
#include "tensor/kernels/machine.h"
#include "tensor/range.h"
#include "tests/bench/forward.h"

namespace bench {
namespace {

using namespace heed;
using nn::published::Tower;

constexpr int64_t kPlaces = 1024;

Tensor tokens(int64_t B, int64_t T, int64_t V) {
  Generator rng(3);
  Tensor ids = Tensor::empty({B, T}, DType::i64);
  for (int64_t i = 0; i < B * T; ++i) ids.data<int64_t>()[i] = rng.below(V);
  return ids;
}

// BERT's shape: B, T, V, D, H, layers, F
Work encoder(const Sizes& s) {
  Generator rng(1);
  nn::published::TowerOptions o{.vocabulary = s[2], .positions = 512, .kinds = 2, .embedding_norm = true};
  o.blocks.assign(static_cast<size_t>(s[5]), {.model = s[3], .heads = s[4], .inner = s[6]});
  auto tower = std::make_shared<Tower>(o, rng);
  nn::set_training(*tower, false);
  return [tower, ids = tokens(s[0], s[1], s[2])] {
    NoGrad guard;
    (*tower)(ids);
  };
}

// Rounds the matrices of a model to bf16, and keeps them so.
std::vector<std::shared_ptr<const HalfMatrix>> halved(Tower& tower) {
  std::vector<std::shared_ptr<const HalfMatrix>> kept;
  for (Variable* p : nn::detail::collect(tower).members) {
    if (p->rank() != 2) continue;
    Tensor w = p->value();
    for (int64_t i = 0; i < w.count(); ++i) w.data<float>()[i] = from_bf16(to_bf16(w.data<float>()[i]));
    kept.push_back(HalfMatrix::of(w));
    *p = Variable(kept.back()->stand_in());
  }
  return kept;
}

// GPT-2's shape, whose output matrix is that of the words.
struct Decoder {
  explicit Decoder(const Sizes& s) {  // words so far, V, D, H, layers, F, bits of a weight
    Generator rng(1);
    nn::published::TowerOptions o{.vocabulary = s[1], .positions = kPlaces, .final_norm = true};
    o.blocks.assign(static_cast<size_t>(s[4]), {.model = s[2],
                                                .heads = s[3],
                                                .inner = s[5],
                                                .activation = "gelu_new",
                                                .eps = 1e-5,
                                                .norm_first = true,
                                                .causal = true});
    tower = std::make_shared<Tower>(o, rng);
    if (s[6] == 16) halves = halved(*tower);
    head = std::make_shared<nn::published::Head>(
        nn::published::HeadOptions{.name = "next_word", .in = s[2], .out = s[1], .out_bias = false}, rng);
    head->out->weight = tower->words.weight;
    nn::set_training(*tower, false), nn::set_training(*head, false);
  }
  Tensor next(const Tensor& ids, nn::published::TowerMemory& memory) const {  // [1, 1]: the most likely word
    NoGrad guard;
    Variable x = (*tower)(ids, {}, &memory).last();
    x = slice(x, 1, x.size(1) - 1, x.size(1));
    return argmax((*head)(x).value(), -1);
  }
  std::shared_ptr<Tower> tower;
  std::shared_ptr<nn::published::Head> head;
  std::vector<std::shared_ptr<const HalfMatrix>> halves;
};

Work prefill(const Sizes& s) {
  return [d = Decoder(s), ids = tokens(1, s[0], s[1])] {
    nn::published::TowerMemory memory;
    d.next(ids, memory);
  };
}

// A word after the same words each time: what it appends is taken back. (The last of those words is read alone, so that
// the memory has room for more.)
Work decode(const Sizes& s) {
  Decoder d(s);
  auto memory = std::make_shared<nn::published::TowerMemory>();
  Tensor word = d.next(tokens(1, s[0] - 1, s[1]), *memory);
  word = d.next(word, *memory);
  return [d, memory, word] {
    std::vector<nn::Undo> undo;
    for (auto& layer : memory->self) undo.push_back(layer->undo());
    d.next(word, *memory);
    for (const nn::Undo& layer : undo) layer();
    memory->words -= word.count();
  };
}

volatile float read_sink;  // what is written here cannot be left out

// A read of as many bytes as a word takes, by all threads: the limit of decoding. [bytes]
Work read(const Sizes& s) {
  return [n = s[0] / 4, x = Tensor::ones({s[0] / 4})] {
    const float* p = x.data<float>();
    vectorised_for(0, thread_count(), 1, [&]<int R>(int64_t begin, int64_t end) {
      using Register = Lanes<float, R>;
      constexpr int64_t kSums = 8, kEach = kLanes<float>, kStep = kSums * kEach;
      Register sums[kSums] = {};
      for (int64_t i = n * begin / thread_count(); i + kStep <= n * end / thread_count(); i += kStep)
        for (int64_t k = 0; k < kSums; ++k) sums[k] += load<R>(p + i + k * kEach);
      for (int64_t k = 1; k < kSums; ++k) sums[0] += sums[k];
      read_sink = add_lanes(sums[0]);
    });
  };
}

}  // namespace

std::map<std::string, Maker> published_models() {
  return {{"published_encoder", encoder}, {"published_prefill", prefill}, {"published_decode", decode}, {"read", read}};
}

}  // namespace bench
