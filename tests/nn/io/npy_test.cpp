#include "nn/io/npy.h"

#include "nn/io/file.h"
#include "tests/nn/io/support.h"
#include "tests/nn/support.h"

using namespace heed;
using heed::io_test::Folder;

TEST_CASE(".npy: the bytes that numpy writes") {
  Folder folder;
  std::string path = folder / "x.npy";
  io::save_npy(path, Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}).transpose(0, 1));
  // np.save of np.array([[1, 3, 5], [2, 4, 6]], 'f4'): 128 bytes of header
  std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  std::string wanted = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dict + std::string(117 - dict.size(), ' ') + '\n';
  for (float v : {1.f, 3.f, 5.f, 2.f, 4.f, 6.f}) wanted.append(reinterpret_cast<const char*>(&v), 4);
  CHECK(io::read_file(path) == wanted);
  auto shape_of = [&](const Tensor& x) {
    io::save_npy(path, x);
    std::string text = io::read_file(path);
    CHECK((text.find('\n') + 1) % 64 == 0);
    size_t begin = text.find("'shape': ") + 9;
    return text.substr(begin, text.find(", }") - begin) + text.substr(text.find("'descr'"), 16);
  };
  CHECK(shape_of(Tensor::zeros({3}, DType::f64)) == "(3,)'descr': '<f8', ");
  CHECK(shape_of(Tensor::zeros({0, 4}, DType::i64)) == "(0, 4)'descr': '<i8', ");
  CHECK(shape_of(Tensor::zeros({}, DType::boolean)) == "()'descr': '|b1', ");
}
