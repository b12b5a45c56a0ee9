#include "nn/train/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "nn/io/file.h"
#include "tensor/error.h"

namespace heed::nn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int error) {
  throw IoError(fmt::format("write: cannot write \"{}\": {}", path, std::generic_category().message(error)));
}

// The complete lines of a file, without their newlines. Text after the last newline is left out.
std::vector<std::string> whole_lines(const std::string& path) {
  std::vector<std::string> out;
  if (!fs::exists(path)) return out;
  std::string text = io::read_file(path);
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    out.push_back(text.substr(begin, end - begin));
  return out;
}

}  // namespace

RunFolder::RunFolder(std::string path) : path_(std::move(path)) {
  io::make_folder(path_);
  std::string name = file("lock");
  lock_ = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail(name, errno);
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    int error = errno;
    close(lock_);
    if (error != EWOULDBLOCK) fail(name, error);
    throw IoError(
        fmt::format("train: a folder takes one trainer at a time; got \"{}\", where another is at work", path_));
  }
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path_, ignored)) {
    std::string left = entry.path().filename().string();
    if (left.starts_with(".heed-") && left.ends_with(".tmp")) fs::remove(entry.path(), ignored);
  }
}

RunFolder::~RunFolder() { close(lock_); }

bool RunFolder::has(const std::string& name) const { return fs::exists(file(name)); }

void RunFolder::append(const std::string& name, const io::Json& line) const {
  std::string path = file(name), text = line.dump() + "\n";
  int out = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (out < 0) fail(path, errno);
  ssize_t written = write(out, text.data(), text.size());
  int error = written < 0 ? errno : ENOSPC;
  close(out);
  if (written != std::ssize(text)) fail(path, error);
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
