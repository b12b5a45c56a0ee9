#include "nn/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tensor/error.h"

namespace heed::io {

namespace fs = std::filesystem;

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

// The file that a symbolic link points to. We replace that file, so the link itself stays.
std::string behind_links(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored)) return path;
  fs::path target = fs::weakly_canonical(path, ignored);
  return target.empty() ? path : target.string();
}

bool sync(int file) {
  // Pipes and some file systems do not support fsync; that does not mean that writing failed.
  return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(path_) {
  if (path_.empty()) throw IoError("write: a file name must not be empty; got \"\"");
  bool device = starts_with(path_, "/dev/") || starts_with(path_, "/proc/");
  if (!device) target_ = behind_links(path_);
  struct stat info {};
  bool exists = stat(target_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) fail(EISDIR);
  if (device || (exists && !S_ISREG(info.st_mode))) {
    file_ = open(target_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  static std::atomic<unsigned> serial{0};
  fs::path folder = fs::path(target_).parent_path();
  temporary_ = (folder / fmt::format(".heed-{}-{}.tmp", getpid(), serial++)).string();
  file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) {
    int error = errno;
    temporary_.clear();  // we did not create it, so discard() must not delete it
    fail(error);
  }
  if (exists && fchmod(file_, info.st_mode & 07777) != 0) errno = 0;  // keep the mode if the system allows it
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (file_ >= 0) close(file_);
  file_ = -1;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::fail(int error) {
  discard();
  throw IoError(fmt::format("write: cannot write \"{}\": {}", path_, reason(error)));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    ssize_t written = ::write(file_, next, std::min(bytes, std::size_t{1} << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  if (!sync(file_)) fail(errno);
  int closed = close(file_);
  file_ = -1;
  if (closed != 0 && errno != EINTR) fail(errno);
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  // The new name is an entry of the folder, so the folder is flushed too if the system supports that.
  std::string folder = fs::path(target_).parent_path().string();
  int handle = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle >= 0) {
    sync(handle);
    close(handle);
  }
}

void atomic_write(const std::string& path, std::string_view contents) {
  AtomicFile file(path);
  file.write(contents);
  file.commit();
}

std::string read_file(const std::string& path) {
  auto fail = [&](int error) { throw IoError(fmt::format("read: cannot read \"{}\": {}", path, reason(error))); };
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(errno);
  struct stat info {};
  std::string contents;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) contents.reserve(static_cast<std::size_t>(info.st_size));
  char buffer[1 << 16];
  while (true) {
    ssize_t count = read(file, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      int error = errno;
      close(file);
      fail(error);
    }
    if (count == 0) break;
    contents.append(buffer, static_cast<std::size_t>(count));
  }
  close(file);
  return contents;
}

void make_folder(const std::string& path) {
  if (path.empty()) throw IoError("write: a folder name must not be empty; got \"\"");
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && fs::is_directory(path, error)) return;
  std::error_code ignored;
  bool in_the_way = fs::exists(path, ignored) && !fs::is_directory(path, ignored);
  std::string why = in_the_way ? "a file of that name is in the way" : error.message();
  throw IoError(fmt::format("write: cannot make the folder \"{}\": {}", path, why));
}

}  // namespace heed::io
