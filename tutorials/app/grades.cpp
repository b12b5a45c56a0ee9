// heed grades: one table of what many students solved, from the files of `./heed exercise --all --grade --json`.
//
//   ./heed grades class/*.json --csv grades.csv
//
//             02.1   02.2   04.1   solved   hints
//   anna      yes    3/5    -      1 of 3   2        a file is a row, an exercise a column:
//   boris     yes    yes    4/6    2 of 3   0        yes: solved; 3/5: checks that pass, no: it does not run; -: not
//   begun solved    2      1      0
//
// Below it: mistakes that were recognised in more than one file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "nn/io/console.h"
#include "nn/io/file.h"
#include "nn/io/json.h"
#include "tensor/error.h"
#include "tutorials/app/commands.h"
#include "tutorials/common/options.h"
#include "tutorials/common/output.h"
#include "tutorials/report/width.h"

namespace heed::app {

namespace {

using io::Json;

struct Student {
  std::string name;                    // of the file, without its ending
  std::map<std::string, Json> solved;  // by the exercise's id
  std::int64_t hints = 0, done = 0;
};

struct Class {
  std::vector<Student> students;
  std::set<std::string> exercises;
  std::map<std::string, int> mistakes;  // "22.1: sentence": in how many files
};

bool is_id(const std::string& id) {  // "04.1"
  return id.size() >= 4 && id.find_first_not_of("0123456789.") == std::string::npos && id[2] == '.';
}

std::string mark_of(const Student& student, const std::string& id) {
  const auto found = student.solved.find(id);
  if (found == student.solved.end()) return "-";
  if (found->second.text("status") == "solved") return "yes";
  const std::int64_t passed = found->second.integer("passed"), checks = found->second.integer("checks");
  return checks == 0 ? "no" : fmt::format("{}/{}", passed, checks);
}

Class read_class(const std::vector<std::string>& files) {
  Class all;
  std::set<std::string> names;
  for (const std::string& file : files) {
    const Json grades = io::parse(io::read_file(file), file);
    if (!grades.is_array())
      throw InputError(fmt::format("grades: {} must be what ./heed exercise --all --grade --json prints; got {}", file,
                                   grades.kind()));
    Student one{.name = std::filesystem::path(file).stem().string(), .solved = {}};
    if (!names.insert(one.name).second)
      throw InputError(
          fmt::format("grades: each file must have a name of its own, which is the student's; got \"{}\" "
                      "twice",
                      one.name));
    for (const Json& grade : grades.elements()) {
      const std::string id = grade.text("id");
      if (!is_id(id) || one.solved.count(id) != 0)
        throw InputError(fmt::format("grades: each id in {} must be one exercise, such as 04.1; got \"{}\"{}", file, id,
                                     is_id(id) ? " twice" : ""));
      one.solved.emplace(id, grade);
      mark_of(one, id);  // refuses a grade without its keys
      one.hints += grade.integer("hints", 0);
      one.done += grade.text("status") == "solved" ? 1 : 0;
      all.exercises.insert(id);
      if (const Json* mistake = grade.find("mistake"); mistake && mistake->is_string())
        ++all.mistakes[id + ": " + mistake->as_string()];
    }
    all.students.push_back(std::move(one));
  }
  return all;
}

// The whole table as rows of words, the heading first and the number of those who solved an exercise last.
std::vector<std::vector<std::string>> rows_of(const Class& all) {
  std::vector<std::vector<std::string>> rows{{"student"}};
  for (const std::string& id : all.exercises) rows[0].push_back(id);
  rows[0].insert(rows[0].end(), {"solved", "hints"});
  std::vector<std::string> last{"solved"};
  for (const Student& student : all.students) {
    std::vector<std::string> row{student.name};
    for (const std::string& id : all.exercises) row.push_back(mark_of(student, id));
    row.push_back(fmt::format("{} of {}", student.done, all.exercises.size()));
    row.push_back(fmt::format("{}", student.hints));
    rows.push_back(std::move(row));
  }
  for (const std::string& id : all.exercises) {
    const auto count = std::count_if(all.students.begin(), all.students.end(),
                                     [&](const Student& student) { return mark_of(student, id) == "yes"; });
    last.push_back(fmt::format("{}", count));
  }
  last.insert(last.end(), {"", ""});
  rows.push_back(std::move(last));
  return rows;
}

// A cell of CSV (RFC 4180). A spreadsheet takes a word that begins with = + - or @ for a formula: not so with a '
// before.
std::string csv_cell(const std::string& words) {
  std::string cell =
      words.size() > 1 && std::string("=+-@\t\r").find(words[0]) != std::string::npos ? "'" + words : words;
  if (cell.find_first_of("\",\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_of(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) text += (k == 0 ? "" : ",") + csv_cell(row[k]);
    text += "\n";
  }
  return text;
}

Json json_of(const Class& all) {
  Json list = Json::array();
  for (const Student& student : all.students) {
    Json marks = Json::object();
    for (const std::string& id : all.exercises) {
      const auto found = student.solved.find(id);
      marks.set(id, found == student.solved.end() ? Json() : found->second);
    }
    list.push(Json::object({{"student", student.name},
                            {"solved", student.done},
                            {"hints", student.hints},
                            {"exercises", std::move(marks)}}));
  }
  return list;
}

// The columns in blocks that are at most `width` wide, each with the students' names.
void print_table(const std::vector<std::vector<std::string>>& rows, int width) {
  std::vector<int> wide(rows[0].size(), 0);
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k)
      wide[k] = std::max(wide[k], report::display_width(report::clean(row[k], true)));
  }
  wide[0] = std::min(wide[0], std::max(10, width / 3));
  for (std::size_t first = 1; first < wide.size();) {
    std::size_t last = first;
    for (int used = wide[0]; last < wide.size() && (last == first || used + 2 + wide[last] <= width); ++last)
      used += 2 + wide[last];
    if (first > 1) fmt::print("\n");
    for (const std::vector<std::string>& row : rows) {
      std::string line = report::fit(report::clean(row[0], true), wide[0], report::Align::left, true);
      for (std::size_t k = first; k < last; ++k) line += "  " + report::fit(row[k], wide[k], report::Align::left, true);
      fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
    }
    first = last;
  }
}

}  // namespace

int grades_main(int argc, char** argv) {
  std::vector<std::string> files;
  std::string csv, json;
  Options options(
      "heed grades",
      "One table of what many students solved: a row for each file that ./heed exercise --all --grade --json "
      "printed, a column for each exercise. yes: solved; 3/5: checks that pass; no: it does not run; "
      "-: not begun.");
  options.positional("FILE", &files, "what was printed for one student; the name of the file is the student's")
      .whole()
      .required();
  options.add("--csv", &csv, "write the table for a spreadsheet").placeholder("F.csv");
  options.add("--json", &json, "write the grades of all students, with what was measured").placeholder("F");
  options.parse(argc, argv);

  const Class all = read_class(files);
  const std::vector<std::vector<std::string>> rows = rows_of(all);
  if (!csv.empty()) io::atomic_write(csv, csv_of(rows));
  if (!json.empty()) io::atomic_write(json, json_of(all).dump(2) + "\n");
  const io::Console console = io::console(1);
  print_table(rows, console.terminal || std::getenv("COLUMNS") ? console.width : 1'000'000);
  std::vector<std::pair<int, std::string>> common;
  for (const auto& [words, count] : all.mistakes) {
    if (count > 1) common.emplace_back(-count, words);
  }
  std::sort(common.begin(), common.end());
  if (!common.empty()) tell("\nmistakes of more than one student\n");
  for (const auto& [count, words] : common) tell("  {} times {}\n", -count, report::clean(words, true));
  return 0;
}

}  // namespace heed::app
