// Exercise 27.3: the mask of a packed row.
//
// A row holds several sentences, numbered 1, 2, ..; 0 is padding. A language model may look from place t at place s
// only if both belong to the same sentence, and s is not behind t.
//
// Keeping the sentences apart is half of it; the other half is the causal mask.
// The checks put your mask into an attention and compare each sentence with what it gets in a row of its own.
#include <fmt/format.h>

#include <vector>

#include "nn/attention/structures/multi_head.h"
#include "tutorials/common/exercise.h"

namespace {

bool allowed(const std::vector<int64_t>& segments, size_t t, size_t s) {
  // ---- the gap, filled ----
  return segments[t] == segments[s] && segments[t] != 0 && s <= t;
  // ---- end of the gap ----
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("27", 3, "The mask of a packed row");
  e.hint("A block for each sentence, and of each block one half.");
  e.hint("Padding belongs to no sentence, not to one called 0.");
  return e.run(argc, argv, [&] {
    using namespace heed;
    const std::vector<int64_t> segments{1, 1, 1, 2, 2, 3, 3, 3, 3, 0, 0};
    auto T = std::ssize(segments);
    Tensor mask = Tensor::zeros({T, T}, DType::boolean);
    for (int64_t t = 0; t < T; ++t)
      for (int64_t s = 0; s < T; ++s)
        mask.set({t, s}, allowed(segments, static_cast<size_t>(t), static_cast<size_t>(s)) ? 1 : 0);
    Generator rng(2), same(2);  // so that both have the same parameters
    nn::MultiHeadAttention attention({.model = 8, .heads = 2}, rng);
    nn::MultiHeadAttention causal({.model = 8, .heads = 2, .scope = {.name = "causal"}}, same);
    Variable x(Tensor::normal({1, T, 8}, rng));
    Tensor packed = attention(x, {.allowed = mask}).output.value();
    int64_t begin = 0;
    for (int64_t words : {3, 2, 4}) {
      Tensor own = causal(Variable(x.value().slice(1, begin, begin + words))).output.value();
      e.check(fmt::format("the sentence of {} words in its row", words), packed.slice(1, begin, begin + words), own,
              1e-5);
      begin += words;
    }
    std::string looks;
    for (int64_t s = 0; s < T; ++s) looks += mask.at({T - 1, s}) > 0 ? '1' : '0';
    e.check("what padding looks at", looks, std::string(static_cast<size_t>(T), '0'));
  });
}
