// One small instance of every type of module, with a loss that uses all of it and the closed formula of its size.
// A new module joins the generic tests by one more block here.
#pragma once

#include "nn/norm.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"
#include "nn/seq2seq.h"
#include "tests/nn/support.h"

namespace heed::nn_test {

// Calls visit(name, options, parameters, loss) once a type. loss(module, dtype) is a scalar; while training with
// dropout it is still the same function of the parameters for the same generator.
template <class F>
void for_each_module(const F& f) {
  {
    nn::Linear::Options o{.in = 5, .out = 3};
    f("Linear", o, o.in * o.out + o.out, [](nn::Linear& m, DType d) {
      return weighted_sum(tanh(m(random({4, 2, 5}, 1, d))));
    });
  }
  {
    nn::Embedding::Options o{.vocabulary = 4, .width = 3};
    f("Embedding", o, o.vocabulary * o.width, [](nn::Embedding& m, DType) {
      return weighted_sum(tanh(m(Tensor::from(std::vector<int64_t>{0, 1, 2, 3, 1}, {5}))));
    });
  }
  {
    nn::Dropout::Options o{.p = 0.5};
    f("Dropout", o, int64_t{0}, [](nn::Dropout& m, DType d) { return weighted_sum(m(leaf({4, 3}, 1, d))); });
  }
  {
    nn::LayerNorm::Options o{.shape = {2, 5}};
    f("LayerNorm", o, int64_t{2 * 2 * 5}, [](nn::LayerNorm& m, DType d) {
      return weighted_sum(tanh(m(random({4, 2, 5}, 1, d))));
    });
  }
  {
    nn::RMSNorm::Options o{.shape = {5}};
    f("RMSNorm", o, int64_t{5}, [](nn::RMSNorm& m, DType d) { return weighted_sum(tanh(m(random({4, 2, 5}, 1, d)))); });
  }
  {
    nn::GRUOptions o{.input = 3, .hidden = 4};
    f("GRUCell", o, 3 * o.hidden * (o.input + o.hidden + 2), [](nn::GRUCell& m, DType d) {
      return weighted_sum(m(random({2, 3}, 1, d), random({2, 4}, 2, d)));
    });
  }
  {
    // Two layers, both directions: the second reads 2N.
    nn::GRUOptions o{.input = 3, .hidden = 4, .layers = 2, .bidirectional = true, .dropout = 0.1};
    int64_t N = o.hidden, first = 3 * N * (o.input + N + 2), second = 3 * N * (2 * N + N + 2);
    f("GRU", o, 2 * (first + second), [](nn::GRU& m, DType d) {
      auto [y, h] = m(random({3, 5, 3}, 1, d), Tensor::from(std::vector<int64_t>{5, 2, 4}, {3}));
      return weighted_sum(y) + weighted_sum(h);
    });
  }
  {
    nn::LSTMOptions o{.input = 3, .hidden = 4, .forget_bias = 1};
    f("LSTMCell", o, 4 * o.hidden * (o.input + o.hidden + 2), [](nn::LSTMCell& m, DType d) {
      auto [h, c] = m(random({2, 3}, 1, d), {random({2, 4}, 2, d), random({2, 4}, 3, d)});
      return weighted_sum(h) + weighted_sum(c);
    });
  }
  {
    nn::LSTMOptions o{.input = 3, .hidden = 4, .layers = 2, .bidirectional = true, .dropout = 0.1};
    int64_t N = o.hidden, first = 4 * N * (o.input + N + 2), second = 4 * N * (2 * N + N + 2);
    f("LSTM", o, 2 * (first + second), [](nn::LSTM& m, DType d) {
      auto [y, last] = m(random({3, 5, 3}, 1, d), Tensor::from(std::vector<int64_t>{5, 2, 4}, {3}));
      return weighted_sum(y) + weighted_sum(last.h) + weighted_sum(last.c);
    });
  }
  {
    nn::RNNOptions o{.input = 3, .hidden = 4, .activation = nn::RNNActivation::relu};
    f("RNNCell", o, o.hidden * (o.input + o.hidden + 2), [](nn::RNNCell& m, DType d) {
      return weighted_sum(m(random({2, 3}, 1, d), random({2, 4}, 2, d)));
    });
  }
  {
    nn::RNNOptions o{.input = 3, .hidden = 4, .layers = 2, .bidirectional = true, .dropout = 0.1};
    int64_t N = o.hidden, first = N * (o.input + N + 2), second = N * (2 * N + N + 2);
    f("RNN", o, 2 * (first + second), [](nn::RNN& m, DType d) {
      auto [y, h] = m(random({3, 5, 3}, 1, d), Tensor::from(std::vector<int64_t>{5, 2, 4}, {3}));
      return weighted_sum(y) + weighted_sum(h);
    });
  }
  {
    nn::AdditiveAttention::Options o{.query = 3, .key = 4, .width = 5};
    f("AdditiveAttention", o, o.width * (o.query + o.key + 2), [](nn::AdditiveAttention& m, DType d) {
      Variable keys(random({2, 6, 4}, 1, d));
      return weighted_sum(m(random({2, 3, 3}, 2, d), m.prepare(keys), keys, {}).context);
    });
  }
  {
    nn::Seq2SeqOptions o{.source_vocabulary = 7,
                         .target_vocabulary = 8,
                         .embedding = 3,
                         .hidden = 4,
                         .attention = 5,
                         .readout = 6,
                         .dropout = 0.1};
    int64_t E = o.embedding, N = o.hidden, A = o.attention, R = o.readout, V = o.target_vocabulary;
    int64_t embeddings = (o.source_vocabulary + V) * E, encoder = 2 * 3 * N * (E + N + 2), bridge = N * N + N;
    int64_t attention = A * (N + 2 * N + 2), cell = 3 * N * (E + 2 * N + N + 2),
            out = R * (3 * N + E + 1) + V * (R + 1);
    f("Seq2Seq", o, embeddings + encoder + bridge + attention + cell + out, [](nn::Seq2Seq& m, DType) {
      Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 6, 3, 5, 3, 0, 0}, {2, 4});
      Tensor lengths = Tensor::from(std::vector<int64_t>{4, 2}, {2});
      Tensor in = Tensor::from(std::vector<int64_t>{2, 4, 5, 2, 6, 7}, {2, 3});
      Tensor out_ids = Tensor::from(std::vector<int64_t>{4, 5, 3, 6, 7, 3}, {2, 3});
      return cross_entropy(m(source, lengths, in), out_ids);
    });
  }
}

}  // namespace heed::nn_test
