// Exercise 26.1 in a transformer: the mask of cross-attention and that of the decoder. (The encoder of exercise 24.4
// has a mask of its own.) All words are read at once, so that no word is in a cache.
#include "nn/padding.h"
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
}

void use(Pieces& pieces) {
  pieces.padding_mask = mine::padding_mask;
  pieces.causal_mask = [](int64_t T) { return mine::causal_mask(T, 0); };
}

const Registered part({.name = "masks", .exercise = "26.1", .check = check, .use = use});

}  // namespace
}  // namespace heed::app
