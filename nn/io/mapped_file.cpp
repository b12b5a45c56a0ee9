#include "nn/io/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "nn/io/file.h"
#include "tensor/error.h"
#include "tensor/placed.h"

namespace heed::io {
namespace {

int64_t bytes_of_file(int file) {
  struct stat about = {};
  return fstat(file, &about) == 0 ? static_cast<int64_t>(about.st_size) : -1;
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) cannot_read(path, errno);
  bytes_ = bytes_of_file(file_);
}

MappedFile::~MappedFile() { close(file_); }

Tensor MappedFile::tensor(int64_t at, const Shape& shape) const {
  const int64_t page = sysconf(_SC_PAGESIZE);
  int64_t bytes = 4;
  for (int64_t size : shape) bytes *= size;
  if (page < 128 || bytes == 0 || at + bytes > bytes_) return {};
  const int64_t first = at / page * page;
  const auto length = static_cast<size_t>(page + at + bytes - first);
  // A page of memory, whose end is the storage, and then pages of the file. The storage cannot lie on those: if the
  // file becomes shorter, the system takes away even the pages that were written to. Private: what training writes is
  // in copies of pages.
  void* memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  auto release = [memory, length] { munmap(memory, length); };
  char* pages = static_cast<char*>(memory) + page;
  Tensor t;
  if (mmap(pages, length - static_cast<size_t>(page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file_,
           static_cast<off_t>(first)) != MAP_FAILED)
    t = placed_tensor(pages - sizeof(Storage), pages + (at - first), shape, DType::f32, release);
  if (!t.defined()) release();
  return t;
}

void MappedFile::read(int64_t at, void* to, int64_t bytes) const {
  for (char* next = static_cast<char*>(to); bytes > 0;) {
    const ssize_t n = pread(file_, next, static_cast<size_t>(bytes), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) cannot_read(path_, errno);
    if (n == 0) require_whole(), cannot_read(path_, EIO);
    next += n, at += n, bytes -= n;
  }
}

void MappedFile::require_whole() const {
  if (const int64_t now = bytes_of_file(file_); now < bytes_)
    throw IoError(
        fmt::format("load: \"{}\": a file of weights must keep its length while its model is in use; got {} "
                    "bytes of {}",
                    path_, now, bytes_));
}

}  // namespace heed::io
