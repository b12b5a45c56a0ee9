#include "tests/tutorials/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <regex>
#include <sstream>

namespace heed::measured {

using io::Json;

namespace {

using Words = std::vector<std::string>;

Number exactly(double value) { return {"", 0, value, 0}; }

std::vector<Number> numbers_of(const Json& cell) {
  if (cell.is_number()) return {exactly(cell.as_number())};
  return cell.is_string() ? measured::numbers_of(cell.as_string()) : std::vector<Number>{};
}

void append(std::vector<Number>& all, const std::vector<Number>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

bool among(const Number& printed, const std::vector<Number>& found) {
  return std::any_of(found.begin(), found.end(), [&](const Number& n) { return rounds(printed, n); });
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Words cells_of(const std::string& row) {
  Words cells;
  std::istringstream in(row.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    std::size_t from = cell.find_first_not_of(' '), to = cell.find_last_not_of(' ');
    cells.push_back(from == std::string::npos ? "" : cell.substr(from, to - from + 1));
  }
  return cells;
}

// The text with blanks in place of code, formulas and targets of links, so that positions stay.
std::string plain(std::string text) {
  static const std::regex hidden(R"(`[^`]*`|\$[^$]*\$|\]\([^)]*\)|<!--.*?-->|seeds 1 / 2 / 3)");
  for (std::smatch found; std::regex_search(text, found, hidden);)
    text.replace(static_cast<std::size_t>(found.position()), static_cast<std::size_t>(found.length()),
                 std::string(static_cast<std::size_t>(found.length()), ' '));
  return text;
}

// The text with blanks in place of what comes from elsewhere.
std::string without(std::string text, std::vector<Apart>& apart) {
  const std::string whole = text;
  for (Apart& a : apart)
    for (std::size_t at = whole.find(a.words); at != std::string::npos; at = whole.find(a.words, at + 1)) {
      for (std::size_t i = at; i < at + a.words.size(); ++i) text[i] = text[i] == '|' ? '|' : ' ';
      a.used = true;
    }
  return text;
}

// Seeds 1, 2, 3 as 0, 1, 2 for each number of a cell.
struct Seeded {
  Number number;
  std::size_t run;
};
std::vector<Seeded> seeded(const std::string& cell, const std::string& heading) {
  std::vector<Seeded> all;
  std::size_t first = cell.find(" / "), second = first == std::string::npos ? first : cell.find(" / ", first + 3);
  for (const Number& n : measured::numbers_of(cell)) {
    std::size_t run = 0;
    if (heading.rfind("seed ", 0) == 0) run = static_cast<std::size_t>(heading[5] - '1');
    if (second != std::string::npos) run = n.at < first ? 0 : n.at < second ? 1 : 2;
    all.push_back({n, run});
  }
  return all;
}

class Chapter {
 public:
  Chapter(const Json& runs, std::vector<Apart>& apart) : runs_(runs.elements()), apart_(apart) {
    for (const Json& run : runs_) {
      for (const char* list : {"claims", "checks"})
        for (const Json& claim : run.list(list)) append(pool_, of_claim(claim));
      for (const Json& table : run.list("tables"))
        for (const Json& row : table.list("rows"))
          for (const Json& cell : row.elements()) append(pool_, numbers_of(cell));
    }
  }

  void table(const Words& rows, const Words& titles) {
    Words heads = cells_of(rows[0]);
    std::size_t claims = 0, checks = 0;
    std::vector<Words> data;
    for (std::size_t r = 2; r < rows.size(); ++r) {
      Words cells = cells_of(without(rows[r], apart_));
      cells.resize(heads.size());
      for (std::string& cell : cells) cell = plain(cell);
      if (heads[0].rfind("claim", 0) == 0) {
        bool check = cells[0].rfind("check: ", 0) == 0;
        claim_row(cells, heads, check ? "checks" : "claims", check ? checks++ : claims++);
      } else {
        data.push_back(cells);
      }
    }
    bool numbers = false;
    for (const Words& cells : data)
      for (std::size_t j = 1; j < cells.size(); ++j) numbers = numbers || !measured::numbers_of(cells[j]).empty();
    if (numbers) data_table(data, heads, titles);
    if (heads[0].rfind("claim", 0) == 0 &&
        (claims != runs_[0].list("claims").size() || checks != runs_[0].list("checks").size()))
      faults.push_back("the table must list all claims and checks of the run");
  }

  void paragraph(const std::string& text) {
    std::string shown = plain(without(text, apart_));
    std::vector<Number> numbers = measured::numbers_of(shown);
    bool next_counts = false;
    for (std::size_t i = numbers.size(); i-- > 0;) {
      const Number& n = numbers[i];
      std::size_t end = n.at + n.text.size();
      bool counts = n.text.find_first_of(".e") != std::string::npos || shown.compare(end, 2, " %") == 0 ||
                    shown.compare(end, 7, " points") == 0 || shown.compare(end, 3, " / ") == 0 ||
                    (n.at > 2 && shown.compare(n.at - 3, 3, " / ") == 0);
      if (!counts && next_counts) {
        std::string between = shown.substr(end, numbers[i + 1].at - end);
        for (const char* word : {", ", " and ", ", and ", " to ", " / ", " or ", " against "})
          counts = counts || between == word;
      }
      next_counts = counts;
      if (counts && !among(n, pool_))
        faults.push_back(fmt::format("{} in \"{}\" is no number of a claim or table", n.text,
                                     text.substr(n.at < 30 ? 0 : n.at - 30, 60)));
    }
  }

  Words faults;

 private:
  static std::vector<Number> of_claim(const Json& claim) {
    std::vector<Number> all = measured::numbers_of(claim.text("name"));
    append(all, {exactly(claim.number("measured")), exactly(claim.number("threshold"))});
    append(all, numbers_of(claim.at("control")));
    return all;
  }

  void claim_row(const Words& cells, const Words& heads, const char* list, std::size_t k) {
    if (k >= runs_[0].list(list).size())
      return faults.push_back(fmt::format("\"{}\" is no claim of the run", cells[0]));
    std::vector<Number> known;
    for (const Json& run : runs_) append(known, of_claim(run.list(list)[k]));
    for (std::size_t j = 1; j < cells.size(); ++j) {
      std::vector<Number> numbers = measured::numbers_of(cells[j]);
      if (numbers.empty()) continue;
      if (heads[j] == "required") {
        double threshold = runs_[0].list(list)[k].number("threshold"), value = numbers[0].value;
        if (cells[j].find("1/3") != std::string::npos) value /= 3;
        if (std::abs(value - threshold) > 1e-12 * std::abs(threshold))
          faults.push_back(fmt::format("\"{}\": {} is required, not {}", cells[0], threshold, cells[j]));
      } else if (heads[j].rfind("control", 0) == 0) {
        for (const Number& n : numbers)
          if (!among(n, known)) faults.push_back(fmt::format("\"{}\": {} is not of its control", cells[0], n.text));
      } else {
        std::vector<Seeded> all = seeded(cells[j], heads[j]);
        bool single = heads[j].rfind("seed ", 0) == 0 || cells[j].find(" / ") == std::string::npos;
        if (single) all.resize(1);  // "200 of 200"
        if (heads[j] == "measured" && single) all.insert(all.end(), {{all[0].number, 1}, {all[0].number, 2}});
        for (const Seeded& s : all) {
          if (s.run >= runs_.size()) return faults.push_back(fmt::format("there is no run of seed {}", s.run + 1));
          double found = runs_[s.run].list(list)[k].number("measured");
          if (!rounds(s.number, exactly(found)))
            faults.push_back(
                fmt::format("\"{}\": seed {} measured {:.4g}, not {}", cells[0], s.run + 1, found, s.number.text));
        }
      }
    }
  }

  // A table of the report and one row of it for each row of the chapter's table: that of the same label, or the one
  // with the most of its numbers.
  struct Source {
    std::size_t table;
    std::vector<std::size_t> rows;
  };

  void data_table(const std::vector<Words>& rows, const Words& heads, const Words& titles) {
    if (titles.empty())
      return faults.push_back(fmt::format("\"{}\": no figures: \"TITLE\" before the table", rows[0][0]));
    std::vector<Source> sources;
    for (const std::string& title : titles) {
      const std::vector<Json>& tables = runs_[0].list("tables");
      auto found = std::find_if(tables.begin(), tables.end(), [&](const Json& t) { return t.text("title") == title; });
      if (found == tables.end()) return faults.push_back(fmt::format("the run has no table \"{}\"", title));
      sources.push_back({static_cast<std::size_t>(found - tables.begin()), {}});
      for (const Words& cells : rows) sources.back().rows.push_back(row_like(cells, heads, sources.back().table));
    }
    // Each column is one column of one of these tables: the one that fits best.
    for (std::size_t j = 1; j < heads.size(); ++j) {
      Words fewest(1000);
      for (const Source& source : sources)
        for (std::size_t d = 0; d < runs_[0].list("tables")[source.table].list("header").size(); ++d) {
          Words wrong;
          for (std::size_t r = 0; r < rows.size(); ++r)
            for (const Seeded& s : seeded(rows[r][j], heads[j]))
              if (!among(s.number, cell(s.run, source.table, source.rows[r], d)))
                wrong.push_back(fmt::format("\"{}\", column \"{}\": {} is not what seed {} measured", rows[r][0],
                                            heads[j], s.number.text, s.run + 1));
          if (wrong.size() < fewest.size()) fewest = wrong;
        }
      faults.insert(faults.end(), fewest.begin(), fewest.end());
    }
  }

  std::size_t row_like(const Words& cells, const Words& heads, std::size_t table) const {
    const std::vector<Json>& rows = runs_[0].list("tables")[table].list("rows");
    std::size_t best = 0, most = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (lower(label_of(rows[r])) == lower(cells[0]) && std::count_if(rows.begin(), rows.end(), [&](const Json& row) {
                                                           return label_of(row) == label_of(rows[r]);
                                                         }) == 1)
        return r;
      std::size_t hits = 1;
      for (std::size_t j = 1; j < cells.size(); ++j)
        for (const Seeded& s : seeded(cells[j], heads[j])) {
          std::vector<Number> found;
          for (std::size_t d = 0; d < rows[r].size(); ++d) append(found, cell(s.run, table, r, d));
          hits += among(s.number, found) ? 1 : 0;
        }
      if (hits > most) best = r, most = hits;
    }
    return best;
  }

  std::vector<Number> cell(std::size_t run, std::size_t table, std::size_t row, std::size_t column) const {
    if (run >= runs_.size()) return {};
    const std::vector<Json>& rows = runs_[run].list("tables")[table].list("rows");
    return row < rows.size() && column < rows[row].size() ? numbers_of(rows[row].elements()[column])
                                                          : std::vector<Number>{};
  }

  static std::string label_of(const Json& row) {
    return row.elements()[0].is_string() ? row.elements()[0].as_string() : "";
  }

  const std::vector<Json>& runs_;
  std::vector<Apart>& apart_;
  std::vector<Number> pool_;
};

}  // namespace

std::vector<std::string> faults_of(const std::string& readme, const Json& runs, std::vector<Apart>& apart) {
  static const std::regex directive(R"(\s*<!-- figures: (.*) -->\s*)"), title("\"([^\"]+)\"");
  Chapter chapter(runs, apart);
  std::istringstream in(readme);
  Words rows, titles;
  std::string text;
  bool inside = false, fence = false;
  auto flush = [&] {
    if (rows.size() > 2) chapter.table(rows, titles);
    if (!rows.empty()) titles.clear();
    if (!text.empty()) chapter.paragraph(text);
    rows.clear();
    text.clear();
  };
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (line.rfind("```", 0) == 0) fence = !fence;
    if (fence || line.rfind("```", 0) == 0) continue;
    if (line.rfind("## ", 0) == 0) {
      flush();
      inside = line == "## What was measured";
    } else if (!inside) {
      continue;
    } else if (std::regex_match(line, found, directive)) {
      flush();
      const std::string list = found[1];
      for (std::sregex_iterator at(list.begin(), list.end(), title), end; at != end; ++at) titles.push_back((*at)[1]);
    } else if (!line.empty() && line[0] == '|') {
      if (rows.empty()) flush();
      rows.push_back(line);
    } else if (line.find_first_not_of(' ') == std::string::npos || line.rfind("<!--", 0) == 0) {
      flush();
    } else {
      if (!rows.empty()) flush();
      text += (text.empty() ? "" : " ") + line.substr(line.find_first_not_of(' '));
    }
  }
  flush();
  return chapter.faults;
}

}  // namespace heed::measured
