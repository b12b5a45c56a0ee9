#include "tests/nn/module_instance.h"

#include "nn/attention/attention.h"
#include "nn/attention/positions/alibi.h"
#include "nn/attention/positions/learned.h"
#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/shaw.h"
#include "nn/attention/positions/sinusoidal.h"
#include "nn/attention/positions/t5.h"
#include "nn/attention/positions/xl.h"
#include "nn/attention/readers/hard.h"
#include "nn/attention/structures/hierarchical.h"
#include "nn/attention/structures/key_value.h"
#include "nn/attention/structures/lstmn_decoder.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/attention/structures/structured.h"
#include "nn/cases/examples.h"
#include "nn/cases/small_stages.h"
#include "nn/models/copying.h"
#include "nn/norm.h"
#include "nn/output_heads/copynet.h"
#include "nn/output_heads/pointer.h"
#include "nn/output_heads/pointer_generator.h"
#include "nn/output_heads/softmax_head.h"
#include "nn/pooling/multi_head_pooling.h"
#include "nn/pooling/pooling.h"
#include "nn/recurrent/lstm.h"
#include "nn/recurrent/rnn.h"

namespace heed::nn_test {
namespace {

// Two sentences; the first has a word that the vocabulary of 8 lacks, and one twice.
Variable copying_loss(const nn::OutputHead& m, DType d) {
  Tensor source = Tensor::from(std::vector<int64_t>{4, 8, 4, 3, 5, 3, 0, 0}, {2, 4});
  nn::OutputSource seen = nn::output_source(source, {});
  seen.states = leaf({2, 4, 6}, 3, d);
  return weighted_sum(m(leaf({2, 3, 6}, 1, d), softmax(leaf({2, 3, 4}, 2, d)), seen));
}

}  // namespace

std::vector<ModuleCase> module_cases() {
  std::vector<ModuleCase> all;
  {
    nn::Linear::Options o{.in = 5, .out = 3};
    add<nn::Linear>(all, "Linear", o, o.in * o.out + o.out, [](nn::Linear& m, DType d) {
      return weighted_sum(tanh(m(random({4, 2, 5}, 1, d))));
    });
  }
  {
    nn::Embedding::Options o{.vocabulary = 4, .width = 3};
    add<nn::Embedding>(all, "Embedding", o, o.vocabulary * o.width, [](nn::Embedding& m, DType) {
      return weighted_sum(tanh(m(Tensor::from(std::vector<int64_t>{0, 1, 2, 3, 1}, {5}))));
    });
  }
  {
    nn::Dropout::Options o{.p = 0.5};
    add<nn::Dropout>(all, "Dropout", o, int64_t{0}, [](nn::Dropout& m, DType d) {
      return weighted_sum(m(leaf({4, 3}, 1, d)));
    });
  }
  {
    nn::LayerNorm::Options o{.shape = {2, 5}};
    add<nn::LayerNorm>(all, "LayerNorm", o, int64_t{2 * 2 * 5}, [](nn::LayerNorm& m, DType d) {
      return weighted_sum(tanh(m(random({4, 2, 5}, 1, d))));
    });
  }
  {
    nn::RMSNorm::Options o{.shape = {5}};
    add<nn::RMSNorm>(all, "RMSNorm", o, int64_t{5}, [](nn::RMSNorm& m, DType d) {
      return weighted_sum(tanh(m(random({4, 2, 5}, 1, d))));
    });
  }
  {
    Perceptron::Options o{.in = 5, .inner = 4, .out = 3, .dropout = 0.5};
    add<Perceptron>(all, "Sequential", o, int64_t{5 * 4 + 4 + 2 * 4 + 4 * 3}, [](Perceptron& m, DType d) {
      return weighted_sum(m(random({4, 2, 5}, 1, d)));
    });
  }
  {
    nn::GRUOptions o{.input = 3, .hidden = 4};
    add<nn::GRUCell>(all, "GRUCell", o, 3 * o.hidden * (o.input + o.hidden + 2), [](nn::GRUCell& m, DType d) {
      return weighted_sum(m(random({2, 3}, 1, d), random({2, 4}, 2, d)));
    });
  }
  {
    // Two layers, both directions: the second reads 2N.
    nn::GRUOptions o{.input = 3, .hidden = 4, .layers = 2, .bidirectional = true, .dropout = 0.1};
    int64_t N = o.hidden, first = 3 * N * (o.input + N + 2), second = 3 * N * (2 * N + N + 2);
    add<nn::GRU>(all, "GRU", o, 2 * (first + second), [](nn::GRU& m, DType d) {
      auto [y, h] = m(random({3, 5, 3}, 1, d), Tensor::from(std::vector<int64_t>{5, 2, 4}, {3}));
      return weighted_sum(y) + weighted_sum(h);
    });
  }
  {
    nn::LSTMOptions o{.input = 3, .hidden = 4, .forget_bias = 1};
    add<nn::LSTMCell>(all, "LSTMCell", o, 4 * o.hidden * (o.input + o.hidden + 2), [](nn::LSTMCell& m, DType d) {
      auto [h, c] = m(random({2, 3}, 1, d), {random({2, 4}, 2, d), random({2, 4}, 3, d)});
      return weighted_sum(h) + weighted_sum(c);
    });
  }
  {
    nn::LSTMOptions o{.input = 3, .hidden = 4, .layers = 2, .bidirectional = true, .dropout = 0.1};
    int64_t N = o.hidden, first = 4 * N * (o.input + N + 2), second = 4 * N * (2 * N + N + 2);
    add<nn::LSTM>(all, "LSTM", o, 2 * (first + second), [](nn::LSTM& m, DType d) {
      auto [y, last] = m(random({3, 5, 3}, 1, d), Tensor::from(std::vector<int64_t>{5, 2, 4}, {3}));
      return weighted_sum(y) + weighted_sum(last.h) + weighted_sum(last.c);
    });
  }
  {
    nn::RNNOptions o{.input = 3, .hidden = 4, .activation = nn::RNNActivation::relu};
    add<nn::RNNCell>(all, "RNNCell", o, o.hidden * (o.input + o.hidden + 2), [](nn::RNNCell& m, DType d) {
      return weighted_sum(m(random({2, 3}, 1, d), random({2, 4}, 2, d)));
    });
  }
  {
    nn::RNNOptions o{.input = 3, .hidden = 4, .layers = 2, .bidirectional = true, .dropout = 0.1};
    int64_t N = o.hidden, first = N * (o.input + N + 2), second = N * (2 * N + N + 2);
    add<nn::RNN>(all, "RNN", o, 2 * (first + second), [](nn::RNN& m, DType d) {
      auto [y, h] = m(random({3, 5, 3}, 1, d), Tensor::from(std::vector<int64_t>{5, 2, 4}, {3}));
      return weighted_sum(y) + weighted_sum(h);
    });
  }
  {
    // Every score, scope and normaliser of the registry. The numbers of parameters of those that are not named here
    // are asked for where their own properties are.
    const std::map<std::string, int64_t> parameters = {{"additive", 5 * (3 + 4 + 2)},
                                                       {"concat", 5 * (3 + 4 + 1)},
                                                       {"general", 3 * 4},
                                                       {"reduced_rank", 5 * (3 + 4)},
                                                       {"dot", 0},
                                                       {"scaled_dot", 0},
                                                       {"cosine", 1},
                                                       {"location", 6 * 3},
                                                       {"local_p", 3 * 3 + 3},
                                                       {"local_m", 0},
                                                       {"causal", 0},
                                                       {"window", 0},
                                                       {"dilated", 0},
                                                       {"softmax", 0},
                                                       {"argmax", 0},
                                                       {"gumbel", 0}};
    auto loss = [](nn::Attention& m, DType d) {
      const nn::ScoreOptions& o = m.options.score;
      Variable keys(random({2, 6, o.key}, 1, d));
      int64_t T = m.normaliser->row_wise() ? 3 : 6;  // as many queries as keys, where a normaliser may need it
      return weighted_sum(m(random({2, T, o.query}, 2, d), m.remember(keys, leaf(keys.value()))).context);
    };
    for (nn::Kind kind : {nn::Kind::score, nn::Kind::scope, nn::Kind::normaliser})
      for (const nn::CatalogueEntry& entry : nn::stage_entries(kind)) {
        if (!nn::can_be_built(entry)) continue;
        nn::AttentionOptions o = nn::small_stages(entry, {.query = 3, .most = 2, .hidden = 5, .longest = 6});
        auto known = parameters.find(entry.name);
        int64_t count =
            known != parameters.end() ? known->second : nn::count_parameters(heed::nn_test::make<nn::Attention>(o, 1));
        add<nn::Attention>(all, "Attention " + entry.name, o, count, +loss);
      }
    add<nn::HardReader>(all, "HardReader", {}, 0, [](nn::HardReader& m, DType d) {
      nn::HardRead seen = m(softmax(leaf({4, 3, 5}, 1, d)), leaf({4, 5, 2}, 2, d));
      return weighted_sum(seen.context) + weighted_sum(seen.log_probability);
    });
    add<nn::Reinforce>(all, "Reinforce", {.entropy = 0.1}, 0, [](nn::Reinforce& m, DType d) {
      return m(leaf({2}, 1, d), leaf({2, 3}, 2, d), leaf({2, 3}, 3, d));
    });
  }
  {
    auto loss = [](nn::MultiHeadAttention& m, DType d) {
      const nn::MultiHeadOptions& o = m.options;
      Variable q(random({2, 3, o.model}, 1, d)), k(random({2, 4, o.key}, 2, d)), v(random({2, 4, o.value}, 3, d));
      return weighted_sum(m(q, k, v).output);
    };
    int64_t D = 6, K = 3, V = 5;
    add<nn::MultiHeadAttention>(all, "MultiHeadAttention", {.model = D, .heads = 2, .dropout = 0.1}, 4 * D * D + 4 * D,
                                +loss);
    nn::MultiHeadOptions grouped{.model = 8, .heads = 4, .kv_heads = 2};
    grouped.position.name = "rope", grouped.around = {{"query_key_norm"}};
    add<nn::MultiHeadAttention>(all, "MultiHeadAttention of groups, turned", grouped, 2 * 8 * 9 + 2 * 4 * 9 + 2 * 2,
                                +loss);
    nn::MultiHeadOptions placed{.model = D, .heads = 2};
    placed.position = {.name = "shaw", .settings = {{"max_distance", 2}}};
    add<nn::MultiHeadAttention>(all, "MultiHeadAttention with Shaw's positions", placed, 4 * D * D + 4 * D + 2 * 5 * 3,
                                +loss);
    nn::MultiHeadOptions difference{.model = 8, .heads = 2, .evaluator = {.name = "differential"}};
    add<nn::MultiHeadAttention>(all, "MultiHeadAttention, differential", difference, 4 * 8 * 8 + 4 * 8 + 4 * 2 + 4,
                                +loss);
    add<nn::Rope>(all, "Rope", {.name = "rope", .key = 4}, 0, [](nn::Rope& m, DType d) {
      return weighted_sum(m.turn_query(leaf({2, 3, 2, 4}, 1, d), {.queries = 3, .first_query = 1}));
    });
    add<nn::ShawPositions>(all, "ShawPositions", {.name = "shaw", .key = 4, .settings = {{"max_distance", 2}}},
                           2 * 5 * 4, [](nn::ShawPositions& m, DType d) {
                             nn::Places places{.queries = 3, .keys = 5};
                             return weighted_sum(m.bias(leaf({2, 2, 3, 4}, 1, d), places, 1)) +
                                    weighted_sum(m.read(leaf({2, 2, 3, 5}, 2, d), places));
                           });
    add<nn::XLPositions>(all, "XLPositions", {.name = "xl", .key = 4, .heads = 2}, 8 * 8 + 2 * 8,
                         [](nn::XLPositions& m, DType d) {
                           nn::Places places{.queries = 3, .keys = 5};
                           return weighted_sum(m.turn_query(leaf({2, 3, 2, 4}, 1, d), places)) +
                                  weighted_sum(m.bias(leaf({2, 2, 3, 4}, 2, d), places, 1));
                         });
    add<nn::AlibiBias>(all, "AlibiBias", {.heads = 3}, 0, [](nn::AlibiBias& m, DType d) {
      return weighted_sum(m({.queries = 3, .keys = 4}, d) * leaf({3, 3, 4}, 1, d));
    });
    add<nn::T5Bias>(all, "T5Bias", {.settings = {{"buckets", 8}, {"max_distance", 6}}, .heads = 3}, 24,
                    [](nn::T5Bias& m, DType) { return weighted_sum(m({.queries = 6, .keys = 9, .first_query = 2})); });
    add<nn::MultiHeadAttention>(all, "MultiHeadAttention of three widths",
                                {.model = D, .heads = 3, .key = K, .value = V}, D * (D + K + V + D) + 4 * D, +loss);
  }
  {
    nn::LSTMNOptions o{.input = 3, .hidden = 4, .attention = 5};
    int64_t cell = 4 * 4 * (3 + 4 + 2), attention = 5 * (4 + 3 + 1 + 4 + 1);
    add<nn::LSTMN>(all, "LSTMN", o, cell + attention, [](nn::LSTMN& m, DType d) {
      nn::LSTMN::Sequence s = m(random({2, 4, 3}, 1, d), Tensor::from(std::vector<int64_t>{4, 2}, {2}));
      return weighted_sum(s.h) + weighted_sum(s.last.c);
    });
    nn::LSTMNDecoderOptions fused{.input = 3, .hidden = 4, .fusion = "deep", .attention = 5};
    int64_t inter = 5 * (3 + 4 + 4 + 2), gate = 4 * (4 + 3) + 4;
    add<nn::LSTMNDecoder>(all, "LSTMNDecoder", fused, cell + attention + inter + gate,
                          [](nn::LSTMNDecoder& m, DType d) {
                            Variable h(random({2, 4, 4}, 1, d)), c(random({2, 4, 4}, 2, d));
                            nn::SourceTape source = m.remember({.h = h, .c = c, .last = {}});
                            nn::FusionState state = m.begin({select(h, 1, 3), select(c, 1, 3)});
                            Variable first = m.step(random({2, 3}, 3, d), source, state);
                            return weighted_sum(first) + weighted_sum(m.step(random({2, 3}, 4, d), source, state));
                          });
  }
  {
    nn::KeyValueOptions o{.width = 6, .parts = 3, .window = 2, .score = {.settings = {{"width", 5}}}};
    add<nn::KeyValueAttention>(all, "KeyValueAttention", o, 5 * (2 + 2 + 2) + 2 * 2 * 2,
                               [](nn::KeyValueAttention& m, DType d) {
                                 return weighted_sum(m(random({2, 4, 6}, 1, d)).output);
                               });
  }
  {
    nn::HierarchicalOptions o{.vocabulary = 6, .embedding = 3, .hidden = 4, .attention = 5};
    int64_t E = o.embedding, N = o.hidden, A = o.attention;
    auto level = [=](int64_t I) { return 2 * 3 * N * (I + N + 2) + A * (2 * N + 1) + A; };
    add<nn::HierarchicalAttention>(all, "HierarchicalAttention", o, o.vocabulary * E + level(E) + level(2 * N),
                                   [](nn::HierarchicalAttention& m, DType) {
                                     Tensor ids = Tensor::from(std::vector<int64_t>{0, 1, 2, 3, 4, 5, 1, 2}, {2, 2, 2});
                                     Tensor lengths = Tensor::from(std::vector<int64_t>{2, 2, 2, 2}, {2, 2});
                                     return weighted_sum(m(ids, lengths).document);
                                   });
  }
  {
    nn::StructuredOptions o{.input = 3, .hidden = 5, .rows = 2};
    add<nn::StructuredEmbedding>(all, "StructuredEmbedding", o, o.hidden * (o.input + o.rows),
                                 [](nn::StructuredEmbedding& m, DType d) {
                                   nn::Attended seen = m(random({2, 4, 3}, 1, d));
                                   return weighted_sum(seen.context) + sum(nn::redundancy(seen.weights));
                                 });
  }
  {
    nn::LearnedPositions::Options o{.positions = 4, .width = 3};
    add<nn::LearnedPositions>(all, "LearnedPositions", o, o.positions * o.width, [](nn::LearnedPositions& m, DType d) {
      return weighted_sum(tanh(m(random({2, 4, 3}, 1, d))));
    });
    add<nn::SinusoidalPositions>(all, "SinusoidalPositions", {.width = 3}, 0, [](nn::SinusoidalPositions& m, DType d) {
      return weighted_sum(m(leaf({2, 4, 3}, 1, d)));
    });
  }
  {
    add<nn::AttentionPooling>(
        all, "AttentionPooling",
        {.score = {.name = "additive", .query = 2, .key = 3, .settings = {{"width", 5}}}, .rows = 2},
        2 * 2 + 5 * (2 + 3 + 2), [](nn::AttentionPooling& m, DType d) {
          Variable x(random({2, 4, 3}, 1, d));
          return weighted_sum(m(x, x).context);
        });
    add<nn::Pooling>(all, "Pooling", {.modes = {"max", "attention"}, .width = 3}, 3, [](nn::Pooling& m, DType d) {
      return weighted_sum(m(leaf({2, 4, 3}, 1, d)));
    });
    int64_t D = 4, F = 3, R = 2;
    add<nn::MultiHeadPooling>(all, "MultiHeadPooling", {.model = D, .heads = 2, .seeds = R, .feedforward = F},
                              R * D + 2 * (2 * D * F + F + D) + 4 * (D * D + D) + 4 * D,
                              [](nn::MultiHeadPooling& m, DType d) {
                                return weighted_sum(m(random({2, 4, 4}, 1, d)).context);
                              });
  }
  {
    nn::Bahdanau::Options o{.source = {7, 3},
                            .target = {8, 3},
                            .encoder = {.hidden = 4},
                            .decoder = {.hidden = 4},
                            .attention = {.score = {.settings = {{"width", 5}}}},
                            .readout = 6,
                            .dropout = 0.1};
    int64_t E = 3, N = 4, A = 5, R = 6, V = 8;
    int64_t embeddings = (7 + V) * E, encoder = 2 * 3 * N * (E + N + 2), bridge = N * N + N;
    int64_t attention = A * (N + 2 * N + 2), cell = 3 * N * (E + 2 * N + N + 2),
            out = R * (3 * N + E + 1) + V * (R + 1);
    auto loss = [](auto& m, DType) {
      Tensor source = Tensor::from(std::vector<int64_t>{4, 5, 6, 3, 5, 3, 0, 0}, {2, 4});
      Tensor lengths = Tensor::from(std::vector<int64_t>{4, 2}, {2});
      Tensor in = Tensor::from(std::vector<int64_t>{2, 4, 5, 2, 6, 7}, {2, 3});
      Tensor out_ids = Tensor::from(std::vector<int64_t>{4, 5, 3, 6, 7, 3}, {2, 3});
      return cross_entropy(m(source, lengths, in), out_ids);
    };
    int64_t parameters = embeddings + encoder + bridge + attention + cell + out;
    add<nn::Bahdanau>(all, "Bahdanau", o, parameters, loss);
    o.source.vocabulary = V;
    add<nn::Copying<nn::Bahdanau>>(all, "Bahdanau with a pointer-generator", {o, "pointer_generator"},
                                   parameters + E + R + 1, loss);
    nn::OutputHeadOptions head{.features = R, .vocabulary = V};
    add<nn::SoftmaxHead>(all, "SoftmaxHead", head, V * (R + 1), [](nn::SoftmaxHead& m, DType d) {
      return weighted_sum(m(leaf({2, 3, 6}, 1, d), {}, {}));
    });
    add<nn::CopyNet>(all, "CopyNet", head, V * (R + 1) + R * R + R,
                     [](nn::CopyNet& m, DType d) { return copying_loss(m, d); });
    add<nn::PointerGenerator>(all, "PointerGenerator", head, V * (R + 1) + R + 1,
                              [](nn::PointerGenerator& m, DType d) { return copying_loss(m, d); });
    add<nn::Pointer>(all, "Pointer", head, 0, [](nn::Pointer& m, DType d) { return copying_loss(m, d); });
  }
  transformers(all);
  sentences(all);
  return all;
}

}  // namespace heed::nn_test
