// safetensors: what is written comes back, files of another writer are read, and no file, however broken, does more
// than raise an IoError of one sentence.
#include "nn/io/safetensors.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "nn/io/file.h"
#include "nn/io/json.h"
#include "tensor/elementwise.h"

using namespace heed;
using io::load_safetensors;
using io::SafeTensors;
using io::save_safetensors;

namespace {

namespace fs = std::filesystem;

// A folder of its own that goes away with the test.
struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("heed-safetensors-{}", getpid());
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

std::string file_of(const std::string& header, const std::string& elements) {
  uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + elements;
}

// The sentence of loading these bytes, with the path cut out.
std::string sentence(const std::string& bytes) {
  Folder folder;
  std::string path = folder / "x.safetensors", before = "load: \"" + path + "\": ";
  io::atomic_write(path, bytes);
  try {
    load_safetensors(path);
  } catch (const IoError& error) {
    std::string text = error.what();
    CHECK(text.rfind(before, 0) == 0);
    return text.substr(std::min(before.size(), text.size()));
  }
  return "no error";
}

std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return fmt::format(R"({{"x":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", dtype, shape, offsets);
}

SafeTensors small() {
  return {{{"weight", Tensor::from(std::vector<float>{1, -2, 3.5f}, {3})}, {"steps", Tensor::arange(2)}},
          {{"format", "heed"}}};
}

}  // namespace

TEST_SUITE("unit") {
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
    std::string golden = HEED_SOURCE_DIR "/tests/golden/";
    int files = 0;
    for (const auto& found : fs::directory_iterator(golden)) {
      if (found.path().extension() != ".safetensors") continue;
      ++files;
      CHECK_NOTHROW(load_safetensors(found.path().string()));
    }
    CHECK(files > 100);
    SafeTensors relu = load_safetensors(golden + "relu.safetensors");
    CHECK_FALSE(relu.tensors.empty());
    for (const auto& [name, tensor] : relu.tensors)
      CHECK((tensor.dtype() == DType::f64 || tensor.dtype() == DType::i64));
  }

  TEST_CASE("F16 and BF16 are widened exactly") {
    Folder folder;
    std::string path = folder / "half";
    std::vector<uint16_t> bits(65536);
    for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
    std::string elements(reinterpret_cast<char*>(bits.data()), 2 * bits.size());
    io::atomic_write(path, file_of(entry("BF16", "[65536]", "[0,131072]"), elements));
    Tensor wide = *load_safetensors(path).find("x");
    bool upper_half = true;
    for (size_t i = 0; i < bits.size(); ++i) {
      uint32_t got;
      std::memcpy(&got, wide.data<float>() + i, 4);
      upper_half = upper_half && got == static_cast<uint32_t>(i) << 16;
    }
    CHECK(upper_half);

    io::atomic_write(path, file_of(entry("F16", "[65536]", "[0,131072]"), elements));
    wide = *load_safetensors(path).find("x");
    auto at = [&](int64_t code) { return wide.at({code}); };
    CHECK(at(0x3C00) == 1);
    CHECK(at(0xC000) == -2);
    CHECK(at(0x7BFF) == 65504);              // the largest
    CHECK(at(0x0400) == 0x1p-14);            // the smallest normal
    CHECK(at(0x03FF) == 0x1p-14 - 0x1p-24);  // the largest denormal
    CHECK(at(0x0001) == 0x1p-24);
    CHECK(at(0x3555) == 0.333251953125);
    CHECK(at(0x7C00) == INFINITY);
    CHECK(at(0xFC00) == -INFINITY);
    CHECK(std::isnan(at(0x7E00)));
    CHECK((at(0x8000) == 0 && std::signbit(at(0x8000))));
    for (int64_t code = 0; code < 0x7C00; ++code) REQUIRE(at(code) < at(code + 1));  // codes are in order of size
  }

  TEST_CASE("a broken file is one sentence") {
    std::string four(4, '\0'), eight(8, '\0');
    struct Row {
      std::string bytes, want;
    };
    auto with = [](const std::string& header, const std::string& elements, const std::string& want) {
      return Row{file_of(header, elements), want};
    };
    std::vector<Row> rows = {
        {"", "a safetensors file begins with 8 bytes of header length; got 0 bytes"},
        {"1234567", "a safetensors file begins with 8 bytes of header length; got 7 bytes"},
        {"\x7F"
         "ELF\x02\x01\x01\x03 and so on",
         "the header must have at most 100000000 bytes; got 216455366371460479; is this a safetensors file?"},
        {std::string("\x01\xE1\xF5\x05\0\0\0\0{}", 10),
         "the header must have at most 100000000 bytes; got 100000001; is this a safetensors file?"},
        {std::string("\x03\0\0\0\0\0\0\0{}", 10),
         "the header must lie inside the file; got 3 bytes of header in 10 bytes"},
        {std::string(8, '\0'), "the header must be a JSON object; got nothing"},
        with("[]", "", "the header must be a JSON object; got \"[\""),
        with(" {}", "", "the header must be a JSON object; got \" \""),
        with(R"({"x":3})", "", R"(tensor "x" must be an object; got an integer)"),
        with(R"({"__metadata__":3})", "", "__metadata__ must be an object of texts; got an integer"),
        with(R"({"__metadata__":{"a":1}})", "", R"(__metadata__ "a" must be a text; got an integer)"),
        with(R"({"x":{"shape":[1],"data_offsets":[0,4]}})", four, R"(tensor "x" must have a dtype; got none)"),
        with(R"({"x":{"dtype":"F32","data_offsets":[0,4]}})", four, R"(tensor "x" must have a shape; got none)"),
        with(R"({"x":{"dtype":"F32","shape":[1]}})", four, R"(tensor "x" must have a data_offsets; got none)"),
        with(R"({"x":{"dtype":5,"shape":[1],"data_offsets":[0,4]}})", four,
             R"(tensor "x": dtype must be a text; got an integer)"),
        with(entry("I32", "[1]", "[0,4]"), four,
             R"(tensor "x": dtype must be F32, F64, I64, BOOL, F16 or BF16; got "I32")"),
        with(entry("F32", "1", "[0,4]"), four, R"(tensor "x": shape must be a list of sizes; got an integer)"),
        with(entry("F32", "[-1]", "[0,4]"), four, R"(tensor "x": shape must be a list of sizes; got -1)"),
        with(entry("F32", "[1.0]", "[0,4]"), four, R"(tensor "x": shape must be a list of sizes; got 1.0)"),
        with(entry("F32", "[true]", "[0,4]"), four, R"(tensor "x": shape must be a list of sizes; got true or false)"),
        with(entry("F32", "[18446744073709551615]", "[0,4]"), four,
             R"(tensor "x": shape must be a list of sizes; got 1.8446744073709552e+19)"),
        with(entry("F32", "[4611686018427387904,4]", "[0,4]"), four,
             R"(tensor "x" must have at most 2^46 bytes; got [4611686018427387904, 4])"),
        with(entry("F32", "[0,4611686018427387904,4]", "[0,0]"), "",
             R"(tensor "x" must have at most 2^46 bytes; got [0, 4611686018427387904, 4])"),
        with(entry("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), four, R"(tensor "x" must have at most 8 axes; got 9)"),
        with(entry("F32", "[1]", "[0]"), four, R"(tensor "x": data_offsets must be two numbers; got 1)"),
        with(entry("F32", "[1]", "[0,4,8]"), four, R"(tensor "x": data_offsets must be two numbers; got 3)"),
        with(entry("F32", "[1]", "[-4,0]"), four, R"(tensor "x": data_offsets must be a list of sizes; got -4)"),
        with(entry("F32", "[1]", "[4,0]"), four,
             R"(tensor "x": data_offsets must lie in order within [0, 4]; got [4, 0])"),
        with(entry("F32", "[1]", "[1,5]"), four,
             R"(tensor "x": data_offsets must lie in order within [0, 4]; got [1, 5])"),
        with(entry("F32", "[2]", "[0,4]"), four,
             R"(tensor "x": shape and data_offsets must agree; got F32 [2] (8 bytes) and [0, 4] (4 bytes))"),
        with(entry("F32", "[]", "[0,8]"), eight,
             R"(tensor "x": shape and data_offsets must agree; got F32 [] (4 bytes) and [0, 8] (8 bytes))"),
        with(entry("F32", "[1]", "[4,8]"), eight,
             R"(tensors must fill the file without holes or overlap; got "x" at [4, 8] after byte 0)"),
        with(entry("F32", "[1]", "[0,4]"), eight, "tensors must fill the file to its end; got 4 bytes of 8 in use"),
        with("{}", four, "tensors must fill the file to its end; got 0 bytes of 4 in use"),
        with(
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
            four, R"(tensors must fill the file without holes or overlap; got "b" at [0, 4] after byte 4)"),
        with(
            R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
            eight, R"(a key must appear once in an object; got "x" twice)"),
        with(R"({"x":{"dtype":"F32","dtype":"F64","shape":[1],"data_offsets":[0,4]}})", four,
             R"(a key must appear once in an object; got "dtype" twice)"),
        with(entry("BOOL", "[2]", "[0,2]"), std::string("\1\2"),
             R"(tensor "x": a BOOL must be 0 or 1; got 2 at element 1)"),
    };
    for (const Row& row : rows) CHECK(sentence(row.bytes) == row.want);
    CHECK(sentence(file_of("{\"x\":", "")).rfind("must be valid JSON; line 1, column ", 0) == 0);
    CHECK(sentence(file_of("{\"\xFF\":1}", "")).rfind("must be valid JSON; line 1, column ", 0) == 0);
    CHECK(sentence(file_of("{\"x\":" + std::string(100000, '['), "")) ==
          "brackets must not nest deeper than 200; got one more");

    Folder folder;
    CHECK_THROWS_WITH_AS(load_safetensors(folder.path.string()),
                         fmt::format("load: \"{}\": must be a file; got a folder", folder.path.string()).c_str(),
                         IoError);
    CHECK_THROWS_WITH_AS(
        load_safetensors(folder / "none"),
        fmt::format("load: \"{}\": must be a file that exists; got No such file or directory", folder / "none").c_str(),
        IoError);
    CHECK_THROWS_AS(load_safetensors(""), IoError);
    CHECK_THROWS_AS(load_safetensors("/dev/zero"), IoError);
  }

  TEST_CASE("what cannot be written is refused, and the old file stays") {
    Folder folder;
    std::string path = folder / "kept";
    save_safetensors(path, small());
    std::string before = io::read_file(path);
    Tensor one = Tensor::ones({1});
    CHECK_THROWS_WITH_AS(save_safetensors(path, {{{"a", one}, {"a", one}}, {}}),
                         "save: a name must be given once; got a twice", ValueError);
    CHECK_THROWS_WITH_AS(save_safetensors(path, {{{"a", Tensor()}}, {}}),
                         "save: tensors must be defined; got a undefined", ValueError);
    CHECK_THROWS_WITH_AS(save_safetensors(path, {{{"__metadata__", one}}, {}}),
                         "save: the name __metadata__ is reserved; got a tensor of it", ValueError);
    CHECK_THROWS_AS(save_safetensors(path, {{{"\xFF", one}}, {}}), ValueError);
    CHECK_THROWS_AS(save_safetensors(path, {{{"a", one}}, {{"key", "\xC0\x80"}}}), ValueError);
    CHECK_THROWS_AS(save_safetensors(folder / "no/such/folder", small()), IoError);
    CHECK(io::read_file(path) == before);
  }

  TEST_CASE("a file cut anywhere is an IoError") {
    Folder folder;
    save_safetensors(folder / "whole", small());
    std::string whole = io::read_file(folder / "whole");
    for (size_t n = 0; n < whole.size(); ++n) {
      io::atomic_write(folder / "cut", whole.substr(0, n));
      CHECK_THROWS_AS(load_safetensors(folder / "cut"), IoError);
    }
    io::atomic_write(folder / "cut", whole + '\0');
    CHECK_THROWS_AS(load_safetensors(folder / "cut"), IoError);
  }

  TEST_CASE("flipped bits load or are an IoError") {
    Folder folder;
    save_safetensors(folder / "whole", small());
    const std::string whole = io::read_file(folder / "whole");
    Generator rng(7);
    int loaded = 0, refused = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      std::string bytes = whole;
      for (int64_t flips = 1 + trial % 3; flips > 0; --flips) {
        auto bit = static_cast<size_t>(rng.below(static_cast<int64_t>(8 * bytes.size())));
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
      }
      io::atomic_write(folder / "flipped", bytes);
      try {
        load_safetensors(folder / "flipped");
        ++loaded;
      } catch (const IoError&) { ++refused; }
    }
    CHECK(loaded > 50);
    CHECK(refused > 300);
  }
}
