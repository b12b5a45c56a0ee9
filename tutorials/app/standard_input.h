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
  // True if a line, the end or an error can be read without waiting. Keeps about `most` bytes at most, so it is false
  // for a longer line.
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
