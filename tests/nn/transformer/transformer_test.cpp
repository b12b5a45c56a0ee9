// Transformers: what each may see, packing, tying, sizes, and that a layer is what its formula says.
#include "nn/transformer/transformer.h"

#include <cmath>
#include <set>

#include "autograd/modes.h"
#include "nn/observe.h"
#include "nn/optim/adam.h"
#include "tensor/compare.h"
#include "tests/nn/transformer/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::bad_input::refuses;
using nn::Bert;
using nn::LanguageModel;
using nn::Packed;
using nn::Transformer;
using nn::TransformerOptions;

namespace {

// The columns [from, to) of row r of x [R, T, D].
Tensor part(const Variable& x, int64_t r, int64_t from, int64_t to) {
  return x.value().slice(0, r, r + 1).slice(1, from, to).contiguous();
}

const std::vector<std::vector<int64_t>> kSources{{4, 5, 6, 7}, {8, 5}, {6, 6, 4}};
const std::vector<std::vector<int64_t>> kTargets{{2, 7, 6}, {2, 4, 8, 5}, {2}};

}  // namespace

TEST_CASE("FeedForward: each activation is its formula") {
  for (std::string name : {"relu", "gelu", "geglu", "swiglu"}) {
    CAPTURE(name);
    auto m = shaken<nn::FeedForward>({.model = 3, .inner = 5, .activation = name});
    Variable x(random({2, 4, 3}, 1, DType::f64)), h = linear(x, m.linear1.weight, m.linear1.bias);
    if (nn::is_gated(name)) {
      Variable a = slice(h, -1, 0, 5), g = slice(h, -1, 5, 10);
      h = name == "geglu" ? gelu(a) * g : a * sigmoid(a) * g;
    } else {
      h = name == "relu" ? relu(h) : gelu(h);
    }
    CHECK(relative_error(m(x).value(), linear(h, m.linear2.weight, m.linear2.bias).value()) < 1e-12);
  }
}

// Both orders of norm and sum are those of their formulas, and RMS norm differs from layer norm.
TEST_CASE("the order of norms: first and last are their lines, and rms is no layer norm" *
          holds("norm_first_and_last_are_their_lines")) {
  for (bool first : {false, true})
    for (std::string norm : {"layer", "rms"}) {
      auto m = shaken<nn::TransformerLayer>(
          {.model = 6, .heads = 2, .inner = 5, .cross = true, .norm = norm, .norm_first = first});
      Variable x(random({2, 3, 6}, 1, DType::f64)), source(random({2, 4, 6}, 2, DType::f64));
      auto self = [&](const Variable& h) { return (*m.self_attn)(h).output; };
      auto cross = [&](const Variable& h) { return (*m.multihead_attn)(h, source, source).output; };
      Variable h;
      if (first) {
        h = x + self(m.norm1(x));
        h = h + cross(m.norm2(h));
        h = h + m.feed_forward((*m.norm3)(h));
      } else {
        h = m.norm1(x + self(x));
        h = m.norm2(h + cross(h));
        h = (*m.norm3)(h + m.feed_forward(h));
      }
      CHECK(relative_error(m(x, {.memory = source}).output.value(), h.value()) < 1e-12);
      CHECK(nn::detail::collect(m.norm1).parameters.size() == (norm == "rms" ? 1 : 2));
    }
}

TEST_CASE("dropout: in training no two calls agree, each of the four places alone; in evaluation all do") {
  Tensor source = ids({4, 5, 6, 7}, {1, 4}), lengths = ids({4}, {1}), in = ids({2, 7, 6}, {1, 3});
  for (int place = 0; place < 4; ++place) {
    TransformerOptions o = small_transformer();
    o.attention_dropout = place == 0 ? 0.5 : 0;
    o.inner_dropout = place == 1 ? 0.5 : 0;
    o.dropout = 0;
    auto m = make<Transformer>(o, 1);
    if (place == 2) m.encoder.layers[0].dropout.options.p = 0.5;
    if (place == 3) m.target_embedding.dropout.options.p = 0.5;
    CHECK_FALSE(bit_equal(m(source, lengths, in).value(), m(source, lengths, in).value()));
    nn::set_training(m, false);
    CHECK(bit_equal(m(source, lengths, in).value(), m(source, lengths, in).value()));
  }
  TransformerOptions o = small_transformer();
  o.dropout = 0.3;
  auto m = make<Transformer>(o, 1);
  CHECK(m.decoder.layers[1].multihead_attn->weight_dropout.options.p == 0.3);
  CHECK(m.encoder.layers[0].feed_forward.dropout.options.p == 0.3);
  CHECK(m.source_embedding.dropout.options.p == 0.3);
}

TEST_CASE("dropout stands behind every sub-layer: where it drops all, only the path past them is left") {
  for (bool first : {false, true}) {
    auto m = shaken<nn::TransformerLayer>(
        {.model = 6, .heads = 2, .inner = 5, .cross = true, .norm_first = first, .dropout = 1});
    Variable x(random({2, 3, 6}, 1, DType::f64)), source(random({2, 4, 6}, 2, DType::f64));
    Variable past = first ? x : (*m.norm3)(m.norm2(m.norm1(x)));
    CHECK(relative_error(m(x, {.memory = source}).output.value(), past.value()) < 1e-12);
  }
}

// The embedding is the table's row times the root of the width; without the option it is the row itself.
TEST_CASE("the embedding is scaled by sqrt(D), and without the option it is the row of the table" *
          holds("embedding_is_scaled")) {
  TransformerOptions o = small_transformer();
  o.positions = "none";
  auto m = make<Transformer>(o, 1);
  Variable x = m.source_embedding(row({4, 5}));
  Variable bare = embedding(m.source_embedding.words.weight, row({4, 5})) * std::sqrt(12.0);
  CHECK(relative_error(x.value(), bare.value()) < 1e-6);
  o.scale_embedding = false;
  auto plain = make<Transformer>(o, 1);
  CHECK(bit_equal(plain.source_embedding(row({4, 5})).value(),
                  embedding(plain.source_embedding.words.weight, row({4, 5})).value()));
}

TEST_CASE("padding of the source changes no bit, and a longer target no word before") {
  for (const std::string& positions : position_schemes()) {
    TransformerOptions o = small_transformer();
    o.positions = positions;
    auto m = shaken<Transformer>(o, DType::f32);
    Tensor in = row({2, 7, 6, 5});
    Variable alone = m(row({4, 5, 6}), ids({3}, {1}), in);
    CHECK(bit_equal(m(row({4, 5, 6, 0, 0}), ids({3}, {1}), in).value(), alone.value()));
    Variable shorter = m(row({4, 5, 6}), ids({3}, {1}), row({2, 7, 8}));
    CHECK(bit_equal(part(shorter, 0, 0, 2), part(alone, 0, 0, 2)));
    CHECK_FALSE(bit_equal(part(shorter, 0, 2, 3), part(alone, 0, 2, 3)));
    // every sentence of a batch gets what it gets alone
    Variable both = m(ids({4, 5, 6, 8, 8, 0}, {2, 3}), ids({3, 2}, {2}), ids({2, 7, 6, 5, 2, 4, 4, 4}, {2, 4}));
    CHECK(bit_equal(part(both, 0, 0, 4), alone.value()));
  }
}

TEST_CASE("the source matters, and so does its order, unless there are no positions") {
  for (const std::string& positions : position_schemes()) {
    TransformerOptions o = small_transformer();
    o.positions = positions;
    auto m = shaken<Transformer>(o);
    Tensor in = row({2, 7, 6}), three = ids({3}, {1});
    Tensor a = m(row({4, 5, 6}), three, in).value(), b = m(row({5, 4, 6}), three, in).value(),
           mirrored = m(row({6, 5, 4}), three, in).value();
    CHECK((relative_error(a, b) < 1e-12) == (positions == "none"));
    // ALiBi counts |i - j|: an encoder that knows distances alone cannot tell a sentence from its mirror image
    CHECK((relative_error(a, mirrored) < 1e-12) == (positions == "none" || positions == "alibi"));
    CHECK(relative_error(a, m(row({4, 5, 7}), three, in).value()) > 1e-3);
  }
}

TEST_CASE("packed: two sentences in one row give what each gives in its own, gradients too") {
  for (const std::string& positions : position_schemes()) {
    CAPTURE(positions);
    TransformerOptions o = small_transformer();
    o.positions = positions;
    auto m = shaken<Transformer>(o);
    Packed source = nn::pack(kSources, {{2, 0}, {1}}), target = nn::pack(kTargets, {{2, 0}, {1}});
    CHECK(source.ids.to_vector() == std::vector<double>{6, 6, 4, 4, 5, 6, 7, 8, 5, 0, 0, 0, 0, 0});
    CHECK(target.segments.to_vector() == std::vector<double>{1, 2, 2, 2, 1, 1, 1, 1});
    Variable together = m(source, target);  // [2, 4, V]
    struct Where {
      size_t sentence;
      int64_t row, from;
    };
    Variable apart_loss;
    for (const Where& w : {Where{2, 0, 0}, Where{0, 0, 1}, Where{1, 1, 0}}) {
      auto n = static_cast<int64_t>(kSources[w.sentence].size()), t = static_cast<int64_t>(kTargets[w.sentence].size());
      Variable alone = m(row(kSources[w.sentence]), ids({n}, {1}), row(kTargets[w.sentence]));
      CHECK(relative_error(part(together, w.row, w.from, w.from + t), alone.value()) < 1e-12);
      Variable loss = sum(alone * alone);
      apart_loss = apart_loss.defined() ? apart_loss + loss : loss;
    }
    backward(apart_loss);
    std::vector<Tensor> apart = gradients(m);
    nn::zero_grad(m);
    Variable words = Variable(not_equal(target.segments, 0).to(DType::f64).unsqueeze(2));
    backward(sum(together * together * words));
    std::vector<Tensor> packed = gradients(m);
    for (size_t i = 0; i < apart.size(); ++i) CHECK(relative_error(packed[i], apart[i]) < 1e-11);
  }
}

TEST_CASE("packed: with every evaluator, the source read by a decoder too") {
  NoGrad off;
  nn::Evaluating evaluating;
  for (const std::string& name : nn::stage_names(nn::Kind::evaluator)) {
    CAPTURE(name);
    TransformerOptions o = small_transformer();
    o.model = 12, o.heads = 2, o.evaluator = name == "cosformer" ? "cosformer:16" : name;
    try {
      auto m = shaken<Transformer>(o);
      Variable together = m(nn::pack(kSources, {{0, 1}}), nn::pack(kTargets, {{0, 1}}));
      Variable alone = m(row(kSources[1]), ids({2}, {1}), row(kTargets[1]));
      CHECK(relative_error(part(together, 0, 3, 7), alone.value()) < 1e-11);
    } catch (const ValueError&) {}  // refused
  }
}

TEST_CASE("packed: reader and language model too; the rows hold what fits, the longest first") {
  TransformerOptions o = small_transformer();
  auto reader = shaken<Bert>(o);
  auto speaker = shaken<LanguageModel>(o);
  Packed text = nn::pack(kSources, {{0, 1, 2}});
  Variable m = reader(text), logits = speaker(text);
  int64_t from = 0;
  for (const auto& sentence : kSources) {
    auto n = static_cast<int64_t>(sentence.size());
    CHECK(relative_error(part(m, 0, from, from + n), reader(row(sentence), ids({n}, {1})).value()) < 1e-12);
    CHECK(relative_error(part(logits, 0, from, from + n), speaker(row(sentence)).value()) < 1e-12);
    from += n;
  }
  using Rows = std::vector<std::vector<size_t>>;
  CHECK(nn::rows_of({{3}, {5}, {2}, {4}, {1}}, 6) == Rows{{1, 4}, {3, 2}, {0}});
  CHECK(nn::rows_of({{3, 1}, {2, 5}, {1, 1}}, 6) == Rows{{1, 0}, {2}});  // both sides must fit
  CHECK(nn::rows_of({{9}, {2}}, 6) == Rows{{0}, {1}});
}

TEST_CASE("reader: every word sees every word; language model: none sees ahead") {
  auto reader = shaken<Bert>(small_transformer());
  auto speaker = shaken<LanguageModel>(small_transformer());
  Tensor a = row({4, 5, 6}), b = row({4, 5, 7}), three = ids({3}, {1});
  CHECK_FALSE(bit_equal(part(reader(a, three), 0, 0, 1), part(reader(b, three), 0, 0, 1)));
  CHECK(bit_equal(part(speaker(a), 0, 0, 2), part(speaker(b), 0, 0, 2)));
  CHECK_FALSE(bit_equal(part(speaker(a), 0, 2, 3), part(speaker(b), 0, 2, 3)));
}

// Tied matrices are one parameter, also in a clone; the file has it under each of its names.
TEST_CASE("tied matrices are one parameter, also in a clone, and the file has it under each of its names" *
          holds("tied_matrices_are_one")) {
  for (std::string tie : {"none", "target", "all"}) {
    CAPTURE(tie);
    TransformerOptions o = small_transformer();
    o.tie = tie;
    auto m = make<Transformer>(o, 1);
    auto identity = [](const Variable& v) { return v.identity(); };
    for (Transformer* model : {&m}) {
      CHECK((identity(model->output->vocabulary_layer()->weight) == identity(model->target_embedding.words.weight)) ==
            (tie != "none"));
      CHECK((identity(model->source_embedding.words.weight) == identity(model->target_embedding.words.weight)) ==
            (tie == "all"));
    }
    Transformer copy = nn::clone(m);
    CHECK((identity(copy.output->vocabulary_layer()->weight) == identity(copy.target_embedding.words.weight)) ==
          (tie != "none"));
    CHECK(identity(copy.output->vocabulary_layer()->weight) != identity(m.output->vocabulary_layer()->weight));
    auto file = nn::save_state(m);
    for (const char* name :
         {"source_embedding.words.weight", "target_embedding.words.weight", "output.weight",
          "encoder.layers.1.self_attn.in_proj_weight", "decoder.layers.0.multihead_attn.out_proj.bias",
          "decoder.layers.1.norm3.weight", "encoder.norm.weight", "decoder.norm.bias"})
      CHECK(file.find(name) != nullptr);
    CHECK(nn::count_parameters(m) == nn::transformer_parameters(o));
  }
}

TEST_CASE("the closed formula of the size holds for any options") {
  std::set<int64_t> sizes;
  for (std::string activation : {"relu", "swiglu"})
    for (std::string norm : {"layer", "rms"})
      for (std::string tie : {"none", "target", "all"})
        for (const std::string& positions : position_schemes())
          for (bool flag : {false, true}) {
            TransformerOptions o = small_transformer();
            o.activation = activation, o.norm = norm, o.tie = tie;
            o.positions = positions == "shaw" || positions == "t5" ? positions + ":max_distance=17" : positions;
            o.final_norm = o.output_bias = o.around["query_key_norm"].on = flag;
            o.kv_heads = flag ? 1 : 0;
            if (tie != "all") o.source_vocabulary = 7;
            o.encoder_layers = 1;
            auto m = make<Transformer>(o, 1);
            CHECK(nn::count_parameters(m) == nn::transformer_parameters(o));
            sizes.insert(nn::count_parameters(m));
          }
  CHECK(sizes.size() > 100);  // of 216: none, sinusoidal, alibi and both ropes are of one size
}

TEST_CASE("the presets: base has nn.Transformer's 44,140,544 less two norms, and takes a step that lowers its loss") {
  TransformerOptions o = nn::transformer_base(37000);
  CHECK(nn::transformer_parameters(o) == 44140544 - 2 * 2 * 512 + 37000 * 512);
  CHECK(nn::transformer_parameters(nn::transformer_multi30k_small(8000)) == 6010688);
  CHECK(nn::transformer_parameters(nn::transformer_multi30k_tiny(10000)) == 2615056);
  o = nn::transformer_base(32);
  auto m = make<Transformer>(o, 1);
  CHECK(nn::count_parameters(m) == nn::transformer_parameters(o));
  nn::Adam adam(nn::named_parameters(m), {.learning_rate = 1e-4});
  Tensor source = ids({4, 5, 6, 7, 8, 9}, {2, 3}), lengths = ids({3, 3}, {2}), in = ids({2, 9, 2, 8}, {2, 2}),
         out = ids({9, 3, 8, 3}, {2, 2});
  nn::set_training(m, false);
  Variable loss = cross_entropy(m(source, lengths, in), out);
  backward(loss);
  adam.step();
  CHECK(cross_entropy(m(source, lengths, in), out).item() < loss.item() - 0.1);
}

TEST_CASE("options: as JSON and back; unfilled dropouts follow the one") {
  TransformerOptions o = nn::transformer_multi30k_tiny(10);
  o.activation = "geglu", o.norm = "rms", o.positions = "learned", o.max_positions = 77, o.inner_dropout = 0.25;
  o.kv_heads = 2, o.around["query_key_norm"].on = true;
  TransformerOptions back = nn::transformer_options_from(nn::to_json(o));
  CHECK(back.attention_dropout == 0.3);
  CHECK(back.inner_dropout == 0.25);
  back.source_vocabulary = back.target_vocabulary = 10;
  CHECK(nn::to_json(nn::completed(o)) == nn::to_json(back));
  CHECK(nn::transformer_parameters(o) == nn::transformer_parameters(back));
  CHECK(back.kv_heads == 2);
  CHECK(back.around["query_key_norm"].on);
  for (const std::string& positions : position_schemes()) {
    o.positions = positions;
    CHECK(nn::transformer_options_from(nn::to_json(o)).positions == positions);
  }
  io::Json bad = nn::to_json(o);
  bad.set("kv_heads", 1), bad.set("heads", 3);
  refuses<IoError>("Transformer: heads width got 3 128", [&] { nn::transformer_options_from(bad); });
}

TEST_CASE("Observe sees each attention under its path; the alignment is the last layer's mean over heads") {
  auto m = shaken<Transformer>(small_transformer());
  nn::assign_paths(m);
  std::vector<std::string> seen;
  Tensor last;
  Variable of_source;
  {
    nn::Observe observe([&](const nn::AttentionSeen& s) {
      seen.push_back(s.module);
      if (s.module == "decoder.layers.1.multihead_attn") last = s.weights;
    });
    m(ids({4, 5, 6, 8, 8, 0}, {2, 3}), ids({3, 2}, {2}), ids({2, 7, 2, 4}, {2, 2}), &of_source);
  }
  Tensor alignment = of_source.value();
  CHECK(seen == std::vector<std::string>{"encoder.layers.0.self_attn", "encoder.layers.1.self_attn",
                                         "decoder.layers.0.self_attn", "decoder.layers.0.multihead_attn",
                                         "decoder.layers.1.self_attn", "decoder.layers.1.multihead_attn"});
  CHECK(alignment.shape() == Shape{2, 2, 3});
  CHECK(relative_error(alignment, mean(Variable(last), {1}).value()) < 1e-12);
  for (int64_t t = 0; t < 2; ++t) CHECK(alignment.at({1, t, 2}) == 0);  // padding
}

TEST_CASE("weights come where they are asked for, from the last layer alone") {
  auto m = shaken<Transformer>(small_transformer());
  Tensor source = row({4, 5, 6}), in = row({2, 7});
  Transformer::Encoded m_source = m.encode(source, ids({3}, {1}));
  CHECK_FALSE(m.decode(in, m_source, {}).weights.defined());
  Transformer::Decoded shown = m.decode(in, m_source, {.weights = true});
  CHECK(shown.weights.shape() == Shape{1, 3, 2, 3});
  CHECK(relative_error(sum(shown.weights, {3}).value(), Tensor::ones({1, 3, 2}, DType::f64)) < 1e-12);
  CHECK(relative_error(shown.features.value(), m.decode(in, m_source, {}).features.value()) < 1e-12);
  int64_t made = 0;
  for (nn::TransformerLayer& layer : m.decoder.layers)
    layer.multihead_attn->output_hooks.push_back([&](std::string_view name, const Variable& y) {
      made += name == "weights";
      return y;
    });
  m(source, ids({3}, {1}), in);
  CHECK(made == 2);  // a hook sees all of them
  Variable h(random({1, 2, 12}, 1, DType::f64));
  CHECK_FALSE(m.encoder(h).weights.defined());
  CHECK(m.encoder(h, {.self = {.weights = true}}).weights.shape() == Shape{1, 3, 2, 2});
}
