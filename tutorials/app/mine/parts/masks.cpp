// Exercise 26.1 in a transformer: the mask of cross-attention and that of the decoder. (The encoder of exercise 24.4
// has a mask of its own.) The transformer reads all words at once and has no cache; the mask with one is compared, too.
#include "tutorials/26_transformer/exercises/1_three_masks.h"
#include "tutorials/app/mine/part.h"

namespace heed::app {
namespace {

std::vector<double> numbers(const std::vector<int>& mask) { return {mask.begin(), mask.end()}; }

void check(Comparison& c) {
  const Pieces library = library_pieces();
  for (int64_t words : {1, 3, 5})
    c.value("the padding mask of " + std::to_string(words) + " of 5 words", numbers(mine::padding_mask(words, 4, 5)),
            numbers(library.padding_mask(words, 4, 5)), 0);
  for (int64_t T : {1, 4})
    c.value("the causal mask of " + std::to_string(T) + " words", numbers(mine::causal_mask(T, 0)),
            numbers(library.causal_mask(T)), 0);
  std::vector<double> last = numbers(library.causal_mask(5));  // its rows 3 and 4: two words after three in a cache
  last.erase(last.begin(), last.begin() + 15);
  c.value("the causal mask of 2 words after 3", numbers(mine::causal_mask(2, 3)), last, 0);
}

void use(Pieces& pieces) {
  pieces.padding_mask = mine::padding_mask;
  pieces.causal_mask = [](int64_t T) { return mine::causal_mask(T, 0); };
}

const Registered part({.name = "masks", .exercise = "26.1", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
