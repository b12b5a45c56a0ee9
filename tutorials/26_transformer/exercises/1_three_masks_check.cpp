// Hints, common mistakes and checks of exercise 26.1.
#include "tutorials/26_transformer/exercises/1_three_masks.h"

#include "tensor/tensor.h"
#include "tutorials/common/exercise.h"

namespace {

using namespace heed;
using mine::Mask;

struct Answer {
  decltype(&mine::padding_mask) padding;
  decltype(&mine::causal_mask) causal;
};

Mask mask(int64_t T, int64_t S, auto allowed) {  // allowed(i, j)
  Mask m;
  for (int64_t i = 0; i < T; ++i)
    for (int64_t j = 0; j < S; ++j) m.push_back(allowed(i, j) ? 1 : 0);
  return m;
}
Mask padding(int64_t words, int64_t T, int64_t S) {
  return mask(T, S, [=](int64_t, int64_t j) { return j < words; });
}
Mask causal(int64_t T, int64_t first) {
  return mask(T, first + T, [=](int64_t i, int64_t j) { return j <= first + i; });
}
Mask all_padding(int64_t, int64_t T, int64_t S) { return Mask(static_cast<size_t>(T * S), 1); }
Mask all_causal(int64_t T, int64_t first) { return Mask(static_cast<size_t>(T * (first + T)), 1); }

const std::vector<app::Mistake<Answer>> mistakes{
    {"The gap is still open: every query may attend to every key", {all_padding, all_causal}},
    {"The padding masks are right. The second half is still open: hide later words", {padding, all_causal}},
    {"You masked rows, which are queries. Padding is hidden as a key: set columns j >= words to 0, in every row",
     {[](int64_t words, int64_t T, int64_t S) { return mask(T, S, [=](int64_t i, int64_t) { return i < words; }); },
      causal}},
    {"You also hid everything from the queries i >= words: a row of zeros has no softmax, and in cross-attention row i "
     "is "
     "a word of the target. Mask columns only",
     {[](int64_t words, int64_t T, int64_t S) {
        return mask(T, S, [=](int64_t i, int64_t j) { return i < words && j < words; });
      },
      causal}},
    {"The first padded position can be attended to: words are 0 .. words - 1, so column j = words is padding",
     {[](int64_t words, int64_t T, int64_t S) { return mask(T, S, [=](int64_t, int64_t j) { return j <= words; }); },
      causal}},
    {"Your masks are inverted: here 1 means that the query may attend to the key",
     {[](int64_t words, int64_t T, int64_t S) { return mask(T, S, [=](int64_t, int64_t j) { return j >= words; }); },
      [](int64_t T, int64_t first) {
        return mask(T, first + T, [=](int64_t i, int64_t j) { return j > first + i; });
      }}},
    {"A word cannot attend to itself: j <= i includes j = i, and the first row would be empty",
     {padding, [](int64_t T,
                  int64_t first) { return mask(T, first + T, [=](int64_t i, int64_t j) { return j < first + i; }); }}},
    {"A word can attend to the next one, which it has to predict: hide j = first + i + 1, too",
     {padding,
      [](int64_t T, int64_t first) {
        return mask(T, first + T, [=](int64_t i, int64_t j) { return j <= first + i + 1; });
      }}},
    {"Your causal mask is transposed: the words before are allowed, j <= first + i, and the later ones hidden",
     {padding, [](int64_t T,
                  int64_t first) { return mask(T, first + T, [=](int64_t i, int64_t j) { return j >= first + i; }); }}},
    {"Without a cache your causal mask is right, with one it hides the cached words: query i is at position first + i",
     {padding,
      [](int64_t T, int64_t first) { return mask(T, first + T, [=](int64_t i, int64_t j) { return j <= i; }); }}},
};

Tensor drawn(const Mask& m, int64_t T, int64_t S) {
  return Tensor::from(std::vector<double>(m.begin(), m.end()), {T, S});
}

void examine(app::Exercise& e, const Answer& a) {
  e.check("the encoder's mask for 3 words padded to 5, element ", drawn(a.padding(3, 5, 5), 5, 5),
          drawn({1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0}, 5, 5), 0);
  e.check("the cross-attention mask for 2 words of the target and 1 of the source padded to 3, element ",
          drawn(a.padding(1, 2, 3), 2, 3), drawn({1, 0, 0, 1, 0, 0}, 2, 3), 0);
  e.check("the decoder's mask for 4 words, element ", drawn(a.causal(4, 0), 4, 4),
          drawn({1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}, 4, 4), 0);
  e.check("the decoder's mask for one word after 3 cached words, element ", drawn(a.causal(1, 3), 1, 4),
          drawn({1, 1, 1, 1}, 1, 4), 0);
  e.check("the decoder's mask for two words after 2 cached words, element ", drawn(a.causal(2, 2), 2, 4),
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
  return e.run(argc, argv, Answer{mine::padding_mask, mine::causal_mask}, examine, mistakes);
}
