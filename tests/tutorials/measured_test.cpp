// What the chapters print is what was measured: measured.h says how a number is held to the shipped runs.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "nn/io/file.h"
#include "tests/source_dir.h"
#include "tests/tutorials/measured.h"

namespace fs = std::filesystem;
using heed::io::Json;
using heed::measured::Apart;
using heed::measured::faults_of;

namespace {

// measured_apart.txt: "NN :: words :: reason", one a line; # begins a comment.
std::map<std::string, std::vector<Apart>> read_apart() {
  std::map<std::string, std::vector<Apart>> lessons;
  std::ifstream in(source_dir() + "/tests/tutorials/measured_apart.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::size_t first = line.find(" :: "), last = line.rfind(" :: ");
    REQUIRE_MESSAGE((first != std::string::npos && last > first && last + 4 < line.size()), line);
    lessons[line.substr(0, first)].push_back({line.substr(first + 4, last - first - 4), line.substr(last + 4)});
  }
  return lessons;
}

std::size_t faults(const std::string& section, const Json& runs, std::vector<Apart> apart = {}) {
  return faults_of("## What was measured\n\n" + section + "\n## Exercises\n", runs, apart).size();
}

Json run(double measured, const char* cell) {
  return heed::io::parse(fmt::format(R"({{"claims": [{{"name": "n", "measured": {}, "threshold": 30,
    "control": "guess: 12.5"}}], "checks": [], "tables": [{{"title": "T", "header": ["", "right"],
    "rows": [["one", "{}"], ["two", "77.7 %"]]}}]}})",
                                     measured, cell),
                         "run");
}

}  // namespace

TEST_CASE("every measured number of the chapters is a number of the shipped runs") {
  std::map<std::string, std::vector<Apart>> apart = read_apart();
  int chapters = 0;
  for (const auto& entry : fs::directory_iterator(source_dir() + "/tutorials")) {
    std::string folder = entry.path().string(), name = entry.path().filename().string();
    if (name.size() < 3 || name[2] != '_' || !fs::exists(folder + "/README.md")) continue;
    CAPTURE(name);
    Json runs = heed::io::parse(heed::io::read_file(folder + "/result.json"), name + "/result.json");
    REQUIRE((runs.size() == 3 || runs.size() == 1));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Json& one = runs.elements()[i];
      CHECK(one.text("lesson") == name);
      CHECK(one.integer("seed") == static_cast<std::int64_t>(i + 1));
      CHECK_FALSE(one.boolean("quick"));
      CHECK(one.boolean("pass"));
    }
    std::vector<Apart>& list = apart[name.substr(0, 2)];
    for (const std::string& fault : faults_of(heed::io::read_file(folder + "/README.md"), runs, list))
      FAIL_CHECK(name << "/README.md: " << fault);
    for (const Apart& a : list)
      if (!a.used) FAIL_CHECK("measured_apart.txt: the chapter " << name << " does not say \"" << a.words << "\"");
    apart[name.substr(0, 2)].clear();
    ++chapters;
  }
  CHECK(chapters >= 25);
  for (const auto& rest : apart) CHECK_MESSAGE(rest.second.empty(), "measured_apart.txt: no lesson " << rest.first);
}

TEST_CASE("figures.json is that of the shipped run with seed 1") {
  for (const auto& entry : fs::directory_iterator(source_dir() + "/tutorials")) {
    std::string folder = entry.path().string();
    if (!fs::exists(folder + "/result.json")) continue;
    CAPTURE(folder);
    Json figures = heed::io::parse(heed::io::read_file(folder + "/figures.json"), "figures.json");
    Json runs = heed::io::parse(heed::io::read_file(folder + "/result.json"), "result.json");
    std::size_t tables = 0;
    for (const Json& panel : figures.list("panels")) {
      if (panel.text("kind") != "table") continue;
      while (tables < runs.elements()[0].list("tables").size() &&
             runs.elements()[0].list("tables")[tables].text("title") != panel.text("title"))
        ++tables;
      REQUIRE(tables < runs.elements()[0].list("tables").size());
      CHECK(panel.at("rows") == runs.elements()[0].list("tables")[tables++].at("rows"));
    }
  }
}

TEST_CASE("a wrong number in a claim, a table or a sentence is found") {
  Json runs = Json::array({run(40.24, "12.34"), run(41.5, "15"), run(42, "16")});
  const std::string claims = "| claim | seed 1 | seed 2 | seed 3 | required | control |\n|---|---|---|---|---|---|\n";
  CHECK(faults(claims + "| n | 40.2 | 41.5 % | 42 of 50 | at least 30 | 12.5 % |\n", runs) == 0);
  CHECK(faults(claims + "| n | 40.3 | 41.5 | 42 | at least 30 | 12.5 |\n", runs) == 1);
  CHECK(faults(claims + "| n | 40.2 | 42.4 | 41.5 | at least 30 | 12.5 |\n", runs) == 2);
  CHECK(faults(claims + "| n | 40.2 | 41.5 | 42 | at least 31 | 12.6 |\n", runs) == 2);
  CHECK(faults(claims + "| check: n | 40.2 | 41.5 | 42 | at least 30 | |\n", runs) == 2);
  CHECK(faults(claims, runs) == 0);  // a heading without rows is no table
  const std::string table = "<!-- figures: \"T\" -->\n\n| | right |\n|---|---|\n";
  CHECK(faults(table + "| one | 12.3 / 15 / 16 |\n", runs) == 0);
  CHECK(faults(table + "| one | 12.3 / 16 / 15 |\n", runs) == 2);
  CHECK(faults(table + "| one | 77.7 |\n", runs) == 1);  // of another row
  CHECK(faults(table + "| other | 77.7 |\n", runs) == 0);
  CHECK(faults(table + "| other | 77.8 |\n", runs) == 1);
  CHECK(faults("| | right |\n|---|---|\n| one | 12.3 |\n", runs) == 1);  // which table?
  CHECK(faults("<!-- figures: \"U\" -->\n| | right |\n|---|---|\n| one | 12.3 |\n", runs) == 1);
  CHECK(faults("In 1,000 steps 77.7 % are right, 30 points more than `--set x=0.7` or $0.3$.\n", runs) == 0);
  CHECK(faults("In 1,000 steps 77.8 %\nare right.\n", runs) == 1);
  CHECK(faults("It gets 12, 15 and 16 %.\n", runs) == 0);
  CHECK(faults("It gets 14, 17 and 16 %.\n", runs) == 2);
  CHECK(faults("It gets 99.9 %\nelsewhere.\n", runs, {{"99.9 % elsewhere", "another run"}}) == 0);
  CHECK(faults("It gets 99.8 % elsewhere.\n", runs, {{"99.9 % elsewhere", "another run"}}) == 1);
}

TEST_CASE("numbers as they are printed") {
  auto first = [](const std::string& text) { return heed::measured::numbers_of(text).at(0); };
  CHECK(first("1,024,000 rows").value == 1024000);
  CHECK(first(".354").step == doctest::Approx(1e-3));
  CHECK(first("(-0.50)").value == -0.5);
  CHECK(first("2e-7 x").value == doctest::Approx(2e-7));
  CHECK(first("2.5e-7.").step == doctest::Approx(1e-8));
  CHECK(heed::measured::numbers_of("L2 lr_3 c++20 1, 2 and 3.").size() == 4);
  auto rounds = [&](const char* printed, const char* found) {
    return heed::measured::rounds(first(printed), first(found));
  };
  CHECK(rounds("12.3", "12.34"));
  CHECK_FALSE(rounds("12.3", "12.36"));
  CHECK_FALSE(rounds("12.3", "12"));
  CHECK(rounds("0.03", "-0.03"));
  CHECK_FALSE(rounds("-0.03", "0.03"));
  CHECK(rounds("4e-13", "3.6e-13"));
}
