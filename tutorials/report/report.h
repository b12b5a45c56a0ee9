// The report: one HTML file that opens anywhere, holds its data, and draws it. No network, no clock: the same run gives
// the same bytes. One panel is one function here, one script in page/, one row of the table in page.cpp.
//
//   Report report("12 · Bahdanau attention", "seed 1");
//   report.text("", "A decoder that looks back.");
//   report.curves({.title = "Loss", .x_label = "step", .series = {{.name = "training", .y = losses}}, .log_y = true});
//   report.alignment("Alignment", "", {.source = words, .target = answer, .weights = weights});
//   report.write("out/12_bahdanau/report.html");
//
// Texts may mark `code` with backticks. Sizes: attention weights take 16 bits each, other numbers five digits; a line
// of more than 1200 points is thinned evenly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nn/io/json.h"
#include "tutorials/report/attention_panels.h"
#include "tutorials/report/matrix.h"

namespace heed::report {

struct Series {
  std::string name;
  std::vector<double> y = {};
  std::vector<double> x = {};               // absent: 1, 2, 3, ...
  std::vector<double> low = {}, high = {};  // a band around the line, both or none
};
struct CurvesPanel {
  std::string title, text = {}, x_label = {}, y_label = {};
  std::vector<Series> series = {};
  bool log_x = false, log_y = false;
};

struct TablePanel {
  std::string title, text = {};
  std::vector<std::string> header = {};
  std::vector<std::vector<std::string>> rows = {};
  bool sortable = false;  // its headings are buttons that sort the rows
};

struct BarSeries {
  std::string name;
  std::vector<double> values = {};  // one for each label
};
struct BarsPanel {
  std::string title, text = {}, x_label = {}, y_label = {};
  std::vector<std::string> labels = {};
  std::vector<BarSeries> series = {};
  std::optional<double> threshold = {};
};

struct HeatPanel {
  std::string title, text = {}, row_title = {}, column_title = {};
  std::vector<std::string> rows = {}, columns = {};  // labels; absent: 0, 1, 2, ...
  Matrix matrix = {};
  // The scale; absent: 0 to 1 for weights, else from the values, and 0 where none is negative.
  std::optional<double> low = {}, high = {};
  std::string zero = {};  // what a hatched cell, exactly 0, means; absent: "exactly zero"
};

struct PointSet {  // one class of points
  std::string name;
  std::vector<double> x = {}, y = {};
  std::vector<std::string> labels = {};  // text beside each point; absent: none
};
struct Field {
  std::string label;  // "step 400"
  Matrix values;  // [rows, columns] over the whole picture, the first row at its top; in [0, 1], the boundary at 1/2
};
struct ScatterPanel {
  std::string title, text = {}, x_label = {}, y_label = {};
  std::vector<PointSet> points = {};
  std::vector<Field> fields = {};   // behind the points; several: the same model while it learned
  std::string field_name = "says";  // the name of the field's value when the mouse is on it
  bool of_classes = true;           // coloured from the first class, blue, to the second, orange; false: grey
  double x_low = -1, x_high = 1, y_low = -1, y_high = 1;
};

struct Link {
  std::int64_t target, source;
};
struct Snapshot {
  std::string label;  // "epoch 3"
  Matrix weights;     // [target, source]
  std::optional<double> error = {};
};
struct Alignment {
  std::vector<std::string> source, target;
  Matrix weights = {};                         // [target, source]; or snapshots
  std::vector<Snapshot> snapshots = {};        // the same sentence while the model learned, at most eight are kept
  std::vector<Link> sure = {}, possible = {};  // gold
  std::optional<double> error = {};            // alignment error rate of `weights`
  std::string name = {};                       // in the selector
  // The names of rows, columns and the selector; a panel uses those of its first alignment.
  std::string row_title = "target", column_title = "source", choice = "Sentence";
};

struct GraphNode {
  std::string id, label, group = {}, tip = {};  // tip: shown when the mouse is on it; empty: the label
};
struct GraphPanel {
  std::string title, text = {};
  std::vector<GraphNode> nodes = {};
  std::vector<std::pair<std::string, std::string>> edges = {};  // from id, to id
};

struct PictureReading {  // one caption of one picture
  std::string name;
  std::vector<std::string> words = {};
  std::vector<std::string> cells =
      {};               // row by row: "red square": red, blue, green or yellow first; empty: nothing there
  Matrix weights = {};  // [words, cells], in [0, 1]
};
struct PicturePanel {
  std::string title, text = {};
  std::size_t columns = 8;
  std::vector<PictureReading> readings = {};
};

struct RunningSentence {
  std::vector<std::string> words = {};
  std::vector<double> weights = {};  // of its words, in [0, 1]
  double weight = 0;                 // of the sentence, in [0, 1]
  bool gold = false;                 // the one that decides
  // A measure, "gradient": the same words are shown once for each of them. It is written in place of number and bar.
  std::string name = {};
};
struct RunningText {
  std::string name;
  std::vector<RunningSentence> sentences = {};
};
struct RunningPanel {
  std::string title, text = {};
  std::vector<RunningText> texts = {};
};

class Report {
 public:
  explicit Report(std::string title, std::string subtitle = "");

  void text(const std::string& title, const std::string& paragraphs);  // an empty line separates paragraphs
  void table(const TablePanel& panel);
  void curves(const CurvesPanel& panel);
  void bars(const BarsPanel& panel);
  void heat(const HeatPanel& panel);
  void scatter(const ScatterPanel& panel);
  void alignment(const std::string& title, const std::string& text, const Alignment& alignment);
  void alignments(const std::string& title, const std::string& text, const std::vector<Alignment>& alignments);
  void graph(const GraphPanel& panel);
  void picture(const PicturePanel& panel);
  void running(const RunningPanel& panel);
  void stepper(const StepperPanel& panel);
  void arcs(const ArcsPanel& panel);
  void ablation(const AblationPanel& panel);
  void variants(const VariantsPanel& panel);
  void model(const ModelPanel& panel);
  void claims(const std::string& title, const io::Json& claims);  // as in result.json; stands first

  void add(const std::string& kind, const std::string& title, const std::string& text, io::Json data);  // any panel
  // home: the address of a page of contents, to which the page links; none if it is empty
  std::string html(const std::string& home = "") const;
  // {"title", "subtitle", "kinds", "panels"}: the data of the page, from which a chapter of the course takes its
  // figures.
  io::Json figures() const;
  void write(const std::string& path) const;  // whole or not at all; figures.json beside a page called report.html

 private:
  std::string title_, subtitle_;
  std::vector<std::string> kinds_;
  io::Json panels_ = io::Json::array();
};

// Numbers as the page stores them: five significant digits; weights in [0, 1] as 16-bit shares, a weight that is not
// exactly zero never becomes zero.
io::Json stored_number(double value);
io::Json stored_numbers(const std::vector<double>& values);
io::Json stored_weights(const std::vector<double>& weights);
io::Json stored_strip(const std::vector<double>& values);  // 8 bits each, as shares of the largest absolute value
std::string base64(const std::vector<unsigned char>& bytes);

}  // namespace heed::report
