// Rows as a file.
#include "tutorials/league/results/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "nn/catalogue/catalogue.h"
#include "nn/io/file.h"
#include "tensor/error.h"
#include "tutorials/league/results/checked.h"

namespace heed::league {
namespace {

// Four digits: the measurements are not more precise, and the file stays small.
double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }
std::vector<double> rounded(const std::vector<double>& values) {
  std::vector<double> out;
  for (double v : values) out.push_back(rounded(v));
  return out;
}

// The numbers of a row, by name.
struct Number {
  const char* name;
  double Row::*place;
  double least, most;
};
constexpr Number kNumbers[] = {{"loss", &Row::loss, 0, 1e6},
                               {"inside", &Row::inside, 0, 100},
                               {"inside_exact", &Row::inside_exact, 0, 100},
                               {"beyond", &Row::beyond, 0, 100},
                               {"beyond_exact", &Row::beyond_exact, 0, 100},
                               {"microseconds", &Row::microseconds, 0, 1e12},
                               {"bytes", &Row::bytes, 0, 1e15},
                               {"work", &Row::work, 0, 1e18},
                               {"work_slope", &Row::work_slope, -20, 20},
                               {"time_slope", &Row::time_slope, -20, 20}};
struct Text {
  const char* name;
  std::string Entrant::*place;
  size_t most;  // bytes
};
constexpr Text kTexts[] = {{"id", &Entrant::id, 8},          {"name", &Entrant::name, 60},
                           {"family", &Entrant::family, 60}, {"architecture", &Entrant::architecture, 20},
                           {"option", &Entrant::option, 60}, {"text", &Entrant::text, 200}};

Sizes sizes_from(const io::Json& json) {
  return {whole(json, "steps", 1, 1000000), whole(json, "batch", 1, 1000000), whole(json, "asked", 1, 1000000),
          whole(json, "symbols", 1, 1000000), ranged(json, "budget", 0, 1e9)};
}

io::Json to_json(const Row& r) {
  io::Json row = io::Json::object({{"task", r.task}, {"seed", r.seed}});
  set_entrant(row, r.entrant);
  if (!r.refused.empty()) return row.set("refused", r.refused);
  row.set("parameters", r.parameters).set("steps", r.steps).set("steps_to_90", r.steps_to_90);
  for (const Number& n : kNumbers) row.set(n.name, rounded(r.*n.place));
  if (!r.curve.steps.empty())
    row.set("curve", io::Json::object({{"steps", r.curve.steps}, {"right", rounded(r.curve.right)}}));
  if (!r.weights.empty()) row.set("source", r.source).set("target", r.target).set("weights", rounded(r.weights));
  return row;
}

void require_known(const Row& r) {
  const std::vector<std::string>& tasks = league_tasks();
  if (std::find(tasks.begin(), tasks.end(), r.task) == tasks.end())
    throw InputError(fmt::format("task must be one of {}; got \"{}\"", fmt::join(tasks, ", "), r.task));
  const Entrant& e = r.entrant;
  if (e.architecture != "seq2seq" && e.architecture != "transformer")
    throw InputError(fmt::format("architecture must be seq2seq or transformer; got \"{}\"", e.architecture));
}

void read_curve(Row& r, const io::Json& curve, const Sizes& sizes) {
  r.curve = {numbers(curve, "steps", 0, static_cast<double>(sizes.steps)), numbers(curve, "right", 0, 100)};
  if (r.curve.steps.size() != r.curve.right.size())
    throw InputError(fmt::format("curve must have as many numbers in steps as in right; got {} and {}",
                                 r.curve.steps.size(), r.curve.right.size()));
}

void read_weights(Row& r, const io::Json& row) {
  r.source = texts(row, "source"), r.target = texts(row, "target"), r.weights = numbers(row, "weights", -1e6, 1e6);
  if (r.weights.size() != r.source.size() * r.target.size())
    throw InputError(fmt::format("weights must have a number for each of {} target and {} source symbols; got {}",
                                 r.target.size(), r.source.size(), r.weights.size()));
}

Row row_from(const io::Json& row, const Sizes& sizes) {
  if (!row.is_object()) throw InputError("must be an object; got " + row.kind());
  Row r{.entrant = {}, .task = row.text("task"), .seed = static_cast<uint64_t>(whole(row, "seed", 0, 2000000000))};
  require_printable("task", r.task, 60);
  r.entrant = entrant_from(row);
  require_known(r);
  r.refused = row.text("refused", "");
  require_printable("refused", r.refused, 4000);
  if (!r.refused.empty()) return r;
  r.parameters = whole(row, "parameters", 0, 1000000000000), r.steps = whole(row, "steps", 0, sizes.steps);
  r.steps_to_90 = whole(row, "steps_to_90", -1, sizes.steps);
  for (const Number& n : kNumbers) r.*n.place = ranged(row, n.name, n.least, n.most);
  if (row.contains("curve")) {
    if (!row.at("curve").is_object()) throw InputError("curve must be an object; got " + row.at("curve").kind());
    read_curve(r, row.at("curve"), sizes);
  }
  if (row.contains("weights")) read_weights(r, row);
  return r;
}

}  // namespace

// Errors of JSON begin with the path already.
std::string without(const std::string& path, const std::string& what) {
  return what.starts_with(path + ": ") ? what.substr(path.size() + 2) : what;
}

void set_entrant(io::Json& row, const Entrant& entrant) {
  for (const Text& t : kTexts) row.set(t.name, entrant.*t.place);
  row.set("control", entrant.control);
}
Entrant entrant_from(const io::Json& row) {
  Entrant e;
  for (const Text& t : kTexts) {
    e.*t.place = row.text(t.name);
    require_printable(t.name, e.*t.place, t.most);
  }
  e.control = row.boolean("control");
  const nn::CatalogueEntry* entry = nn::entry_called(e.id);
  if (e.id != "-" && (!entry || entry->id != e.id))  // "-": no attention
    throw InputError(fmt::format("id must be that of an entry of the catalogue; got \"{}\"", e.id));
  return e;
}

io::Json to_json(const Sizes& s) {
  return io::Json::object(
      {{"steps", s.steps}, {"batch", s.batch}, {"asked", s.asked}, {"symbols", s.symbols}, {"budget", s.budget}});
}

const std::vector<std::string>& league_tasks() {
  static const std::vector<std::string> names{"copy", "reverse", "sort", "recall", "selective-copy", "translate"};
  return names;
}

std::string key_of(const std::string& task, const Entrant& e, uint64_t seed) {
  return fmt::format("{} {} {} {} {}", task, e.architecture, e.id, e.text, seed);
}

Results read_results(const std::string& path) {
  const io::Json file = io::parse(io::read_file(path), path);
  if (!file.is_object())
    throw InputError(fmt::format("{}: must be an object with the keys sizes and rows; got {}", path, file.kind()));
  if (!file.at("sizes").is_object())
    throw InputError(fmt::format("{}: key \"sizes\" must be an object; got {}", path, file.at("sizes").kind()));
  const std::vector<io::Json>& rows = file.list("rows");
  Results results;
  std::map<std::string, size_t> first;  // where a key was seen
  size_t line = 0;                      // 0: the sizes
  try {
    results.sizes = sizes_from(file.at("sizes"));
    for (line = 1; line <= rows.size(); ++line) {
      Row row = row_from(rows[line - 1], results.sizes);
      const auto [before, fresh] = first.emplace(key_of(row.task, row.entrant, row.seed), line);
      if (!fresh)
        throw InputError(fmt::format("must have another task, variant, architecture or seed than row {}; got the same",
                                     before->second));
      results.rows.push_back(std::move(row));
    }
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", path, line == 0 ? "sizes" : fmt::format("row {}", line),
                                 without(path, error.what())));
  }
  return results;
}

void write_results(const std::string& path, const Results& results) {
  std::string text = fmt::format("{{\"program\": \"heed {}\",\n\"sizes\": {},\n\"rows\": [", HEED_VERSION,
                                 to_json(results.sizes).dump());
  for (size_t i = 0; i < results.rows.size(); ++i) text += (i ? ",\n" : "\n") + to_json(results.rows[i]).dump();
  io::atomic_write(path, text + "\n]}\n");
}

std::string in_words(const Sizes& s) {
  return fmt::format("{} steps of {} sequences{}", s.steps, s.batch,
                     s.budget > 0 ? fmt::format(", at most {:g} s", s.budget) : std::string());
}

std::vector<Results> recorded_results(const std::string& root) {
  std::vector<Results> all;
  for (const char* name : {"short_tasks", "translate"}) {
    const std::string path = fmt::format("{}/tutorials/league/recorded/{}.json", root, name);
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) all.push_back(read_results(path));
  }
  return all;
}

// Lines "ID | REASON"; # begins a comment.
std::map<std::string, std::string> recorded_reasons(const std::string& root) {
  std::map<std::string, std::string> reasons;
  std::ifstream file(root + "/tutorials/league/recorded/held_back.txt");
  for (std::string line; std::getline(file, line);)
    if (const size_t bar = line.find(" | "); line[0] != '#' && bar != std::string::npos)
      reasons[line.substr(0, bar)] = line.substr(bar + 3);
  return reasons;
}

}  // namespace heed::league
