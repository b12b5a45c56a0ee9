// safetensors: what is written comes back to the bit, and files of other writers are read.
#include "nn/io/safetensors.h"

#include <cmath>
#include <cstring>

#include "nn/io/checksum.h"
#include "nn/io/file.h"
#include "nn/io/half.h"
#include "tensor/elementwise.h"
#include "tests/nn/io/support.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::io_test;
using io::load_safetensors;
using io::SafeTensors;
using io::save_safetensors;

namespace {

SafeTensors small() {
  return {{{"weight", Tensor::from(std::vector<float>{1, -2, 3.5f}, {3})}, {"steps", Tensor::arange(2)}},
          {{"format", "heed"}}};
}

}  // namespace

TEST_CASE("every dtype, shape and layout comes back bit for bit, in order, with the metadata") {
  Folder folder;
  std::string path = folder / "all.safetensors";
  Generator rng(1);
  Tensor base = Tensor::normal({4, 6, 5}, rng);
  SafeTensors file;
  file.metadata = {{"format", "heed"}, {"words \"quoted\"\n", "\xC3\xA9t\xC3\xA9 \\ {}"}, {"", ""}};
  auto put = [&](const char* name, const Tensor& t) { file.tensors.emplace_back(name, t); };
  put("mask", Tensor::from_bools({1, 0, 1}, {3}));
  put("f32", base);
  put("transposed", base.transpose(0, 2));
  put("sliced", base.slice(1, 1, 6, 2));
  put("expanded", base.select(0, 1).unsqueeze(0).expand({3, 6, 5}));
  put("f64", Tensor::normal({3, 2}, rng, 0, 1, DType::f64).transpose(0, 1));
  put("i64", Tensor::from(std::vector<int64_t>{INT64_MIN, -1, 0, INT64_MAX}, {2, 2}));
  put("special", Tensor::from(std::vector<float>{NAN, INFINITY, -INFINITY, -0.0f, 1e-45f}, {5}));
  put("scalar", Tensor::scalar(2.5, DType::f64));
  put("empty", Tensor::empty({0}));
  put("empty middle", Tensor::empty({2, 0, 3}, DType::i64));
  put("rank 8", Tensor::ones({1, 1, 2, 1, 1, 1, 3, 1}, DType::boolean));
  put("\xCE\xB2.0", Tensor::scalar(1));
  save_safetensors(path, file);
  SafeTensors back = load_safetensors(path);
  CHECK(back.metadata == file.metadata);
  REQUIRE(back.tensors.size() == file.tensors.size());
  for (size_t i = 0; i < file.tensors.size(); ++i) {
    CAPTURE(file.tensors[i].first);
    CHECK(back.tensors[i].first == file.tensors[i].first);
    CHECK(bit_equal(back.tensors[i].second, file.tensors[i].second));
  }
  CHECK(back.find("scalar")->item() == 2.5);
  CHECK(back.find("nothing") == nullptr);
  save_safetensors(path, {});  // replaced, and empty
  CHECK(load_safetensors(path).tensors.empty());
  CHECK(fs::directory_iterator(folder.path) != fs::directory_iterator());
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);  // no temporary is left
}

TEST_CASE("the bytes are those of the format") {
  Folder folder;
  save_safetensors(folder / "small", small());
  std::string text =  // wide elements first; the header padded to a multiple of 8
      R"({"__metadata__":{"format":"heed"},"weight":{"dtype":"F32","shape":[3],"data_offsets":[16,28]},)"
      R"("steps":{"dtype":"I64","shape":[2],"data_offsets":[0,16]}})";
  text.append((8 - text.size() % 8) % 8, ' ');
  float weight[] = {1, -2, 3.5f};
  int64_t steps[] = {0, 1};
  std::string elements(reinterpret_cast<char*>(steps), 16);
  elements.append(reinterpret_cast<char*>(weight), 12);
  CHECK(io::read_file(folder / "small") == file_of(text, elements));
}

TEST_CASE("files of another writer are read") {
  std::string golden = source_dir() + "/tests/golden/";
  int files = 0;
  for (const auto& found : fs::directory_iterator(golden)) {
    if (found.path().extension() != ".safetensors") continue;
    ++files;
    CHECK_NOTHROW(load_safetensors(found.path().string()));
  }
  CHECK(files > 100);
  SafeTensors relu = load_safetensors(golden + "relu.safetensors");
  CHECK_FALSE(relu.tensors.empty());
  for (const auto& [name, tensor] : relu.tensors) CHECK((tensor.dtype() == DType::f64 || tensor.dtype() == DType::i64));
}

TEST_CASE("tensors in any order, spaces, escapes, scalars and empty tensors of other writers are read") {
  Folder folder;
  float f[] = {1.5f, -2};
  int64_t n = 7;
  std::string elements(reinterpret_cast<char*>(f), 8);
  elements.append(reinterpret_cast<char*>(&n), 8);
  std::string header =
      "{ \"last\" :\n"
      R"({"data_offsets":[ 8 , 16 ],"shape":[],"dtype":"I64"},)"
      "\t"
      R"("\u00e9\ud83d\ude00\n\/":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
      R"("none":{"dtype":"F16","shape":[3,0],"data_offsets":[8,8]},)"
      R"("__metadata__":{"format":"pt","":"\"","\u0000":""}})"
      "          ";
  write_file(folder / "other", file_of(header, elements));
  SafeTensors file = load_safetensors(folder / "other");
  REQUIRE(file.tensors.size() == 3);
  CHECK(file.tensors[0].first == "last");  // in the order of the header
  CHECK(file.tensors[0].second.rank() == 0);
  CHECK(file.tensors[0].second.at({}) == 7);
  CHECK(file.tensors[1].first == "\xC3\xA9\xF0\x9F\x98\x80\n/");
  CHECK(bit_equal(file.tensors[1].second, Tensor::from(std::vector<float>{1.5f, -2}, {2, 1})));
  CHECK(file.tensors[2].second.shape() == Shape{3, 0});
  CHECK(file.metadata == std::map<std::string, std::string>{{"format", "pt"}, {"", "\""}, {std::string(1, '\0'), ""}});
  CHECK(sentence(file_of("{}", "")) == "no error");
  CHECK(sentence(file_of(R"({"__metadata__":{}})", "")) == "no error");
}

TEST_CASE("F16 and BF16: all 65,536 patterns of each become the f32 of the same value") {
  Folder folder;
  std::vector<uint16_t> bits(65536);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  std::string elements(reinterpret_cast<char*>(bits.data()), 2 * bits.size());
  auto load = [&](const char* dtype) {
    write_file(folder / "half", file_of(only(dtype, "[65536]", "[0,131072]"), elements));
    return *load_safetensors(folder / "half").find("x");
  };
  auto bits_of = [](const Tensor& t, size_t i) {
    uint32_t got;
    std::memcpy(&got, t.data<float>() + i, 4);
    return got;
  };
  Tensor wide = load("BF16");
  int wrong = 0;
  for (size_t i = 0; i < bits.size(); ++i) wrong += bits_of(wide, i) != static_cast<uint32_t>(i) << 16;
  CHECK(wrong == 0);

  // By the definition: sign, exponent e, mantissa m are (-1)^s m 2^-24, or (-1)^s (1024 + m) 2^(e - 25).
  wide = load("F16");
  for (uint32_t i = 0; i < 65536; ++i) {
    uint32_t s = i >> 15, e = i >> 10 & 31, m = i & 1023;
    double value = e == 0 ? std::ldexp(m, -24) : std::ldexp(1024 + m, static_cast<int>(e) - 25);
    auto f = static_cast<float>(s ? -value : value);
    uint32_t want;
    std::memcpy(&want, &f, 4);
    if (e == 31) want = s << 31 | 0x7F800000u | m << 13;  // infinity, and NaN with its payload
    wrong += bits_of(wide, i) != want;
  }
  CHECK(wrong == 0);
  CHECK(wide.at({0x3C00}) == 1);
  CHECK(wide.at({0x7BFF}) == 65504);
  CHECK(wide.at({0x0001}) == 0x1p-24);
  CHECK(wide.at({0x3555}) == 0.333251953125);
  CHECK(wide.at({0xFC00}) == -INFINITY);
  CHECK(std::isnan(wide.at({0x7E00})));
}

TEST_CASE("integers of every width become i64 with the same values") {
  std::string raw = "\x01\x80\xFF\x7F\xFE\xFF\xFF\x7F";  // 8 bytes, little-endian
  struct Row {
    const char *dtype, *shape;
    std::vector<int64_t> want;
  };
  std::vector<Row> rows = {
      {"I8", "[8]", {1, -128, -1, 127, -2, -1, -1, 127}},
      {"U8", "[8]", {1, 128, 255, 127, 254, 255, 255, 127}},
      {"I16", "[4]", {-32767, 32767, -2, 32767}},
      {"U16", "[4]", {32769, 32767, 65534, 32767}},
      {"I32", "[2]", {2147450881, 2147483646}},
      {"U32", "[2]", {2147450881, 2147483646}},
      {"U64", "[1]", {9223372030412292097}},
  };
  Folder folder;
  for (const Row& row : rows) {
    CAPTURE(std::string(row.dtype));
    write_file(folder / "x", file_of(only(row.dtype, row.shape, "[0,8]"), raw));
    Tensor x = *load_safetensors(folder / "x").find("x");
    CHECK(bit_equal(x, Tensor::from(row.want, {static_cast<int64_t>(row.want.size())})));
  }
  raw = "\xFE\xFF\xFF\xFF\xFE\xFF\xFF\xFF";
  write_file(folder / "x", file_of(only("I32", "[2]", "[0,8]"), raw));
  CHECK(load_safetensors(folder / "x").find("x")->at({0}) == -2);
  write_file(folder / "x", file_of(only("U32", "[2]", "[0,8]"), raw));
  CHECK(load_safetensors(folder / "x").find("x")->at({0}) == 4294967294);
  // Longer than the block in which they are read.
  std::string many(100001, '\x03');
  many[70000] = '\x81';
  write_file(folder / "x", file_of(only("I8", "[100001]", "[0,100001]"), many));
  Tensor x = *load_safetensors(folder / "x").find("x");
  CHECK(x.at({70000}) == -127);
  CHECK(x.at({69999}) == 3);
  CHECK(x.at({100000}) == 3);
}

TEST_CASE("the same tensors give the same bytes, and the elements begin at a multiple of 8") {
  Folder folder;
  for (const char* key : {"", "a", "ab", "abc", "abcdefg"}) {
    SafeTensors file = small();
    file.metadata["key"] = key;
    save_safetensors(folder / "one", file);
    save_safetensors(folder / "two", file);
    std::string bytes = io::read_file(folder / "one");
    CHECK(bytes == io::read_file(folder / "two"));
    CHECK(static_cast<unsigned char>(bytes[0]) % 8 == 0);
    save_safetensors(folder / "two", load_safetensors(folder / "one"));
    CHECK(bytes == io::read_file(folder / "two"));  // and once more from what was read
  }
}

TEST_CASE("the checksum of a header is found where all its digits are") {
  std::string header = "{\"heed.checksum2\":\"0123456789abcdef";
  CHECK(io::checksum_at(header) == 19);
  header.pop_back();
  CHECK(io::checksum_at(header) == std::string_view::npos);
  CHECK(io::checksum_at("{\"checksum\":\"0123456789abcdef") == std::string_view::npos);
}

TEST_CASE("what cannot be written is refused, and the old file stays") {
  Folder folder;
  std::string path = folder / "kept";
  save_safetensors(path, small());
  std::string before = io::read_file(path);
  Tensor one = Tensor::ones({1});
  CHECK_THROWS_AS(save_safetensors(path, {{{"a", one}, {"a", one}}, {}}), ValueError);
  CHECK_THROWS_AS(save_safetensors(path, {{{"a", Tensor()}}, {}}), ValueError);
  CHECK_THROWS_AS(save_safetensors(path, {{{"__metadata__", one}}, {}}), ValueError);
  CHECK_THROWS_AS(save_safetensors(path, {{{"\xFF", one}}, {}}), ValueError);
  CHECK_THROWS_AS(save_safetensors(path, {{{"a", one}}, {{"key", "\xC0\x80"}}}), ValueError);
  CHECK_THROWS_AS(save_safetensors(folder / "no/such/folder", small()), IoError);
  std::map<std::string, std::string> words;
  for (int i = 0; i <= 100000; ++i) words[std::to_string(i)] = "";
  CHECK_THROWS_AS(save_safetensors(path, {{}, words}), ValueError);
  CHECK(io::read_file(path) == before);
  CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
}
