// What the sources can throw, read from the sources: for the test that every failure has a row in tests/nn/bad_input.
//
//   throw ShapeError(fmt::format("matmul: inner sizes must agree; got a {} and b {} ({} vs {})", ..));
//   -> ShapeError, the pieces "matmul: inner sizes must agree; got a ", " and b ", " (", " vs ", ")"
//
// Where a function throws a sentence with one of its own parameters in it, each call that gives this parameter as a
// literal or a format is a site too: require_share("dropout", ..) -> "Transformer: dropout must lie in [0, 1); got ".
// Read by hand, one token at a time, as clang-format leaves the sources: functions begin at the start of a line, or
// two blanks inside a class.
#pragma once

#include <string>
#include <vector>

namespace heed::nn_test {

struct ThrowSite {
  std::string file, type;
  int line = 0;
  std::vector<std::string> pieces;  // the literal parts of the sentence, in order
};

// Of all *.h and *.cpp under the folders, by file and line.
std::vector<ThrowSite> throw_sites(const std::string& root, const std::vector<std::string>& folders);

}  // namespace heed::nn_test
