// Errors: a small class hierarchy, and one format for all messages.
//
//   <operation>: <rule that was broken>; got <names with shapes>[; hint]
//   matmul: inner sizes must agree; got a [32, 128] and b [256, 512] (128 vs 256)
//
// InputError and the classes derived from it are mistakes of the program's user (a file, an option, a typed value):
// programs end with exit code 2. All others are mistakes in the calling code or in this library: exit code 3.
#pragma once

#include <stdexcept>
#include <string>

namespace heed {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct ShapeError : Error {  // sizes that do not match
  using Error::Error;
};
struct DTypeError : Error {  // element types that do not match
  using Error::Error;
};
struct IndexError : Error {  // an axis or an index out of range
  using Error::Error;
};
struct ValueError : Error {  // an argument outside its domain
  using Error::Error;
};
struct GraphError : Error {  // a graph that cannot be used this way: freed, overwritten, not differentiable
  using Error::Error;
};
struct InputError : Error {  // something that the user typed, chose or passed in
  using Error::Error;
};
struct IoError : InputError {  // a file that cannot be read, written or understood
  using InputError::InputError;
};

}  // namespace heed
