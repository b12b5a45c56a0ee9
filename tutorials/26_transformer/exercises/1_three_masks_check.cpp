// Hints and checks of exercise 26.1.
#include "tutorials/26_transformer/exercises/1_three_masks.h"

#include "tensor/tensor.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Mask;

Tensor drawn(const Mask& m, int64_t T, int64_t S) {
  return Tensor::from(std::vector<double>(m.begin(), m.end()), {T, S});
}

void examine(app::Exercise& e) {
  e.check("the encoder's mask for 3 words padded to 5, element ", drawn(mine::padding_mask(3, 5, 5), 5, 5),
          drawn({1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0}, 5, 5), 0);
  e.check("the cross-attention mask for 2 words of the target and 1 of the source padded to 3, element ",
          drawn(mine::padding_mask(1, 2, 3), 2, 3), drawn({1, 0, 0, 1, 0, 0}, 2, 3), 0);
  e.check("the decoder's mask for 4 words, element ", drawn(mine::causal_mask(4, 0), 4, 4),
          drawn({1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}, 4, 4), 0);
  e.check("the decoder's mask for one word after 3 cached words, element ", drawn(mine::causal_mask(1, 3), 1, 4),
          drawn({1, 1, 1, 1}, 1, 4), 0);
  e.check("the decoder's mask for two words after 2 cached words, element ", drawn(mine::causal_mask(2, 2), 2, 4),
          drawn({1, 1, 1, 0, 1, 1, 1, 1}, 2, 4), 0);
}

}  // namespace

int main(int argc, char** argv) {
  heed::app::Exercise e("26", 1, "Three masks");
  e.hint("mask[i * S + j] is row i (a query), column j (a key).");
  e.hint("Padding follows the words: column j is padding if j >= words, in every row.");
  e.hint("Query i is at position first + i, and key j at position j. It may attend to j if j <= first + i.");
  e.insight(
      "Padding hides columns, the same for each query; a causal mask hides more of each earlier row. With a cache and\n"
      "one new word the causal mask is a row of ones: what comes later does not exist yet.",
      "./heed exercise 26 2");
  return e.run(argc, argv, examine);
}
