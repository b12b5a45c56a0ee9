// Exercise 27.2: the entropy of a grammar.
//
//   A -> w_1 | w_2 A        with the probabilities 1 - q and q: any number of w_2, then w_1
//
// Derive the entropy of the sentences of A in nats and their mean length in words. Their ratio is the entropy per word,
// below which no language model can get its loss. For a rule of probability p:
//
//   H(A) = sum over the rules of p (-log p + H of the rest of the sentence)        L(A) = sum of p (1 + L of the rest)
#pragma once

namespace mine {

struct Grammar {
  double entropy, length;  // H(A) in nats, L(A) in words
};

Grammar solved(double q);

}  // namespace mine
