// Element types: names, sizes, dispatch and its refusals; and the family of errors.
#include "tensor/dtype.h"

#include <doctest/doctest.h>

#include <type_traits>

#include "tests/tensor/support.h"

using namespace heed;

TEST_CASE("a dtype has a name, a size and a C++ type") {
  struct Row {
    DType dtype;
    std::string name;
    size_t size;
    bool real;
  };
  for (const Row& r : {Row{DType::f32, "f32", 4, true}, Row{DType::f64, "f64", 8, true},
                       Row{DType::i64, "i64", 8, false}, Row{DType::boolean, "bool", 1, false}}) {
    CHECK(name_of(r.dtype) == r.name);
    CHECK(size_of(r.dtype) == r.size);
    CHECK(is_float(r.dtype) == r.real);
    CHECK(dispatch(r.dtype, [](auto zero) { return sizeof zero; }) == r.size);
    CHECK(dispatch(r.dtype, [](auto zero) { return DTypeOf<decltype(zero)>::value; }) == r.dtype);
  }
}

TEST_CASE("what a user caused is an InputError; a mistake in code is not") {
  CHECK(std::is_base_of_v<InputError, IoError>);
  CHECK(std::is_base_of_v<Error, InputError>);
  CHECK_FALSE(std::is_base_of_v<InputError, ShapeError>);
  CHECK_FALSE(std::is_base_of_v<InputError, DTypeError>);
  CHECK_FALSE(std::is_base_of_v<InputError, IndexError>);
  CHECK_FALSE(std::is_base_of_v<InputError, ValueError>);
  CHECK_FALSE(std::is_base_of_v<InputError, GraphError>);
}
