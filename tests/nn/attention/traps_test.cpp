// Traps around attention, and who fell into them. Attention that was shipped wrong is planted in the library itself,
// and a property of the catalogue must report it (tests/mutation/faults.txt).
#include "nn/data/batches.h"
#include "nn/transformer/transformer.h"
#include "tests/nn/attention/subject.h"

using namespace heed;
using namespace heed::nn_test;

// OpenNMT-py added the coverage to the encoder's memory in place.
TEST_CASE("trap 6, a memory that is written: reading changes no bit of it, in any entry") {
  for (const nn::CatalogueEntry& entry : nn::catalogue()) {
    Subject attention = subject_of(entry);
    if (!attention) continue;
    CAPTURE(entry.id);
    Ask ask = small_ask();
    ask.lengths = Tensor::from(std::vector<int64_t>{5, 3}, {2});
    Tensor keys = ask.keys.value().clone(), values = ask.values.value().clone(), query = ask.query.value().clone();
    Seen first = attention(ask), second = attention(ask);
    CHECK(bit_equal(first.context.value(), second.context.value()));
    CHECK(bit_equal(ask.keys.value(), keys));
    CHECK(bit_equal(ask.values.value(), values));
    CHECK(bit_equal(ask.query.value(), query));
  }
}

// The annotated transformer#134: memory, mask and target in the wrong order are all tensors, and run.
TEST_CASE("trap 13, the order of arguments of decode: what is swapped does not compile") {
  using T = const Tensor&;
  using E = const nn::Transformer::Encoded&;
  auto decodes = []<class A, class B>() {
    return requires(const nn::Transformer& m, A a, B b) { m.decode(a, b, nn::Transformer::Decoding{}); };
  };
  CHECK(decodes.operator()<T, E>());
  CHECK_FALSE(decodes.operator()<E, T>());
  CHECK_FALSE(decodes.operator()<T, T>());
}

// pytorch/tutorials#719: a decoder that is given the word it must find.
TEST_CASE("trap 17, targets that are not shifted: the decoder's input is one word behind what it must find") {
  std::vector<data::EncodedPair> pairs{{{5, 6, 2}, {7, 8, 9}}, {{6, 2}, {9, 7}}};
  data::Batch b = data::make_batch(pairs, {0, 1});
  const Tensor &in = b.target_in, &out = b.target_out;
  REQUIRE(in.shape() == out.shape());
  for (int64_t row = 0; row < 2; ++row)
    for (int64_t t = 1; t < in.size(1); ++t) {
      if (in.at({row, t}) == 0) continue;  // padding
      CHECK(in.at({row, t}) == out.at({row, t - 1}));
      CHECK(in.at({row, t}) != out.at({row, t}));  // no word of these pairs stands twice in a row
    }
  CHECK(in.at({0, 0}) != out.at({0, 0}));
}
