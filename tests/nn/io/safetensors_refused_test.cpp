// Files that must be refused: each row is a file and the whole sentence that it earns. No element is read, and no
// memory taken for one, before the header has passed all of this.
#include "tensor/allocator.h"
#include "tests/nn/io/support.h"

using namespace heed;
using namespace heed::io_test;

namespace {

struct Row {
  std::string bytes, want;
};
Row with(const std::string& header, const std::string& elements, const std::string& want) {
  return {file_of(header, elements), want};
}
const std::string four(4, '\0'), eight(8, '\0');

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) CHECK(sentence(row.bytes) == row.want);
}

#ifndef HEED_SANITIZED
// Peak resident memory in bytes since the last reset, or 0 where the system does not say.
int64_t peak_memory(bool reset) {
  if (reset) std::ofstream("/proc/self/clear_refs") << "5";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stoll(line.substr(6)) * 1024;
  return 0;
}
#endif

}  // namespace

TEST_CASE("refused: a length that cannot be") {
  check({
      {"", "a safetensors file begins with 8 bytes of header length; got 0 bytes"},
      {"1234567", "a safetensors file begins with 8 bytes of header length; got 7 bytes"},
      {"\x7F"
       "ELF\x02\x01\x01\x03 and so on",
       "the header must have at most 100000000 bytes; got 216455366371460479; is this a safetensors file?"},
      {bytes_of(100000001) + "{}",
       "the header must have at most 100000000 bytes; got 100000001; is this a safetensors file?"},
      {bytes_of(UINT64_MAX) + "{}",
       "the header must have at most 100000000 bytes; got 18446744073709551615; is this a safetensors file?"},
      {bytes_of(100000000) + "{}", "the header must lie inside the file; got 100000000 bytes of header in 10 bytes"},
      {bytes_of(3) + "{}", "the header must lie inside the file; got 3 bytes of header in 10 bytes"},
      {bytes_of(0), "the header must be a JSON object; got nothing"},
  });
}

TEST_CASE("refused: a header that is not the JSON of the format") {
  std::string json = "the header must be valid JSON; got ";
  check({
      with("[]", "", "the header must be a JSON object; got \"[\""),
      with(" {}", "", "the header must be a JSON object; got \" \""),
      with("\xEF\xBB\xBF{}", "", "the header must be a JSON object; got \"\uFFFD\""),
      with("{", "", json + "the end at byte 1; wanted '\"'"),
      with("{} x", "", json + "\"x\" at byte 3; wanted nothing but spaces"),
      with(std::string("{}\0", 3), "", json + "\"\\u0000\" at byte 2; wanted nothing but spaces"),
      with("{x:1}", "", json + "\"x\" at byte 1; wanted '\"'"),
      with("{\"x\" 1}", "", json + "\"1\" at byte 5; wanted ':'"),
      with("{\"x\":", "", json + "the end at byte 5; wanted a value"),
      with("{\"x\":?}", "", json + "\"?\" at byte 5; wanted a value"),
      with("{\"x", "", json + "the end at byte 3; wanted a character of a text, or its end"),
      with("{\"x\n\":1}", "", json + "\"\\n\" at byte 3; wanted a character of a text, or its end"),
      with("{\"\\x\":1}", "", json + "\"x\" at byte 3; wanted an escape that JSON knows"),
      with("{\"\\u12g4\":1}", "", json + "\"g\" at byte 6; wanted four hexadecimal digits"),
      with("{\"\\udc00\":1}", "", json + "\"\\\"\" at byte 8; wanted both halves of a surrogate pair before this"),
      with("{\"\\ud800\\u0041\":1}", "",
           json + "\"\\\"\" at byte 14; wanted the second half of a surrogate pair before this"),
      with(only("F32", "[1}", "[0,4]"), four, json + "\"}\" at byte 30; wanted ',' or ']'"),
      with(only("F32", "[1,]", "[0,4]"), four, R"(the header must be valid JSON; got "]" at byte 31; wanted a value)"),
      with("{" + entry("x", "F32", "[1]", "[0,4]") + ",}", four, json + "\"}\" at byte 54; wanted '\"'"),
      with("{\"\xFF\":1}", "", "the header must be UTF-8; got \"\uFFFD\" at byte 2"),
      with("{\"\xC0\x80\":1}", "", "the header must be UTF-8; got \"\uFFFD\uFFFD\" at byte 2"),
      with("{\"\xED\xA0\x80\":1}", "", "the header must be UTF-8; got \"\uFFFD\uFFFD\uFFFD\" at byte 2"),
      with("{\"\xF5\x80\x80\x80\":1}", "", "the header must be UTF-8; got \"\uFFFD\uFFFD\uFFFD\uFFFD\" at byte 2"),
      with("{\"\xE2\x82\":1}", "", "the header must be UTF-8; got \"\uFFFD\" at byte 2"),
  });
}

TEST_CASE("refused: names and metadata") {
  std::string x = entry("x", "F32", "[1]", "[0,4]"), again = entry("x", "F32", "[1]", "[4,8]");
  check({
      with("{" + x + "," + again + "}", eight, R"(a name must appear once; got "x" twice)"),
      with("{" + x + "," + entry("\\u0078", "F32", "[1]", "[4,8]") + "}", eight,
           R"(a name must appear once; got "x" twice)"),
      with(R"({"__metadata__":{},"__metadata__":{}})", "", "a name must appear once; got __metadata__ twice"),
      with(R"({"__metadata__":3})", "", "__metadata__ must be an object of texts; got a number"),
      with(R"({"__metadata__":null})", "", "__metadata__ must be an object of texts; got null"),
      with(R"({"__metadata__":{"a":1}})", "", R"(__metadata__ "a" must be a text; got a number)"),
      with(R"({"__metadata__":{"a":{"b":"c"}}})", "", R"(__metadata__ "a" must be a text; got an object)"),
      with(R"({"__metadata__":{"a":"","a":""}})", "", R"(a key of __metadata__ must appear once; got "a" twice)"),
      with(R"({"__metadata__":{"a":"\ud800"}})", "",
           "the header must be valid JSON; got \"\\\"\" at byte 28; wanted both halves of a surrogate pair before "
           "this"),
  });
}

TEST_CASE("refused: an entry with the wrong keys or types") {
  check({
      with(R"({"x":3})", "", R"(tensor "x" must be an object; got a number)"),
      with(R"({"x":[]})", "", R"(tensor "x" must be an object; got an array)"),
      with(R"({"x":{}})", "", R"(tensor "x" must have a dtype; got none)"),
      with(R"({"x":{"shape":[1],"data_offsets":[0,4]}})", four, R"(tensor "x" must have a dtype; got none)"),
      with(R"({"x":{"dtype":"F32","data_offsets":[0,4]}})", four, R"(tensor "x" must have a shape; got none)"),
      with(R"({"x":{"dtype":"F32","shape":[1]}})", four, R"(tensor "x" must have data_offsets; got none)"),
      with(R"({"x":{"dtype":"F32","dtype":"F64"}})", four, R"(tensor "x" must have one dtype; got two)"),
      with(R"({"x":{"shape":[],"shape":[]}})", four, R"(tensor "x" must have one shape; got two)"),
      with(R"({"x":{"data_offsets":[0,4],"data_offsets":[0,4]}})", four,
           R"(tensor "x" must have one data_offsets; got two)"),
      with(R"({"x":{"dtype":"F32","scale":2}})", four,
           R"(tensor "x" must have no key but dtype, shape and data_offsets; got "scale")"),
      with(R"({"x":{"dtype":5}})", four, R"(tensor "x": dtype must be a text; got a number)"),
      with(only("F8_E4M3", "[4]", "[0,4]"), four,
           R"(tensor "x": dtype must be one of F32, F64, I64, BOOL, F16, BF16, I8, U8, I16, U16, I32, U32, U64; )"
           R"(got "F8_E4M3")"),
      with(only("f32", "[1]", "[0,4]"), four,
           R"(tensor "x": dtype must be one of F32, F64, I64, BOOL, F16, BF16, I8, U8, I16, U16, I32, U32, U64; )"
           R"(got "f32")"),
  });
}

TEST_CASE("refused: shapes and offsets that are no sizes") {
  std::string shape = R"(tensor "x": shape must be a list of whole numbers; got )";
  std::string offsets = R"(tensor "x": data_offsets must be a list of whole numbers; got )";
  check({
      with(only("F32", "1", "[0,4]"), four, shape + "a number"),
      with(only("F32", "null", "[0,4]"), four, shape + "null"),
      with(only("F32", "[[1]]", "[0,4]"), four, shape + "an array"),
      with(only("F32", "[true]", "[0,4]"), four, shape + "true"),
      with(only("F32", "[\"1\"]", "[0,4]"), four, shape + "a string"),
      with(only("F32", "[-1]", "[0,4]"), four, shape + "-1"),
      with(only("F32", "[-0]", "[0,4]"), four, shape + "-0"),
      with(only("F32", "[1.0]", "[0,4]"), four, shape + "1.0"),
      with(only("F32", "[1e99]", "[0,4]"), four, shape + "1e99"),
      with(only("F32", "[01]", "[0,4]"), four, shape + "01"),
      with(only("F32", "[9223372036854775808]", "[0,4]"), four, shape + "9223372036854775808"),
      with(only("F32", "[18446744073709551617]", "[0,4]"), four, shape + "18446744073709551617"),
      with(only("F32", "[" + std::string(200, '9') + "]", "[0,4]"), four, shape + std::string(60, '9') + "..."),
      with(only("F32", "[4611686018427387904,4]", "[0,4]"), four,
           R"(tensor "x" must have at most 2^46 bytes; got [4611686018427387904, 4])"),
      with(only("F32", "[0,4611686018427387904,4]", "[0,0]"), "",
           R"(tensor "x" must have at most 2^46 bytes; got [0, 4611686018427387904, 4])"),
      with(only("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), four, R"(tensor "x" must have at most 8 axes; got more)"),
      with(only("F32", "[1]", "{}"), four, offsets + "an object"),
      with(only("F32", "[1]", "[-4,0]"), four, offsets + "-4"),
      with(only("F32", "[1]", "[0,4e0]"), four, offsets + "4e0"),
      with(only("F32", "[1]", "[]"), four, R"(tensor "x": data_offsets must be two numbers; got 0)"),
      with(only("F32", "[1]", "[0]"), four, R"(tensor "x": data_offsets must be two numbers; got 1)"),
      with(only("F32", "[1]", "[0,4,8]"), four, R"(tensor "x": data_offsets must be two numbers; got more)"),
  });
}

TEST_CASE("refused: tensors that do not fill the file exactly") {
  std::string a = entry("a", "F32", "[1]", "[0,4]"), b = entry("b", "F32", "[1]", "[4,8]");
  check({
      with(only("F32", "[1]", "[4,0]"), four,
           R"(tensor "x": data_offsets must lie in order within [0, 4]; got [4, 0])"),
      with(only("F32", "[1]", "[1,5]"), four,
           R"(tensor "x": data_offsets must lie in order within [0, 4]; got [1, 5])"),
      with(only("F32", "[1]", "[9223372036854775803,9223372036854775807]"), four,
           R"(tensor "x": data_offsets must lie in order within [0, 4]; got )"
           "[9223372036854775803, 9223372036854775807]"),
      with(only("F32", "[2]", "[0,4]"), four,
           R"(tensor "x": shape and data_offsets must agree; got F32 [2] (8 bytes) and [0, 4] (4 bytes))"),
      with(only("F32", "[]", "[0,8]"), eight,
           R"(tensor "x": shape and data_offsets must agree; got F32 [] (4 bytes) and [0, 8] (8 bytes))"),
      with("{" + a + "," + entry("b", "F32", "[1]", "[0,4]") + "}", four,
           R"(tensors must not overlap; got "a" at [0, 4] and "b" at [0, 4])"),
      with("{" + entry("b", "F32", "[1]", "[2,6]") + "," + a + "}", eight,
           R"(tensors must not overlap; got "a" at [0, 4] and "b" at [2, 6])"),
      with("{" + a + "," + entry("b", "F32", "[0]", "[2,2]") + "}", four,
           R"(tensors must not overlap; got "a" at [0, 4] and "b" at [2, 2])"),
      with(only("F32", "[1]", "[4,8]"), eight, R"(tensors must leave no holes; got "x" at [4, 8] after byte 0)"),
      with("{" + a + "," + entry("b", "F32", "[1]", "[5,9]") + "}", eight + " ",
           R"(tensors must leave no holes; got "b" at [5, 9] after byte 4)"),
      with("{" + a + "}", eight, "tensors must fill the file to its end; got 4 bytes of 8 in use"),
      with("{}", four, "tensors must fill the file to its end; got 0 bytes of 4 in use"),
      with("{" + a + "," + b + "}", eight + "x", "tensors must fill the file to its end; got 8 bytes of 9 in use"),
  });
}

TEST_CASE("refused: elements that are not values of their type") {
  check({
      with(only("BOOL", "[2]", "[0,2]"), std::string("\1\2"),
           R"(tensor "x": a BOOL must be 0 or 1; got 2 at element 1)"),
      with(only("U64", "[1]", "[0,8]"), bytes_of(uint64_t{1} << 63),
           R"(tensor "x": a U64 must be below 2^63; got 9223372036854775808 at element 0)"),
  });
}

TEST_CASE("a long name is cut in the sentence, and not inside a character") {
  std::string name(59, 'n');
  CHECK(sentence(file_of("{\"" + name + "\xC3\xA9" + std::string(1000, 'n') + "\":1}", "")) ==
        "tensor \"" + name + "...\" must be an object; got a number");
}

TEST_CASE("refused: what is no file") {
  Folder folder;
  CHECK_THROWS_WITH_AS(io::load_safetensors(folder.path.string()),
                       fmt::format("load: \"{}\": must be a file; got a folder", folder.path.string()).c_str(),
                       IoError);
  CHECK_THROWS_WITH_AS(
      io::load_safetensors(folder / "none"),
      fmt::format("load: \"{}\": must be a file that exists; got No such file or directory", folder / "none").c_str(),
      IoError);
  CHECK_THROWS_AS(io::load_safetensors(""), IoError);
}

// Each would cost gigabytes as a tree of JSON values.
TEST_CASE("a hostile header of 20 MB is refused, and costs little memory") {
  // By doubling: 20 million steps take seconds.
  auto repeated = [](const std::string& begin, const std::string& unit) {
    const size_t size = (20'000'000 - begin.size() + unit.size() - 1) / unit.size() * unit.size();
    std::string text = unit;
    text.reserve(size);
    while (text.size() < size) text.append(text, 0, std::min(text.size(), size - text.size()));
    return begin + text;
  };
  auto numbered = [](std::string text, const char* format) {
    for (int i = 0; text.size() < 20'000'000; ++i) text += fmt::format(fmt::runtime(format), i);
    text.back() = '}';
    return text;
  };
  std::string json = "the header must be valid JSON; got ";
  struct Hostile {
    std::string header, want;
  };
  const Hostile rows[] = {
      {repeated("{\"x\":", "["), "tensor \"x\" must be an object; got an array"},
      {repeated("{\"x\":{\"shape\":[", "0,"), "tensor \"x\" must have at most 8 axes; got more"},
      {repeated("{\"x\":{\"shape\":[", "9"),
       "tensor \"x\": shape must be a list of whole numbers; got " + std::string(60, '9') + "..."},
      {repeated("{\"", "n") + "\":1}", "tensor \"" + std::string(60, 'n') + "...\" must be an object; got a number"},
      {repeated("{", " "), json + "the end at byte 20000000; wanted '\"'"},
      {repeated("{\"", "\\u0000"), json + "the end at byte 20000000; wanted a character of a text, or its end"},
      {numbered("{", R"("{}":{{"dtype":"I8","shape":[0],"data_offsets":[0,0]}},)"),
       "a file must have at most 100000 tensors; got more"},
      {numbered("{\"__metadata__\":{", R"("{}":"",)"), "__metadata__ must have at most 100000 keys; got more"},
  };
  for (const Hostile& row : rows) {
    CAPTURE(row.want);
    std::string bytes = file_of(row.header, "");
    reset_peak();
    uint64_t tensors_before = allocator_stats().peak_bytes;
#ifndef HEED_SANITIZED
    int64_t before = peak_memory(true);
    CHECK(sentence(bytes) == row.want);
    CHECK(peak_memory(false) - before < 70'000'000);  // the header, one name, the entries so far
#else
    CHECK(sentence(bytes) == row.want);
#endif
    CHECK(allocator_stats().peak_bytes == tensors_before);  // and no element
  }
}
