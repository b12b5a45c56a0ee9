#include "tutorials/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "nn/io/file.h"
#include "tensor/error.h"
#include "tutorials/report/graph_layout.h"
#include "tutorials/report/page.h"
#include "tutorials/report/shares.h"
#include "tutorials/report/width.h"

namespace heed::report {

using io::Json;

namespace {

constexpr std::size_t most_points = 1200, most_snapshots = 8;

// `count` indices spread evenly over [0, size), both ends among them.
std::vector<std::size_t> spread(std::size_t size, std::size_t count) {
  std::vector<std::size_t> kept;
  if (size <= count) count = size;
  for (std::size_t i = 0; i < count; ++i) kept.push_back(count > 1 ? i * (size - 1) / (count - 1) : 0);
  return kept;
}

Json labels_or_numbers(const std::vector<std::string>& labels, std::size_t count, const char* what) {
  if (!labels.empty() && labels.size() != count) {
    throw ShapeError(
        fmt::format("report: {} must have a label each; got {} labels for {}", what, labels.size(), count));
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < count; ++i) list.push(labels.empty() ? std::to_string(i) : labels[i]);
  return list;
}

Json links(const std::vector<Link>& list, const Alignment& alignment) {
  Json result = Json::array();
  for (const Link& link : list) {
    bool inside = link.target >= 0 && link.target < std::ssize(alignment.target) && link.source >= 0 &&
                  link.source < std::ssize(alignment.source);
    if (!inside)
      throw IndexError(fmt::format("report: a gold link must lie inside the matrix; got target {}, source {}",
                                   link.target, link.source));
    result.push(Json::array({link.target, link.source}));
  }
  return result;
}

Json snapshot_data(const std::string& label, const Matrix& weights, std::optional<double> error,
                   const Alignment& alignment) {
  if (weights.rows != alignment.target.size() || weights.columns != alignment.source.size()) {
    throw ShapeError(fmt::format("report: weights must be [target, source]; got [{}, {}] for {} and {} words",
                                 weights.rows, weights.columns, alignment.target.size(), alignment.source.size()));
  }
  Json data = Json::object({{"label", label}, {"weights", stored_weights(weights.values)}});
  if (error && std::isfinite(*error)) data.set("error", stored_number(*error));
  return data;
}

bool looks_numeric(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,+-eExX%kMG± ") == std::string::npos &&
         cell.find_first_of("0123456789") != std::string::npos;
}

}  // namespace

std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = (group << 8) | (i + k < bytes.size() ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? letters[(group >> (18 - 6 * k)) & 63u] : '=';
  }
  return text;
}

Json stored_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  double rounded = std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
  if (rounded == std::floor(rounded) && std::abs(rounded) < 1e15) return static_cast<std::int64_t>(rounded);
  return rounded;
}

Json stored_numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (double value : values) list.push(stored_number(value));
  return list;
}

Json stored_weights(const std::vector<double>& weights) {
  double largest = 1;
  for (double weight : weights) {
    if (!(weight >= 0) || std::isinf(weight)) return Json::object({{"values", stored_numbers(weights)}});
    largest = std::max(largest, weight);
  }
  std::vector<unsigned char> bytes;
  for (double weight : weights) {
    auto share = static_cast<unsigned>(std::lround(weight / largest * 65535.0));
    if (weight > 0 && share == 0) share = 1;
    bytes.push_back(static_cast<unsigned char>(share & 255u));
    bytes.push_back(static_cast<unsigned char>(share >> 8));
  }
  return Json::object({{"scale", stored_number(largest)}, {"base64", base64(bytes)}});
}

Report::Report(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void Report::add(const std::string& kind, const std::string& title, const std::string& text, Json data) {
  Json panel = Json::object({{"kind", kind}, {"title", title}, {"text", text}});
  for (const io::Member& member : data.items()) panel.set(member.key, member.value);
  panels_.push(std::move(panel));
  if (std::find(kinds_.begin(), kinds_.end(), kind) == kinds_.end()) kinds_.push_back(kind);
}

void Report::text(const std::string& title, const std::string& paragraphs) {
  Json list = Json::array();
  std::size_t from = 0;
  while (from < paragraphs.size()) {
    std::size_t end = std::min(paragraphs.find("\n\n", from), paragraphs.size());
    if (end > from) list.push(paragraphs.substr(from, end - from));
    from = end + 2;
  }
  add("text", title, "", Json::object({{"paragraphs", list}}));
}

void Report::table(const TablePanel& panel) {
  Json rows = Json::array(), numeric = Json::array();
  for (const auto& row : panel.rows) {
    if (row.size() != panel.header.size()) {
      throw ShapeError(fmt::format("report: a row must have as many cells as the header; got {} for {}", row.size(),
                                   panel.header.size()));
    }
    rows.push(row);
  }
  for (std::size_t j = 0; j < panel.header.size(); ++j) {
    numeric.push(!panel.rows.empty() && std::all_of(panel.rows.begin(), panel.rows.end(), [&](const auto& row) {
      return row[j].empty() || looks_numeric(row[j]);
    }));
  }
  Json data = Json::object({{"header", panel.header}, {"rows", rows}, {"numeric", numeric}});
  if (panel.sortable) data.set("sortable", true);
  add("table", panel.title, panel.text, std::move(data));
}

void Report::curves(const CurvesPanel& panel) {
  Json list = Json::array();
  for (const Series& series : panel.series) {
    auto fits = [&](const std::vector<double>& values) { return values.empty() || values.size() == series.y.size(); };
    if (!fits(series.x) || !fits(series.low) || !fits(series.high) || series.low.empty() != series.high.empty()) {
      throw ShapeError(fmt::format(
          "report: x, low and high of the series \"{}\" must be as long as y, or absent; got {}, {}, {} for {}",
          series.name, series.x.size(), series.low.size(), series.high.size(), series.y.size()));
    }
    std::vector<double> x, y, low, high;
    for (std::size_t i : spread(series.y.size(), most_points)) {
      x.push_back(series.x.empty() ? static_cast<double>(i + 1) : series.x[i]);
      y.push_back(series.y[i]);
      if (series.low.empty()) continue;
      low.push_back(series.low[i]);
      high.push_back(series.high[i]);
    }
    Json one = Json::object({{"name", series.name}, {"x", stored_numbers(x)}, {"y", stored_numbers(y)}});
    if (!low.empty()) one.set("low", stored_numbers(low)).set("high", stored_numbers(high));
    list.push(one);
  }
  add("curves", panel.title, panel.text,
      Json::object({{"x_label", panel.x_label},
                    {"y_label", panel.y_label},
                    {"log_x", panel.log_x},
                    {"log_y", panel.log_y},
                    {"series", list}}));
}

void Report::bars(const BarsPanel& panel) {
  Json list = Json::array();
  for (const BarSeries& series : panel.series) {
    if (series.values.size() != panel.labels.size()) {
      throw ShapeError(fmt::format("report: the bars \"{}\" must be one for each label; got {} for {}", series.name,
                                   series.values.size(), panel.labels.size()));
    }
    list.push(Json::object({{"name", series.name}, {"values", stored_numbers(series.values)}}));
  }
  Json data = Json::object(
      {{"x_label", panel.x_label}, {"y_label", panel.y_label}, {"labels", panel.labels}, {"series", list}});
  if (panel.threshold) data.set("threshold", stored_number(*panel.threshold));
  add("bars", panel.title, panel.text, data);
}

void Report::heat(const HeatPanel& panel) {
  double low = 0, high = 0;
  for (double value : panel.matrix.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (are_weights(panel.matrix)) high = 1;  // pictures of weights can then be compared
  Json data = Json::object({{"rows", labels_or_numbers(panel.rows, panel.matrix.rows, "rows")},
                            {"columns", labels_or_numbers(panel.columns, panel.matrix.columns, "columns")},
                            {"row_title", panel.row_title},
                            {"column_title", panel.column_title},
                            {"low", stored_number(panel.low.value_or(low))},
                            {"high", stored_number(panel.high.value_or(high))},
                            {"values", stored_numbers(panel.matrix.values)}});
  if (!panel.zero.empty()) data.set("zero", panel.zero);
  add("heat", panel.title, panel.text, data);
}

void Report::scatter(const ScatterPanel& panel) {
  if (!(panel.x_low < panel.x_high && panel.y_low < panel.y_high)) {
    throw ValueError(fmt::format("report: a scatter must have low < high on both axes; got x {} to {}, y {} to {}",
                                 panel.x_low, panel.x_high, panel.y_low, panel.y_high));
  }
  Json points = Json::array(), fields = Json::array();
  for (const PointSet& set : panel.points) {
    if (set.x.size() != set.y.size()) {
      throw ShapeError(fmt::format("report: the points \"{}\" must have as many x as y; got {} and {}", set.name,
                                   set.x.size(), set.y.size()));
    }
    if (!set.labels.empty() && set.labels.size() != set.x.size()) {
      throw ShapeError(fmt::format("report: the points \"{}\" must have as many labels as x; got {} and {}", set.name,
                                   set.labels.size(), set.x.size()));
    }
    Json one = Json::object({{"name", set.name}, {"x", stored_numbers(set.x)}, {"y", stored_numbers(set.y)}});
    if (!set.labels.empty()) one.set("labels", set.labels);
    points.push(one);
  }
  for (const Field& field : panel.fields) {
    for (double value : field.values.values) {
      if (!(value >= 0 && value <= 1))
        throw ValueError(fmt::format("report: a field must lie in [0, 1]; got {} in \"{}\"", value, field.label));
    }
    fields.push(Json::object({{"label", field.label},
                              {"rows", static_cast<std::int64_t>(field.values.rows)},
                              {"columns", static_cast<std::int64_t>(field.values.columns)},
                              {"values", stored_weights(field.values.values)}}));
  }
  add("scatter", panel.title, panel.text,
      Json::object({{"x_label", panel.x_label},
                    {"y_label", panel.y_label},
                    {"x_low", stored_number(panel.x_low)},
                    {"x_high", stored_number(panel.x_high)},
                    {"y_low", stored_number(panel.y_low)},
                    {"y_high", stored_number(panel.y_high)},
                    {"field_name", panel.field_name},
                    {"points", points},
                    {"fields", fields},
                    {"of_classes", panel.of_classes}}));
}

void Report::alignment(const std::string& title, const std::string& text, const Alignment& alignment) {
  alignments(title, text, {alignment});
}

void Report::alignments(const std::string& title, const std::string& text, const std::vector<Alignment>& alignments) {
  if (alignments.empty()) throw ValueError("report: an alignment panel must have a sentence; got none");
  Json items = Json::array();
  for (const Alignment& alignment : alignments) {
    Json snapshots = Json::array();
    for (std::size_t i : spread(alignment.snapshots.size(), most_snapshots)) {
      const Snapshot& one = alignment.snapshots[i];
      snapshots.push(snapshot_data(one.label, one.weights, one.error, alignment));
    }
    if (alignment.snapshots.empty()) snapshots.push(snapshot_data("", alignment.weights, alignment.error, alignment));
    Json item = Json::object(
        {{"name", alignment.name.empty() ? fmt::format("{}", fmt::join(alignment.source, " ")) : alignment.name},
         {"source", alignment.source},
         {"target", alignment.target},
         {"snapshots", snapshots}});
    if (!alignment.sure.empty()) item.set("sure", links(alignment.sure, alignment));
    if (!alignment.possible.empty()) item.set("possible", links(alignment.possible, alignment));
    items.push(item);
  }
  add("alignment", title, text,
      Json::object({{"row_title", alignments[0].row_title},
                    {"column_title", alignments[0].column_title},
                    {"choice", alignments[0].choice},
                    {"items", items}}));
}

void Report::graph(const GraphPanel& panel) {
  std::map<std::string, std::size_t> index;
  std::vector<std::string> groups;
  std::vector<double> widths;
  for (const GraphNode& node : panel.nodes) {
    if (!index.emplace(node.id, index.size()).second)
      throw ValueError(fmt::format("graph: an id must be used once; got \"{}\" twice", node.id));
    widths.push_back(std::clamp(22.0 + 7.6 * display_width(node.label), 44.0, 260.0));
    if (!node.group.empty() && std::find(groups.begin(), groups.end(), node.group) == groups.end())
      groups.push_back(node.group);
  }
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (const auto& [from, to] : panel.edges) {
    for (const std::string& end : {from, to}) {
      if (!index.count(end)) throw ValueError(fmt::format("graph: an edge must join known nodes; got \"{}\"", end));
    }
    edges.emplace_back(index[from], index[to]);
  }
  GraphLayout layout = lay_out_graph(widths, edges);
  Json nodes = Json::array(), lines = Json::array();
  for (std::size_t i = 0; i < panel.nodes.size(); ++i) {
    auto group = std::find(groups.begin(), groups.end(), panel.nodes[i].group) - groups.begin();
    Json node = Json::object({{"label", panel.nodes[i].label},
                              {"x", stored_number(layout.nodes[i].x)},
                              {"y", stored_number(layout.nodes[i].y)},
                              {"width", stored_number(widths[i])},
                              {"group", panel.nodes[i].group.empty() ? std::ptrdiff_t{-1} : group}});
    if (!panel.nodes[i].tip.empty()) node.set("tip", panel.nodes[i].tip);
    nodes.push(node);
  }
  for (std::size_t k = 0; k < edges.size(); ++k) {
    Json points = Json::array();
    for (const GraphLayout::Point& point : layout.edges[k])
      points.push(Json::array({stored_number(point.x), stored_number(point.y)}));
    lines.push(Json::object({{"from", edges[k].first}, {"to", edges[k].second}, {"points", points}}));
  }
  add("graph", panel.title, panel.text,
      Json::object({{"width", stored_number(layout.width)},
                    {"height", stored_number(layout.height)},
                    {"groups", groups},
                    {"nodes", nodes},
                    {"edges", lines}}));
}

void Report::picture(const PicturePanel& panel) {
  if (panel.readings.empty()) throw ValueError("report: a picture panel must have a reading; got none");
  Json readings = Json::array();
  for (const PictureReading& one : panel.readings) {
    std::size_t cells = one.cells.size();
    if (panel.columns == 0 || cells == 0 || cells % panel.columns != 0)
      throw ShapeError(fmt::format("report: a picture must have whole rows of {} cells; got {} cells in \"{}\"",
                                   panel.columns, cells, one.name));
    if (one.weights.rows != one.words.size() || one.weights.columns != cells)
      throw ShapeError(fmt::format("report: weights must be [words, cells]; got [{}, {}] for {} words and {} cells",
                                   one.weights.rows, one.weights.columns, one.words.size(), cells));
    readings.push(Json::object({{"name", one.name},
                                {"columns", static_cast<std::int64_t>(panel.columns)},
                                {"words", one.words},
                                {"cells", one.cells},
                                {"weights", stored_weights(one.weights.values)}}));
  }
  add("picture", panel.title, panel.text, Json::object({{"readings", readings}}));
}

void Report::running(const RunningPanel& panel) {
  if (panel.texts.empty()) throw ValueError("report: a panel of running text must have a text; got none");
  Json texts = Json::array();
  for (const RunningText& one : panel.texts) {
    Json sentences = Json::array();
    for (const RunningSentence& s : one.sentences) {
      if (s.weights.size() != s.words.size())
        throw ShapeError(fmt::format("report: running text must have a weight for each word; got {} for {} in \"{}\"",
                                     s.weights.size(), s.words.size(), one.name));
      Json stored = Json::object({{"words", s.words},
                                  {"weights", stored_weights(s.weights)},
                                  {"weight", stored_number(s.weight)},
                                  {"gold", s.gold}});
      if (!s.name.empty()) stored.set("name", s.name);
      sentences.push(stored);
    }
    texts.push(Json::object({{"name", one.name}, {"sentences", sentences}}));
  }
  add("running", panel.title, panel.text, Json::object({{"texts", texts}}));
}

void Report::claims(const std::string& title, const Json& claims) {
  Json before = std::move(panels_);
  panels_ = Json::array();
  add("claims", title, "", Json::object({{"claims", claims}}));
  for (const Json& panel : before.elements()) panels_.push(panel);
}

std::string Report::html(const std::string& home) const {
  return page_html(title_, subtitle_, kinds_, Json::object({{"title", title_}, {"panels", panels_}}).dump(), home);
}

Json Report::figures() const {
  return Json::object({{"title", title_}, {"subtitle", subtitle_}, {"kinds", kinds_}, {"panels", panels_}});
}

void Report::write(const std::string& path) const {
  io::atomic_write(path, html());
  const std::string name = "report.html";
  bool of_run = path == name || (path.size() > name.size() &&
                                 path.compare(path.size() - name.size() - 1, name.size() + 1, "/" + name) == 0);
  if (of_run) io::atomic_write(path.substr(0, path.size() - name.size()) + "figures.json", figures().dump() + "\n");
}

}  // namespace heed::report
