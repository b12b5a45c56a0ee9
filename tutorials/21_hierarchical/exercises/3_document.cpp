#include "tutorials/21_hierarchical/exercises/3_document.h"

namespace mine {

using namespace heed;

Pooled one_level(const Tensor& x, const Level& level) {
  Pooled pooled{Tensor::zeros({x.size(0)}, x.dtype()), Tensor::zeros({x.size(1)}, x.dtype())};
  // ---- the gap, about 5 lines ----
  // | // 1. a [n, A]: all rows at once. Row i of x times W^T is W x_i.
  // | // 2. The scores u . a_i [n], and their softmax: subtract the largest, exp, divide by the sum.
  // | // 3. The weighted sum of the rows of x.
  // ---- filled ----
  const Tensor a = tanh(add(matmul(x, level.W.transpose(0, 1)), level.b));  // [n, A]
  const Tensor scores = matmul(a, level.u);                                 // [n]
  const Tensor e = exp(sub(scores, max(scores)));
  pooled.weights = div(e, sum(e));
  pooled.vector = matmul(pooled.weights, x);
  // ---- end of the gap ----
  return pooled;
}

Document read_document(const Tensor& h, const std::vector<int64_t>& counts, const Level& of_words,
                       const Level& of_sentences) {
  const int64_t M = h.size(0), L = h.size(1), D = h.size(2);
  Document document{Tensor::zeros({M, L}, h.dtype()), Tensor::zeros({M}, h.dtype()), Tensor::zeros({D}, h.dtype())};
  // ---- the gap, about 15 lines ----
  // | // 1. For each sentence that has words: one_level of its words only. Write the weights into row m of
  // | //    document.words. Keep the vector of the sentence, and m.
  // | // 2. Stack the vectors of these sentences, [M', D]; one_level of them.
  // | // 3. Write each sentence's weight to the place m that it has in the document.
  // ---- filled ----
  std::vector<int64_t> places;
  std::vector<Tensor> vectors;
  for (int64_t m = 0; m < M; ++m) {
    const int64_t n = counts[static_cast<std::size_t>(m)];
    if (n == 0) continue;
    const Tensor words = h.select(0, m).slice(0, 0, n);  // [n, D]
    const Pooled sentence = one_level(words, of_words);
    for (int64_t l = 0; l < n; ++l) document.words.set({m, l}, sentence.weights.at({l}));
    places.push_back(m);
    vectors.push_back(sentence.vector);
  }
  const Pooled all = one_level(stack(vectors, 0), of_sentences);
  for (std::size_t i = 0; i < places.size(); ++i)
    document.sentences.set({places[i]}, all.weights.at({static_cast<int64_t>(i)}));
  document.vector = all.vector;
  // ---- end of the gap ----
  return document;
}

}  // namespace mine
