// Sums of products, written as one writes them on paper: a letter an axis, and a letter that the result does not name
// is summed over.
//
//   einsum("ik,kj->ij", {a, b})          matrix product          einsum("bij,bjk->bik", {a, b})   batched
//   einsum("i,j->ij", {u, v})            outer product           einsum("ii->", {a})              trace
//   einsum("bqhd,bkhd->bhqk", {q, k})    attention's scores      einsum("...ij->...ji", {a})      transposed
#pragma once

#include <string>
#include <vector>

#include "autograd/variable.h"

namespace heed {

// y[result letters] = sum over all other letters of the product of the operands.
//
// Letters a-z, A-Z; spaces mean nothing. A letter twice in one operand takes its diagonal. "..." stands for any number
// of axes, which broadcast. Without "->" the result is the axes of "...", then the letters that occur once, in
// alphabetical order (NumPy's rule). Two operands become one matrix product by permute and reshape, several are
// contracted from left to right, so gradients of any order are those of these operations. FLOPs: 2 x the product of
// the sizes of all letters of the two, at each step. ValueError for a text that means nothing, ShapeError for sizes.
Variable einsum(const std::string& equation, const std::vector<Variable>& operands);

}  // namespace heed
