// What stands on the command line of heed train, and the options of a run that follow from it: a preset, over it the
// options of the run that goes on, over these what is given.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tutorials/app/train_run.h"

namespace heed::app {

struct TrainLine {
  TrainFiles files;
  std::string preset, out;
  bool resume = false, quick = false, shard = false;
  std::optional<int64_t> threads;
  std::vector<std::string> settings;                                      // NAME=VALUE
  std::vector<std::string> attention;                                     // entries of the catalogue
  std::vector<std::pair<std::string, std::optional<std::string>>> named;  // options as given: name, text
};

void parse(int argc, char** argv, TrainLine& line);
// What is given, over these options. InputError for what does not fit together, or would change nothing.
void apply(const TrainLine& line, TrainOptions& options);
void require_possible(const TrainOptions& options);
// The options of the run with this config.json, with what is given; its files, if none are. Only the length and the
// output of a run may change.
TrainOptions resumed(const TrainLine& line, const io::Json& config, TrainFiles& files);
void require_files(const TrainFiles& files);

}  // namespace heed::app
