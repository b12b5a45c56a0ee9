// JSON values: what is written comes back, and every mistake is one sentence that names file, place and key.
#include "nn/io/json.h"

#include <cmath>
#include <limits>

#include "tests/refuses.h"

using heed::bad_input::refuses;
using heed::io::Json;
using heed::io::parse;

namespace {

std::string sentence(const std::string& text) {
  try {
    parse(text, "config.json");
  } catch (const heed::IoError& error) { return error.what(); }
  return "no error";
}

}  // namespace

TEST_CASE("values are written in the order of insertion") {
  Json json = Json::object({{"z", 1}, {"a", Json::array({1.0, "two", nullptr, true})}, {"empty", Json::object()}});
  json.set("numbers", std::vector<double>{0.5, 2.0}).set("z", 3);
  CHECK(json.dump() == R"({"z":3,"a":[1.0,"two",null,true],"empty":{},"numbers":[0.5,2.0]})");
  CHECK(Json::object({{"a", Json::array({1, 2})}, {"b", Json::array()}}).dump(2) ==
        "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}");
}

TEST_CASE("doubles come back bit for bit, and what JSON cannot say is null") {
  for (double value : {0.1, 1.0 / 3.0, 1e-308, 5e-324, 1.7976931348623157e308, -0.0, 1.0, 123456789.125}) {
    Json back = parse(Json(value).dump(), "number");
    CHECK_FALSE(back.is_integer());
    CHECK(back.as_number() == value);
    CHECK(std::signbit(back.as_number()) == std::signbit(value));
  }
  CHECK(Json(std::nan("")).dump() == "null");
  CHECK(Json(-std::numeric_limits<double>::infinity()).dump() == "null");
  CHECK(parse("9223372036854775807", "n").as_integer() == std::numeric_limits<std::int64_t>::max());
  CHECK(parse("-9223372036854775808", "n").as_integer() == std::numeric_limits<std::int64_t>::min());
  CHECK(parse("18446744073709551615", "n").as_number() == doctest::Approx(1.8446744073709552e19));
}

TEST_CASE("text survives quotes, control characters, and bytes that are not UTF-8") {
  Json json("a \"quote\"\n\\ \x01 é 😀");
  CHECK(parse(json.dump(), "t").as_string() == json.as_string());
  CHECK(Json("bad \xff byte").dump() == "\"bad \xef\xbf\xbd byte\"");
}

TEST_CASE("parse says where") {
  CHECK(parse("{\"a\": [1, 2.5, {\"b\": null}]} ", "x").dump() == R"({"a":[1,2.5,{"b":null}]})");
  CHECK(sentence("{\n  \"a\": tru\n}").find("config.json: must be valid JSON; line 2, column") == 0);
  CHECK(sentence("").find("config.json: must be valid JSON; line 1, column 1") == 0);
  CHECK(sentence("[1, 2").find("config.json: must be valid JSON; line 1, column 6") == 0);
  CHECK(sentence("1e999").find("number") != std::string::npos);
  CHECK(sentence("{\"a\": 1, \"a\": 2}") == "config.json: a key must appear once in an object; got \"a\" twice");
  CHECK(sentence("[1] x") != "no error");
  CHECK(sentence("\"\xff\"") != "no error");
}

TEST_CASE("hostile nesting is a sentence") {
  CHECK(sentence(std::string(1000000, '[')) == "config.json: brackets must not nest deeper than 200; got one more");
  CHECK(sentence(std::string(199, '[') + std::string(199, ']')) == "no error");
}

TEST_CASE("accessors name file and key") {
  Json json = parse(R"({"hidden": "many", "rate": 1, "steps": 4.0, "half": 0.5, "on": true})", "config.json");
  refuses<heed::IoError>("config.json: hidden integer got string", [&] { json.integer("hidden"); });
  refuses<heed::IoError>("config.json: name missing", [&] { json.text("name"); });
  refuses<heed::IoError>("config.json: half integer got number", [&] { json.integer("half"); });
  refuses<heed::IoError>("config.json: hidden integer got string", [&] { json.integer("hidden", 3); });
  CHECK(json.number("rate") == 1.0);
  CHECK(json.integer("steps") == 4);
  CHECK(json.boolean("on"));
  CHECK(json.integer("layers", 2) == 2);
  CHECK(json.text("hidden", "x") == "many");
  CHECK(json.find("nothing") == nullptr);
}
