// A file is whole or not there. A path below a regular file and a full device stand for folders that cannot be written:
// permissions would not stop a test that runs as root.
#include "nn/io/file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tensor/error.h"

using namespace heed::io;
namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() : path((fs::temp_directory_path() / ("heed_file_test_" + std::to_string(getpid()))).string()) {
    fs::remove_all(path);
    make_folder(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  std::string path;
};

}  // namespace

TEST_CASE("atomic_write writes all bytes, replaces, and leaves no temporary") {
  Folder folder;
  std::string path = folder.path + "/a.txt", large(3000000, 'x');
  large[1000] = '\0';
  atomic_write(path, "first");
  CHECK(read_file(path) == "first");
  atomic_write(path, large);
  CHECK(read_file(path) == large);
  atomic_write(path, "");
  CHECK(read_file(path).empty());
  CHECK(folder.count() == 1);
}

TEST_CASE("mode and links of the old file stay") {
  Folder folder;
  atomic_write(folder.path + "/real", "1");
  fs::permissions(folder.path + "/real", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("real", folder.path + "/link");
  atomic_write(folder.path + "/link", "2");
  CHECK(fs::is_symlink(folder.path + "/link"));
  CHECK(read_file(folder.path + "/real") == "2");
  CHECK(fs::status(folder.path + "/real").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("what is not committed never appears") {
  Folder folder;
  atomic_write(folder.path + "/a", "old");
  {
    AtomicFile file(folder.path + "/a");
    file.write("half of the n");
  }
  CHECK(read_file(folder.path + "/a") == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("failures are sentences") {
  Folder folder;
  std::string file = folder.path + "/plain";
  atomic_write(file, "x");
  CHECK_THROWS_WITH_AS(atomic_write(file + "/below", "y"),
                       ("write: cannot write \"" + file + "/below\": Not a directory").c_str(), heed::IoError);
  CHECK_THROWS_WITH_AS(atomic_write(folder.path, "y"),
                       ("write: cannot write \"" + folder.path + "\": Is a directory").c_str(), heed::IoError);
  CHECK_THROWS_WITH_AS(read_file(folder.path), ("read: cannot read \"" + folder.path + "\": Is a directory").c_str(),
                       heed::IoError);
  CHECK_THROWS_WITH_AS(read_file(file + "2"),
                       ("read: cannot read \"" + file + "2\": No such file or directory").c_str(), heed::IoError);
  CHECK_THROWS_WITH_AS(make_folder(file),
                       ("write: cannot make the folder \"" + file + "\": a file of that name is in the way").c_str(),
                       heed::IoError);
  CHECK_THROWS_AS(make_folder(file + "/below"), heed::IoError);
  CHECK(folder.count() == 1);
}

TEST_CASE("devices are written to and never replaced") {
  if (fs::is_directory("/dev/shm")) {  // a folder for files, as its name does not say
    const std::string path = "/dev/shm/heed-file-" + std::to_string(getpid());
    atomic_write(path, "kept");
    CHECK(read_file(path) == "kept");
    fs::remove(path);
  }
  atomic_write("/dev/null", "gone");
  CHECK(fs::is_character_file("/dev/null"));
  if (fs::exists("/dev/full")) {
    CHECK_THROWS_AS(atomic_write("/dev/full", "y"), heed::IoError);
    CHECK(fs::is_character_file("/dev/full"));
  }
}
