// Errors: one small family, one grammar.
//
//   <operation>: <rule that was broken>; got <names with shapes>[; hint]
//   matmul: inner sizes must agree; got a [32, 128] and b [256, 512] (128 vs 256)
//
// InputError and what derives from it is the user's (a file, an option, a value typed): programs end with exit code 2.
// Everything else is a mistake in the code that called us, or ours: exit code 3.
#pragma once

#include <stdexcept>
#include <string>

namespace heed {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct ShapeError : Error {  // sizes that do not fit together
  using Error::Error;
};
struct DTypeError : Error {  // element types that do not fit together
  using Error::Error;
};
struct IndexError : Error {  // an axis or an index out of range
  using Error::Error;
};
struct ValueError : Error {  // an argument outside its domain
  using Error::Error;
};
struct GraphError : Error {  // a graph used in a way that it cannot serve: freed, overwritten, not differentiable
  using Error::Error;
};
struct InputError : Error {  // what a user typed, chose or handed over
  using Error::Error;
};
struct IoError : InputError {  // a file that cannot be read, written or understood
  using InputError::InputError;
};

}  // namespace heed
