// Standard input as a stream that knows whether a whole line is there: a line that is still being typed, or sent, must
// not hold up the lines before it, and lines that are there together are translated together.
#pragma once

#include <cstddef>
#include <streambuf>
#include <vector>

namespace heed::app {

class StandardInput : public std::streambuf {
 public:
  explicit StandardInput(int descriptor = 0) : descriptor_(descriptor) {}
  // Can a line be read, or the end, or an error, without waiting? Looks at no more than `most` bytes and those that
  // came with them, so that what is kept is bounded: of a longer line it says no.
  bool line_ready(size_t most);

 protected:
  int_type underflow() override;  // throws std::ios_base::failure if the descriptor cannot be read

 private:
  void read_more();  // adds what is there to the bytes that wait; waits if nothing is

  int descriptor_, error_ = 0;
  bool ended_ = false;
  std::vector<char> bytes_;
};

}  // namespace heed::app
