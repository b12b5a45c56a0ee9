// Sums of products in Einstein's notation: each axis has a letter, and letters that the result does not have are summed
// over.
//
//   einsum("ik,kj->ij", {a, b})          matrix product          einsum("bij,bjk->bik", {a, b})   batched
//   einsum("i,j->ij", {u, v})            outer product           einsum("ii->", {a})              trace
//   einsum("bqhd,bkhd->bhqk", {q, k})    attention's scores      einsum("...ij->...ji", {a})      transposed
#pragma once

#include <string>
#include <vector>

#include "autograd/variable.h"

namespace heed {

// y[letters of the result] = sum over all other letters of the product of the operands.
//
// Letters a-z and A-Z; spaces are ignored. A letter twice in one operand takes its diagonal. "..." is any number of
// axes. An axis of size 1 broadcasts to the size that its letter has in another operand, as in NumPy and PyTorch.
// Without "->" the result has the axes of "...", then the letters that occur once, in alphabetical order (NumPy's
// rule). Where nothing is multiplied or summed, the result is a view of its operand.
//
// Two operands become one matrix product by permute and reshape, several are contracted from left to right, so the
// gradients of any order are those of these operations. Each step takes 2 x the product of the sizes of all letters of
// its two operands in FLOPs. ValueError for an equation that is malformed, ShapeError for sizes that do not fit.
Variable einsum(const std::string& equation, const std::vector<Variable>& operands);

}  // namespace heed
