// One owner for each folder, one writer at a time; temporary files of living and dead writers; what is no plain file.
#include "nn/io/owned_folder.h"

#include <sys/stat.h>

#include <array>
#include <chrono>

#include "nn/io/file.h"
#include "nn/io/temporary.h"
#include "tensor/error.h"
#include "tests/nn/io/support.h"

using namespace heed;
using namespace heed::io;
using heed::io_test::Folder;
using heed::io_test::write_file;
namespace fs = std::filesystem;

namespace {

FolderKind kind_of(const std::string& owner, std::vector<std::string> files = {"report.html", "model.safetensors"}) {
  return {.command = "test", .owner = owner, .files = std::move(files)};
}

// "" if the folder may be written to, otherwise the owner in the refusal, or all of the refusal.
std::string refusal(const std::string& folder, const FolderKind& kind) {
  try {
    require_own(folder, kind);
    return "";
  } catch (const IoError& error) {
    const std::string text = error.what(), before = "belongs to ";
    size_t at = text.find(before);
    return at == std::string::npos ? text : text.substr(at + before.size(), text.find(';', at) - at - before.size());
  }
}

// A page as heed writes it, up to its title.
std::string page(const std::string& title) {
  return "<!doctype html>\n<html lang=\"en\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
         "'none'; "
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n<title>" +
         title + "</title>";
}

}  // namespace

TEST_CASE("owned folder: the first writer is the owner, also of a folder with files of others") {
  Folder box;
  const std::string path = box / "run";
  make_folder(path);
  write_file(path + "/notes.txt", "the user's");
  { OwnedFolder folder(path, kind_of("heed train")); }
  CHECK(read_file(path + "/lock") == "This folder belongs to heed train.\n");
  CHECK(refusal(path, kind_of("heed train")) == "");
  CHECK(refusal(path, kind_of("heed translate")) == "heed train");
  CHECK_THROWS_AS(OwnedFolder(path, kind_of("heed translate")), IoError);
  { OwnedFolder again(path, kind_of("heed train")); }
  CHECK(read_file(path + "/notes.txt") == "the user's");
}

TEST_CASE("owned folder: folders without a mark are recognised by their files") {
  Folder box;
  const std::vector<std::array<std::string, 3>> old = {
      {"config.json", R"({"options": {}})", "heed train"},
      {"league.json", R"({"sizes": {}, "rows": []})", "heed attention --compare"},
      {"result.json", R"({"lesson": "02_derivatives"})", "lesson 02_derivatives"},
      {"report.html", page("heed translate"), "heed translate"},
      {"report.html", page("The museum of bugs"), "heed museum"},
      {"index.html", page("heed: a course on attention"), "heed course"},
      {"model.safetensors", R"(........{"__metadata__":{"heed.complete":"yes","heed.kind":"translator 3"}})",
       "heed translate"},
      {"model.safetensors", R"(........{"__metadata__":{"heed.kind":"translator 3"}})", "heed train"},
      {"model.safetensors", R"(........{"__metadata__":{"heed.kind":"translator 3","heed.mine":"yes"}})",
       "heed translate --mine"},
      {"model.safetensors", R"(........{"__metadata__":{"heed.kind":"sentence encoder 1"}})",
       "lesson 25_cls_and_masked_words"}};
  for (const auto& row : old) {
    CAPTURE(row[1]);
    const auto& [name, text, owner] = row;
    const std::string path = box / "old";
    make_folder(path);
    write_file(path + "/" + name, text);
    CHECK(refusal(path, kind_of("somebody else")) == owner);
    CHECK(refusal(path, kind_of(owner, {name})) == "");
    fs::remove_all(path);
  }
}

TEST_CASE("owned folder: files that heed did not write are never replaced") {
  Folder box;
  const std::string path = box / "mine";
  make_folder(path);
  for (const char* text : {"", "<p>mine</p>", "<!doctype html>\n<title>heed translate</title>"}) {
    write_file(path + "/report.html", text);
    CHECK(refusal(path, kind_of("heed translate")) == "test: a file that heed did not write is never replaced; got \"" +
                                                          path + "/report.html\"; hint: --out names another folder");
  }
  CHECK(refusal(path, kind_of("heed translate", {"other.html"})) == "");
  write_file(path + "/report.html", page("a page whose title tells no command"));
  CHECK(refusal(path, kind_of("heed translate")) == "");
  write_file(path + "/lock", "the user's");
  CHECK(refusal(path, kind_of("heed translate")).find("/lock\"") != std::string::npos);
  FolderKind unmarked = kind_of("");
  unmarked.marked = false;
  { OwnedFolder folder(path, unmarked); }
  CHECK(read_file(path + "/lock") == "the user's");
}

TEST_CASE("owned folder: a failed start leaves nothing, and the next writer may begin") {
  Folder box;
  const std::string path = box / "new";
  require_own(path, kind_of("heed museum"));
  CHECK_FALSE(exists(path));
  FolderKind unmarked = kind_of("");
  unmarked.marked = false;
  for (const FolderKind& kind : {kind_of("heed museum"), unmarked}) {
    {
      OwnedFolder first(path, kind);
      CHECK(refusal(path, kind).find("where another is at work") != std::string::npos);
      CHECK_THROWS_AS(OwnedFolder(path, kind), IoError);
    }
    OwnedFolder second(path, kind);
  }
}

TEST_CASE("temporary files: names differ, a living writer's stays, a dead writer's goes") {
  Folder box;
  const std::string path = box / "t";
  make_folder(path);
  Temporary living = create_temporary(path), dead = create_temporary(path);
  REQUIRE(living.file >= 0);
  REQUIRE(dead.file >= 0);
  CHECK(living.path != dead.path);
  close(dead.file);
  for (const char* name : {".heed-0123456789abcdef.tmp", ".heed-notes.tmp", "other.tmp"})
    write_file(path + "/" + name, "half");
  clear_temporaries(path, false);  // all of them are young: elsewhere a living writer may look dead
  CHECK(exists(dead.path));
  clear_temporaries(path, true);
  CHECK_FALSE(exists(dead.path));
  CHECK_FALSE(exists(path + "/.heed-0123456789abcdef.tmp"));
  CHECK(exists(path + "/.heed-notes.tmp"));
  CHECK(exists(path + "/other.tmp"));
  CHECK(exists(living.path));
  close(living.file);
  fs::last_write_time(living.path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  atomic_write(path + "/file", "whole");  // every writer clears
  CHECK_FALSE(exists(living.path));
  CHECK(read_file(path + "/file") == "whole");
}

TEST_CASE("files: pipes are refused at once, loops of links are neither followed nor replaced") {
  Folder box;
  const std::string pipe = box / "pipe", loop = box / "loop";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH_AS(read_file(pipe),
                       ("read: the file must be a regular one; got \"" + pipe + "\", a pipe or a device").c_str(),
                       IoError);
  fs::create_symlink("loop", loop);
  CHECK_THROWS_AS(exists(loop), IoError);
  CHECK_THROWS_AS(is_folder(loop), IoError);
  CHECK_THROWS_AS(atomic_write(loop, "x"), IoError);
  CHECK(fs::is_symlink(loop));
  CHECK_THROWS_AS(exists(box / std::string(300, 'x').c_str()), IoError);
  CHECK_FALSE(exists(box / "missing"));
  CHECK_FALSE(exists(pipe + "/below"));
  CHECK(is_folder(box.path.string()));
  write_file(box / "text", "abc");
  CHECK(read_start(box / "text", 2) == "ab");
  CHECK(read_start(box / "text", 9) == "abc");
}
