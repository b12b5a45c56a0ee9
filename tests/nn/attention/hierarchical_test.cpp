// The hierarchical attention network: padding at two levels.
#include "nn/attention/structures/hierarchical.h"

#include "nn/observe.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;

namespace {

nn::HierarchicalAttention built() {
  return make<nn::HierarchicalAttention>({.vocabulary = 9, .embedding = 3, .hidden = 4, .attention = 5}, 1);
}

// Documents of 2 and 1 sentences: (1 2 3) (4 5), and (6 7).
nn::DocumentRead two_documents(const nn::HierarchicalAttention& m) {
  return m(ids({1, 2, 3, 4, 5, 0, 6, 7, 0, 0, 0, 0}, {2, 2, 3}), ids({3, 2, 2, 0}, {2, 2}));
}

}  // namespace

// The vector of a document is what its two levels give one after the other, words first and then sentences.
TEST_CASE("hierarchical: the document is what its two levels make of it" * holds("a_document_is_its_two_levels")) {
  auto m = built();
  Variable first = m.embedding(ids({1, 2, 3}, {1, 3})), second = m.embedding(ids({4, 5}, {1, 2}));
  nn::Attended a = m.words(first, ids({3}, {1})), b = m.words(second, ids({2}, {1}));
  Variable h = m.words.encoder(first).annotations;  // the level by its formula
  Variable scores = matmul(tanh(m.words.hidden(h)), transpose(m.words.attention.query, 0, 1));
  Variable by_hand = sum(softmax(scores, 1) * h, {1});
  CHECK(max_abs_difference(a.context.value(), by_hand.value()) < 1e-6);
  nn::Attended document = m.sentences(stack({a.context, b.context}, 1), ids({2}, {1}));
  nn::DocumentRead read = two_documents(m);
  CHECK(max_abs_difference(read.document.value().select(0, 0), document.context.value().select(0, 0)) < 1e-6);
  CHECK(max_abs_difference(read.sentences.value().select(0, 0), document.weights.value().select(0, 0)) < 1e-6);
}

// Sentences without words change no bit, wherever they are, and neither does longer padding.
TEST_CASE("hierarchical: sentences without words change no bit, wherever they stand, and longer padding neither" *
          holds("empty_sentences_change_no_bit")) {
  auto m = built();
  nn::DocumentRead read = two_documents(m);
  nn::DocumentRead padded = m(ids({0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 8, 8, 0, 0, 0, 4, 5, 8, 8, 8,  //
                                   6, 7, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8},
                                  {2, 4, 5}),
                              ids({0, 3, 0, 2, 2, 0, 0, 0}, {2, 4}));
  CHECK(bit_equal(padded.document.value(), read.document.value()));
  CHECK(padded.sentences.value().at({0, 0}) == 0);
  CHECK(padded.sentences.value().at({0, 1}) == read.sentences.value().at({0, 0}));
  CHECK(padded.sentences.value().at({0, 3}) == read.sentences.value().at({0, 1}));
  for (int64_t l = 0; l < 3; ++l) CHECK(padded.words.value().at({0, 3, l}) == read.words.value().at({0, 1, l}));
  CHECK(all_zero(padded.words.value().select(0, 0).select(0, 2)));
  // Alone, a document is what it is among others.
  nn::DocumentRead alone = m(ids({6, 7}, {1, 1, 2}), ids({2}, {1, 1}));
  CHECK(bit_equal(alone.document.value(), read.document.value().slice(0, 1, 2).contiguous()));
}

// Words after the end of a sentence get no gradient, and those before it do.
TEST_CASE("hierarchical: words behind an end get no gradient, those before it do" *
          holds("words_behind_an_end_get_no_gradient")) {
  auto m = built();
  backward(weighted_sum(m(ids({1, 2, 8, 3, 8, 8}, {1, 2, 3}), ids({2, 1}, {1, 2})).document));
  Tensor grad = m.embedding.weight.grad();
  for (int64_t id = 0; id < 9; ++id) CHECK(all_zero(grad.select(0, id)) == !(id >= 1 && id <= 3));
}

TEST_CASE("hierarchical: the weights depend on the words, and both levels show theirs to Observe") {
  auto m = built();
  nn::assign_paths(m, "reader");
  std::string names;
  nn::Observe observe([&](const nn::AttentionSeen& seen) { names += seen.module + " "; });
  nn::DocumentRead read = two_documents(m);
  CHECK(names == "reader.words.attention.attention reader.sentences.attention.attention ");
  nn::DocumentRead other = m(ids({1, 2, 3, 4, 8, 0, 6, 7, 0, 0, 0, 0}, {2, 2, 3}), ids({3, 2, 2, 0}, {2, 2}));
  CHECK(max_abs_difference(other.words.value().select(0, 0).select(0, 1),
                           read.words.value().select(0, 0).select(0, 1)) > 1e-5);
  CHECK(max_abs_difference(other.sentences.value().select(0, 0), read.sentences.value().select(0, 0)) > 1e-6);
  CHECK(bit_equal(other.words.value().select(0, 0).select(0, 0).contiguous(),
                  read.words.value().select(0, 0).select(0, 0).contiguous()));
}
