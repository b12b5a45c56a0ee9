#include "nn/train/run_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "nn/io/file.h"

namespace heed::nn {
namespace {

// The complete lines of a file, without their newlines. Text after the last newline is left out.
std::vector<std::string> whole_lines(const std::string& path) {
  std::vector<std::string> out;
  if (!io::exists(path)) return out;
  std::string text = io::read_file(path);
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    out.push_back(text.substr(begin, end - begin));
  return out;
}

}  // namespace

io::FolderKind training_run() {
  return {.command = "train",
          .owner = "heed train",
          .files = {"config.json", "metrics.jsonl", "samples.jsonl", "last.safetensors", "model.safetensors",
                    "report.html", "figures.json"}};
}

RunFolder::RunFolder(const std::string& path, const io::FolderKind& kind) : folder_(path, kind) {}

bool RunFolder::has(const std::string& name) const { return io::exists(file(name)); }

void RunFolder::append(const std::string& name, const io::Json& line) const {
  std::string path = file(name), text = line.dump() + "\n";
  int out = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC, 0666);
  if (out < 0) io::cannot_write(path, errno);
  ssize_t written = write(out, text.data(), text.size());
  int error = written < 0 ? errno : ENOSPC;
  close(out);
  if (written != std::ssize(text)) io::cannot_write(path, error);
}

void RunFolder::cut(const std::string& name, int64_t step) const {
  if (!has(name)) return;
  std::string kept;
  for (const std::string& line : whole_lines(file(name)))
    if (io::parse(line, file(name)).integer("step") <= step) kept += line + "\n";
  if (kept != io::read_file(file(name))) io::atomic_write(file(name), kept);
}

std::vector<io::Json> RunFolder::lines(const std::string& name) const {
  std::vector<io::Json> out;
  for (const std::string& line : whole_lines(file(name))) out.push_back(io::parse(line, file(name)));
  return out;
}

}  // namespace heed::nn
