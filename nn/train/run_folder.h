// A folder for a training run: only one trainer uses it at a time, and its logs can be cut back to a step.
//
// clang-format off
//   RunFolder folder("runs/a");             // IoError if another trainer is using it
//   folder.append("metrics.jsonl", line);   // one JSON object per line, each with its step
//   folder.cut("metrics.jsonl", 1200);      // resumed at step 1200: removes the later lines
// clang-format on
//
// The folder belongs to `heed train` (nn/io/owned_folder.h): it is marked as such and locked, and temporary files that
// a killed trainer has left are deleted.
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "nn/io/owned_folder.h"

namespace heed::nn {

io::FolderKind training_run();  // the kind of folder that `heed train` writes

class RunFolder {
 public:
  // Created if it does not exist. `kind`: another command whose results grow line by line or file by file.
  explicit RunFolder(const std::string& path, const io::FolderKind& kind = training_run());

  std::string file(const std::string& name) const { return folder_.file(name); }
  bool has(const std::string& name) const;

  // Writes the whole line. If that fails, IoError says why, and the next cut removes a partial line.
  void append(const std::string& name, const io::Json& line) const;
  // Keeps the lines whose "step" is at most `step`. Removes an incomplete last line; IoError for any other bad line.
  void cut(const std::string& name, int64_t step) const;
  std::vector<io::Json> lines(const std::string& name) const;  // empty if there is no such file

 private:
  io::OwnedFolder folder_;
};

}  // namespace heed::nn
