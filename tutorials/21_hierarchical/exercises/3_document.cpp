#include "tutorials/21_hierarchical/exercises/3_document.h"

namespace mine {

using namespace heed;

Pooled one_level(const Tensor& x, [[maybe_unused]] const Level& level) {
  Pooled pooled{Tensor::zeros({x.size(0)}, x.dtype()), Tensor::zeros({x.size(1)}, x.dtype())};
  // ---- the gap, about 5 lines ----
  // 1. a [n, A]: all rows at once. Row i of x times W^T is W x_i.
  // 2. The scores u . a_i [n], and their softmax: subtract the largest, exp, divide by the sum.
  // 3. The weighted sum of the rows of x.
  // ---- end of the gap ----
  return pooled;
}

Document read_document(const Tensor& h, [[maybe_unused]] const std::vector<int64_t>& counts,
                       [[maybe_unused]] const Level& of_words, [[maybe_unused]] const Level& of_sentences) {
  const int64_t M = h.size(0), L = h.size(1), D = h.size(2);
  Document document{Tensor::zeros({M, L}, h.dtype()), Tensor::zeros({M}, h.dtype()), Tensor::zeros({D}, h.dtype())};
  // ---- the gap, about 15 lines ----
  // 1. For each sentence that has words: one_level of its words only. Write the weights into row m of document.words.
  //    Keep the vector of the sentence, and m.
  // 2. Stack the vectors of these sentences, [M', D]; one_level of them.
  // 3. Write each sentence's weight to the place m that it has in the document.
  // ---- end of the gap ----
  return document;
}

}  // namespace mine
