// The report of `heed translate` on a trained model: figures on held-out sentences, heat maps, and report.html.
#pragma once

#include <string>
#include <vector>

#include "nn/io/console.h"
#include "nn/models/translator.h"
#include "nn/train/fit.h"
#include "tutorials/app/translate_data.h"
#include "tutorials/report/report.h"
#include "tutorials/report/terminal.h"

namespace heed::app {

// One held-out set, measured.
struct SetFigures {
  std::string name;
  int64_t sentences = 0, exact = 0;
  double bleu = 0;  // on tokens, as they are
  bool has_gold = false;
  double error = 0, error_all = 0, mass = 0;  // alignment: AER over content words, over all words; weight on gold words
  double shift_left = 0,
         shift_right = 0;  // AER over content words had every row looked one source word further left / right
  std::vector<std::pair<std::string, double>> by_family;  // exact match
};
SetFigures measure(const nn::Translator& translator, const HeldOut& set);

// One moment of training: the showcase sentence's alignment.
struct Moment {
  int64_t epoch = 0;
  std::vector<float> weights;
};

// Rows: target words and the end mark. Columns: source words and the end mark.
report::Lines draw(const nn::Translation& t, const std::string& title, const io::Console& console);

struct ReportInput {
  const TranslateData& data;
  const nn::Translator& translator;
  std::vector<SetFigures> figures;
  std::vector<nn::EpochRecord> history;
  std::vector<Moment> moments;
};
void write_report(const std::string& path, const ReportInput& input);

// History and moments travel inside the checkpoint, so that a reused model shows the same report.
std::string to_json(const std::vector<nn::EpochRecord>& history, const std::vector<Moment>& moments);
void from_json(const std::string& json, const std::string& what, std::vector<nn::EpochRecord>& history,
               std::vector<Moment>& moments);

}  // namespace heed::app
