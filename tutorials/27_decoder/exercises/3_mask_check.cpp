// Hints and checks of exercise 27.3.
#include "tutorials/27_decoder/exercises/3_mask.h"

#include <fmt/format.h>

#include "nn/attention/structures/multi_head.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;

void examine(app::Exercise& e) {
  const std::vector<int64_t> segments{1, 1, 1, 2, 2, 3, 3, 3, 3, 0, 0};
  auto T = std::ssize(segments);
  Tensor mask = Tensor::zeros({T, T}, DType::boolean);
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < T; ++s)
      mask.set({t, s}, mine::allowed(segments, static_cast<size_t>(t), static_cast<size_t>(s)) ? 1 : 0);
  auto row = [&](int64_t t) {
    std::string bits;
    for (int64_t s = 0; s < T; ++s) bits += mask.at({t, s}) > 0 ? '1' : '0';
    return bits;
  };
  e.check("what the first word of sentence 2 attends to", row(3), std::string("00010000000"));
  e.check("what the third word of sentence 3 attends to", row(7), std::string("00000111000"));
  e.check("what padding attends to", row(T - 1), std::string(static_cast<size_t>(T), '0'));
  Generator rng(2), same(2);  // so that both have the same parameters
  nn::MultiHeadAttention attention({.model = 8, .heads = 2}, rng);
  nn::MultiHeadAttention causal({.model = 8, .heads = 2, .scope = {.name = "causal"}}, same);
  Variable x(Tensor::normal({1, T, 8}, rng));
  Tensor packed = attention(x, {.allowed = mask}).output.value();
  int64_t begin = 0;
  for (int64_t words : {3, 2, 4}) {
    Tensor own = causal(Variable(x.value().slice(1, begin, begin + words))).output.value();
    e.check(fmt::format("the sentence of {} words, packed and in a row of its own, element ", words),
            packed.slice(1, begin, begin + words), own, 1e-5);
    begin += words;
  }
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("27", 3, "The mask of a packed row");
  e.hint("One block for each sentence, and of each block the lower half with the diagonal.");
  e.hint("Padding belongs to no sentence, and not to one called 0.");
  e.hint("Same segment, segment not 0, and s <= t.");
  e.insight(
      "With this mask a packed row gives each sentence exactly what it gets alone, so batches waste no time on "
      "padding.\n"
      "Positions must begin again at 0 in each sentence, too, if the model has absolute positions.",
      "./heed exercise 27 4");
  return e.run(argc, argv, examine);
}
