// A folder for a training run: one trainer at a time, and records that a stopped run can take back.
//
//   RunFolder folder("runs/a");                       // IoError where another trainer holds it
//   folder.append("metrics.jsonl", line);             // one JSON object a line, each with the step it was written at
//   folder.cut("metrics.jsonl", 1200);                // resumed at step 1200: what came later is written again
//
// The lock is flock(2) on the file `lock`, so it ends with its process, however that ends. What a killed trainer had
// begun to write under a temporary name is removed.
#pragma once

#include <string>
#include <vector>

#include "nn/io/json.h"

namespace heed::nn {

class RunFolder {
 public:
  explicit RunFolder(std::string path);  // made where it does not exist
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  bool has(const std::string& name) const;

  // The line is whole in the file, or an IoError says why it is not; half a line is cut off by the next cut.
  void append(const std::string& name, const io::Json& line) const;
  // Keeps the lines whose "step" is at most `step`. A torn last line goes; any other that cannot be read is an IoError.
  void cut(const std::string& name, int64_t step) const;
  std::vector<io::Json> lines(const std::string& name) const;  // none where there is no such file

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace heed::nn
