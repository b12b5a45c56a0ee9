// Every kind of Seq2Seq is a paper: the same seed gives the same parameters, logits and searches to the bit, and
// gradients within rounding. The functions here say which paper and which options an option of Seq2Seq has become.
#include <doctest/doctest.h>

#include "nn/decode/search.h"
#include "nn/models/copying.h"
#include "nn/models/fixed_vector.h"
#include "nn/models/papers.h"
#include "nn/models/seq2seq_search.h"
#include "nn/penalties.h"
#include "nn/train/attention_penalties.h"
#include "tests/nn/models/kinds.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using namespace heed::nn_test::two_sentences;
using namespace heed::nn_test::seq2seq;

namespace {

template <class M>
typename M::Options common(const nn::Seq2SeqOptions& o) {
  typename M::Options p;
  p.source = {o.source_vocabulary, o.embedding}, p.target = {o.target_vocabulary, o.embedding};
  p.encoder = {o.cell, o.hidden, o.layers, o.bidirectional, o.tape};
  p.decoder = {o.cell, o.hidden, o.decoder_layers, o.tape, o.memory};
  p.start = o.start, p.pooling = o.pooling, p.readout = o.readout, p.dropout = o.dropout;
  if constexpr (requires { p.attention; }) p.attention = o.attention;
  if constexpr (requires { p.reader; }) p.reader = o.reader;
  if constexpr (requires { p.input_feeding; }) p.input_feeding = o.input_feeding;
  return p;
}
nn::AnyPaper paper_from(const nn::Seq2SeqOptions& o) {
  if (o.context == "initial_state") return nn::paper_of<nn::Sutskever>(common<nn::Sutskever>(o));
  if (o.context == "every_step") return nn::paper_of<nn::Cho>(common<nn::Cho>(o));
  nn::AnyPaper p = o.order == "luong"  ? nn::paper_of<nn::Luong>(common<nn::Luong>(o))
                   : o.order == "deep" ? nn::paper_of<nn::DeepFusion>(common<nn::DeepFusion>(o))
                                       : nn::paper_of<nn::Bahdanau>(common<nn::Bahdanau>(o));
  nn::set_called(p.fields(), "output", o.output);
  return p;
}

struct Twins {
  nn::Seq2Seq today;
  std::unique_ptr<nn::EncoderDecoder> paper;
};
Twins twins(const nn::Seq2SeqOptions& o) {
  Generator a(7), b(7);
  Twins t{nn::Seq2Seq(o, a), paper_from(o).make({o.source_vocabulary, o.target_vocabulary}, b)};
  // What copies draws in another order: its parameters are copied.
  if (o.output != "softmax") nn::load_state(*t.paper, nn::save_state(t.today), "Seq2Seq");
  return t;
}

void same_searches(const Twins& t, const Tensor& from) {
  nn::Evaluating evaluating;
  auto words = [](std::vector<nn::Hypothesis> found) {
    std::vector<double> all;
    for (const nn::Hypothesis& h : found) {
      all.insert(all.end(), h.tokens.begin(), h.tokens.end());
      all.push_back(h.log_probability);
      for (const auto& row : h.weights) all.insert(all.end(), row.begin(), row.end());
    }
    return all;
  };
  nn::Seq2SeqSearch one(t.today, from, lengths()), beam(t.today, from, lengths());
  CHECK(words(nn::greedy(one, {.max_lengths = {6, 6}})) ==
        words(nn::greedy(*t.paper->search(from, lengths()), {.max_lengths = {6, 6}})));
  auto found = nn::beam_search_all(beam, 3, {.max_lengths = {6, 6}}),
       others = nn::beam_search_all(*t.paper->search(from, lengths()), 3, {.max_lengths = {6, 6}});
  for (size_t i = 0; i < 2; ++i) CHECK(words(found[i]) == words(others[i]));
}

// `aligned`: with the alignment and its gradient, for which the steps run one after the other.
void same(const nn::Seq2SeqOptions& o, const Tensor& from, const Tensor& to, bool aligned) {
  Twins t = twins(o);
  Tensor weights;
  Variable alignment;
  nn::Penalties theirs;
  Variable y = t.today(from, lengths(), to, &weights);
  nn::Penalties ours;
  Variable z = (*t.paper)(from, lengths(), to, aligned ? &alignment : nullptr);
  CHECK(bit_equal(y.value(), z.value()));
  CHECK(theirs.values() == ours.values());
  if (aligned && weights.defined()) CHECK(bit_equal(weights, alignment.value()));
  auto loss = [](const Variable& logits, const nn::Penalties& p) {
    return p.empty() ? weighted_sum(logits) : weighted_sum(logits) + p.total();
  };
  backward(loss(y, theirs)), backward(loss(z, ours));
  std::map<std::string, Variable> by_name;
  for (auto& p : nn::named_parameters(t.today)) by_name[p.name] = p.variable;
  auto all = nn::named_parameters(*t.paper);
  CHECK(all.size() == by_name.size());
  for (auto& p : all) {
    CAPTURE(p.name);
    REQUIRE(by_name.contains(p.name));
    CHECK(bit_equal(p.variable.value(), by_name[p.name].value()));
    CHECK(p.variable.grad().defined() == by_name[p.name].grad().defined());
    if (p.variable.grad().defined()) CHECK(relative_error(p.variable.grad(), by_name[p.name].grad()) <= 2e-6);
  }
  same_searches(t, from);
}

}  // namespace

TEST_CASE("every encoder-decoder: the paper has the bits of Seq2Seq") {
  for (const Kind& k : kinds()) {
    CAPTURE(k.name);
    for (bool aligned : {false, true}) {
      CAPTURE(aligned);
      same(k.options, source(), target_in(), aligned && k.options.context == "attention");
    }
  }
}

TEST_CASE("papers with dropout, and with readers, have the bits of Seq2Seq") {
  for (const char* context : {"attention", "every_step", "initial_state"})
    for (const char* order : {"bahdanau", "luong"})
      for (const char* reader : {"", "hard:soft=0.5,entropy=0.1"}) {
        nn::Seq2SeqOptions o = base();
        o.dropout = 0.3, o.layers = 2, o.context = context, o.order = order, o.start = "last";
        if (o.context == "attention") o.reader = reader;
        CAPTURE(context);
        CAPTURE(order);
        CAPTURE(reader);
        same(o, source(), target_in(), false);
      }
}

TEST_CASE("penalties of attention have become options of training, with the same terms") {
  for (const char* order : {"bahdanau", "luong"}) {
    nn::Seq2SeqOptions o = base();
    o.order = order, o.coverage_loss = 1, o.doubly_stochastic = 2, o.attention_entropy = 3;
    o.attention_overlap = 4, o.guided_attention = 5;
    Twins t = twins(o);
    nn::Penalties theirs;
    t.today(source(), lengths(), target_in());
    nn::Penalties ours;
    Variable alignment;
    (*t.paper)(source(), lengths(), target_in(), &alignment);
    nn::AttentionPenalties{1, 2, 3, 4, 5}.add(alignment, target_in(), lengths());
    CHECK(theirs.values().size() == 5);
    CHECK(theirs.values() == ours.values());
  }
}

TEST_CASE("papers that copy have the bits of Seq2Seq") {
  Tensor from = ids({4, 9, 6, 7, 3, 8, 4, 3, 0, 0}, {2, 5}), to = ids({2, 4, 9, 6, 2, 8, 7, 0}, {2, 4});
  for (const char* output : {"pointer_generator", "pointer", "copynet"})
    for (const char* order : {"bahdanau", "luong", "deep"})
      for (bool feeding : {false, true}) {
        nn::Seq2SeqOptions o = base();
        o.source_vocabulary = o.target_vocabulary = 8, o.output = output, o.order = order;
        o.input_feeding = feeding && o.order == "luong";
        if (o.order == "deep") o.cell = "lstmn", o.bidirectional = false;
        CAPTURE(output);
        CAPTURE(order);
        CAPTURE(feeding);
        const bool points = o.output == "pointer";
        same(o, points ? source() : from, points ? ids({2, 4, 5, 6, 2, 6, 4, 0}, {2, 4}) : to, true);
        Twins t = twins(o);
        CHECK(t.today.writable(from, lengths()).to_vector() == t.paper->writable(from, lengths()).to_vector());
      }
}
