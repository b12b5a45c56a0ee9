// The folder of a training run. One process at a time writes to it, and its logs can be cut back to an earlier step.
//
// clang-format off
//   RunFolder folder("runs/a");             // IoError if another process is writing to it
//   folder.append("metrics.jsonl", line);   // one JSON object per line, each with its step
//   folder.cut("metrics.jsonl", 1200);      // resumed at step 1200: removes the later lines
// clang-format on
//
// The folder is an OwnedFolder of `heed train` (nn/io/owned_folder.h): it is marked and locked, and temporary files of
// killed processes are deleted.
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"
#include "nn/io/owned_folder.h"

namespace heed::nn {

io::FolderKind training_run();  // the kind of folder that `heed train` writes

class RunFolder {
 public:
  // Creates the folder if it does not exist. Another command with logs of this kind passes its own `kind`.
  explicit RunFolder(const std::string& path, const io::FolderKind& kind = training_run());

  std::string file(const std::string& name) const { return folder_.file(name); }
  bool has(const std::string& name) const;

  // IoError if the line cannot be written completely. The next cut then removes the partial line.
  void append(const std::string& name, const io::Json& line) const;
  // Keeps the lines with a "step" of at most `step`. Removes an incomplete last line; any other bad line is an IoError.
  void cut(const std::string& name, int64_t step) const;
  std::vector<io::Json> lines(const std::string& name) const;  // empty if there is no such file

 private:
  io::OwnedFolder folder_;
};

}  // namespace heed::nn
