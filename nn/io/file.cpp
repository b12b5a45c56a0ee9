#include "nn/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <system_error>

#include "nn/io/temporary.h"
#include "tensor/error.h"

namespace heed::io {

namespace fs = std::filesystem;

namespace {

std::string reason(int error) { return std::generic_category().message(error); }

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

// Resolves a symbolic link, so that the file it points to is replaced and not the link.
std::string behind_links(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_symlink(path, ignored)) return path;
  fs::path target = fs::weakly_canonical(path, ignored);
  return target.empty() ? path : target.string();
}

bool sync(int file) {
  // Pipes and some file systems do not support fsync. The write may still have succeeded.
  return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

// Opens a regular file. O_NONBLOCK: open must not wait for the other end of a pipe.
int open_regular(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) cannot_read(path, errno);
  struct stat info {};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) return file;
  close(file);
  if (S_ISDIR(info.st_mode)) cannot_read(path, EISDIR);
  throw IoError(fmt::format("read: the file must be a regular one; got \"{}\", a pipe or a device", path));
}

}  // namespace

void cannot_read(const std::string& path, int error) {
  throw IoError(fmt::format("read: cannot read \"{}\": {}", path, reason(error)));
}

void cannot_write(const std::string& path, int error) {
  throw IoError(fmt::format("write: cannot write \"{}\": {}", path, reason(error)));
}

void cannot_make_folder(const std::string& path, int error) {
  if (error == EEXIST)
    throw IoError(fmt::format("write: cannot make the folder \"{}\": a file of that name is in the way", path));
  throw IoError(fmt::format("write: cannot make the folder \"{}\": {}", path, reason(error)));
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(path_) {
  if (path_.empty()) throw IoError("write: a file name must not be empty; got \"\"");
  // /dev/stdout may be a link to a file of the user, which must not be replaced. /dev/shm is an ordinary folder.
  bool device = (starts_with(path_, "/dev/") && !starts_with(path_, "/dev/shm/")) || starts_with(path_, "/proc/");
  if (!device) target_ = behind_links(path_);
  struct stat info {};
  bool exists = stat(target_.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) fail(errno);  // for example a loop of links, which must not be replaced
  if (exists && S_ISDIR(info.st_mode)) fail(EISDIR);
  if (device || (exists && !S_ISREG(info.st_mode))) {
    file_ = open(target_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  std::string folder = fs::path(target_).parent_path().string();
  clear_temporaries(folder, false);
  Temporary made = create_temporary(folder);
  if (made.file < 0) fail(errno);
  temporary_ = made.path, file_ = made.file;
  if (exists && fchmod(file_, info.st_mode & 07777) != 0) errno = 0;  // keep the old mode if the system allows it
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
  cannot_write(path_, error);
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
  // close() may report an error, so it comes before the rename. A second descriptor keeps the lock until then.
  int lock = temporary_.empty() ? -1 : dup(file_);
  int closed = close(file_), error = errno;
  file_ = -1;
  if (closed == 0 || error == EINTR) error = 0;
  if (error == 0 && !temporary_.empty() && rename(temporary_.c_str(), target_.c_str()) != 0) error = errno;
  if (lock >= 0) close(lock);
  if (error != 0) fail(error);
  if (temporary_.empty()) return;
  temporary_.clear();
  // The rename changes the folder, so flush the folder too, if the system supports that.
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

std::string read_file(const std::string& path) { return read_start(path, std::numeric_limits<std::size_t>::max()); }

std::string read_start(const std::string& path, std::size_t bytes) {
  int file = open_regular(path);
  struct stat info {};
  std::string contents;
  if (fstat(file, &info) == 0) contents.reserve(std::min(bytes, static_cast<std::size_t>(info.st_size)));
  char buffer[1 << 16];
  while (contents.size() < bytes) {
    ssize_t count = read(file, buffer, std::min(sizeof buffer, bytes - contents.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      int error = errno;
      close(file);
      cannot_read(path, error);
    }
    if (count == 0) break;
    contents.append(buffer, static_cast<std::size_t>(count));
  }
  close(file);
  return contents;
}

void make_folder(const std::string& path) {
  if (path.empty()) throw IoError("write: a folder name must not be empty; got \"\"");
  std::error_code error, ignored;
  fs::create_directories(path, error);
  if (!error && fs::is_directory(path, error)) return;
  bool in_the_way = fs::exists(path, ignored) && !fs::is_directory(path, ignored);
  cannot_make_folder(path, in_the_way ? EEXIST : error.value());
}

bool exists(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0) return true;
  if (errno != ENOENT && errno != ENOTDIR) cannot_read(path, errno);
  return false;
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return exists(path) && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace heed::io
