// Exercise 02.3: a topological order, from the edges alone.
//
// scalar.h sorts the nodes by their number, the order in which they were made: newest first is an order in which each
// node comes after all nodes that use it. Suppose that nobody kept these numbers. Find such an order from the edges:
// the root first, each node once.
//
// The code in the gap searches breadth first. It is right on b = a + a; c = b + b, and can be wrong where two paths to
// the same node have different lengths. A right algorithm: A. B. Kahn, "Topological sorting of large networks", 1962.
#pragma once

#include <vector>

#include "tutorials/02_derivatives/scalar.h"

namespace mine {

// Reads node->edges only: the numbers, node->number, are all zero here.
std::vector<derivatives::Node*> order_of(derivatives::Node* root);

}  // namespace mine
