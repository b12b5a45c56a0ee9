// Every layout of a user's file, and every way in which one can be wrong, with its sentence.
#include "nn/text/reading.h"

#include <fmt/format.h>

#include <sstream>

#include "tests/nn/text/support.h"

using namespace heed;
using namespace heed::text;
using text_test::Folder;
using text_test::message_of;

namespace {

using Lines = std::vector<std::string>;
using heed::bad_input::refuses;

std::string joined(const Pairs& read) {
  std::string result;
  for (const SentencePair& pair : read.pairs) result += pair.source + "=" + pair.target + "|";
  return result;
}

}  // namespace

TEST_CASE("reading: lines of Unix and Windows, with and without mark and last line end") {
  Folder folder;
  for (const char* text :
       {"un\ndeux\n\ntrois\n", "un\ndeux\n\ntrois", "un\r\ndeux\r\n\r\ntrois\r\n", "\xEF\xBB\xBFun\ndeux\n\ntrois\n"})
    CHECK(read_lines(folder.file("a.txt", text)) == Lines{"un", "deux", "", "trois"});
  CHECK(read_lines(folder.file("a.txt", "\n")) == Lines{""});
  CHECK(read_lines(folder.file("a.txt", "a\rb\n\xEF\xBB\xBFx\n")) == Lines{"a\rb", "\xEF\xBB\xBFx"});  // inside: kept
  CHECK(read_lines(folder.file("a.txt", "a\nb\n\xFF"), {.limit = 2}) == Lines{"a", "b"});
}

TEST_CASE("reading: pairs, further columns ignored, blank sides left out and counted") {
  Folder folder;
  Pairs read =
      read_pairs(folder.file("p.tsv", "Go.\tVa !\tCC-BY 2.0\tx\nHi.\tSalut !\r\n\n \t \nx\t\n\ty\nRun!\tCours !"));
  CHECK(joined(read) == "Go.=Va !|Hi.=Salut !|Run!=Cours !|");
  CHECK(read.blank == 4);
  CHECK(joined(read_pairs(folder.file("p.tsv", "a\tb\n\nc\td\nspoilt\n"), {.limit = 2})) == "a=b|c=d|");
}

TEST_CASE("reading: parallel files, blank lines left out in pairs") {
  Folder folder;
  std::string en = folder.file("en", "one\n\nthree\nfour\n"), fr = folder.file("fr", "un\ndeux\n\nquatre");
  Pairs read = read_parallel(en, fr);
  CHECK(joined(read) == "one=un|four=quatre|");
  CHECK(read.blank == 2);
  CHECK(joined(read_parallel(en, fr, {.limit = 1})) == "one=un|");
}

TEST_CASE("reading: pairs one at a time, and a mistake only where it stands") {
  Folder folder;
  std::string en = folder.file("en", "one\n\nthree\nfour\n"), fr = folder.file("fr", "un\ndeux\ntrois\nqu\xE9\n");
  PairFile file(en, fr);
  SentencePair pair;
  REQUIRE(file.next(pair));
  CHECK(pair.source + "=" + pair.target == "one=un");
  CHECK(file.blank() == 0);
  REQUIRE(file.next(pair));
  CHECK(pair.source + "=" + pair.target == "three=trois");
  CHECK(file.blank() == 1);
  CHECK(file.pairs() == 2);
  CHECK(message_of<IoError>([&] { file.next(pair); }) ==
        fmt::format("read: text must be UTF-8; got byte 0xE9 in line 4 of \"{}\", byte 3; if the file is Latin-1, "
                    "convert it with iconv -f LATIN1 -t UTF-8",
                    fr));

  PairFile columns(folder.file("p.tsv", "a\tb\n \t\nspoilt\n"));
  CHECK(columns.next(pair));
  CHECK(message_of<IoError>([&] { columns.next(pair); }) ==
        fmt::format("read: every line must be source TAB target; got one column in line 3 of \"{}\": \"spoilt\"",
                    folder.path("p.tsv")));
  CHECK(columns.blank() == 1);

  PairFile longer(en, folder.file("short", "one\n"));
  CHECK(longer.next(pair));
  CHECK(message_of<IoError>([&] { longer.next(pair); }) ==
        fmt::format("read: parallel files must have the same number of lines; got 4 in \"{}\" and 1 in \"{}\"", en,
                    folder.path("short")));

  PairFile limited(en, folder.file("fr2", "un\ndeux\ntrois\n"), {.limit = 2});
  CHECK((limited.next(pair) && limited.next(pair)));
  CHECK_FALSE(limited.next(pair));  // the unequal end is never reached
  CHECK_FALSE(limited.next(pair));
  PairFile whole(folder.file("whole.tsv", "a\tb"));
  CHECK(whole.next(pair));
  CHECK_FALSE(whole.next(pair));
  CHECK_FALSE(whole.next(pair));
  LineFile lines(en);
  std::string line;
  CHECK((lines.next(line) && lines.next(line)));
  CHECK(line.empty());
  CHECK(lines.line_number() == 2);
}

TEST_CASE("reading: files that cannot be opened") {
  Folder folder;
  std::string missing = folder.path("missing.tsv"), here = folder.path("."), file = folder.file("a.txt", "a\tb\n");
  auto not_there =
      fmt::format("read: the file must exist and be readable; got \"{}\" (No such file or directory)", missing);
  CHECK(message_of<IoError>([&] { read_lines(missing); }) == not_there);
  CHECK(message_of<IoError>([&] { read_pairs(missing); }) == not_there);
  CHECK(message_of<IoError>([&] { read_parallel(missing, file); }) == not_there);
  CHECK(message_of<IoError>([&] { read_parallel(file, missing); }) == not_there);
  CHECK(message_of<IoError>([&] { read_lines(here); }) ==
        fmt::format("read: a file is needed; got the folder \"{}\"", here));
  CHECK(message_of<IoError>([&] { read_lines(file + "/x"); }) ==
        fmt::format("read: the file must exist and be readable; got \"{}/x\" (Not a directory)", file));
  if (geteuid() == 0) {
    MESSAGE("skipped: the administrator may read every file");
  } else {
    std::filesystem::permissions(file, std::filesystem::perms::none);
    CHECK(message_of<IoError>([&] { read_lines(file); }) ==
          fmt::format("read: the file must exist and be readable; got \"{}\" (Permission denied)", file));
  }
}

TEST_CASE("reading: a read that fails half-way") {
  if (!std::filesystem::exists("/proc/self/mem")) return;  // Linux: opens, but address 0 cannot be read
  refuses<IoError>("read: readable got 0 /proc/self/mem", [] { read_lines("/proc/self/mem"); });
}

TEST_CASE("reading: text in another encoding, and binary files") {
  Folder folder;
  std::string latin = folder.file("latin", "ok\ncaf\xE9 noir\n");
  CHECK(message_of<IoError>([&] { read_lines(latin); }) ==
        fmt::format("read: text must be UTF-8; got byte 0xE9 in line 2 of \"{}\", byte 4; if the file is Latin-1, "
                    "convert it with iconv -f LATIN1 -t UTF-8",
                    latin));
  std::string marked = folder.file("marked", "\xEF\xBB\xBFx\xE9");  // columns count from the start of the file's line
  CHECK(message_of<IoError>([&] { read_lines(marked); }).find("in line 1 of") != std::string::npos);
  CHECK(message_of<IoError>([&] { read_lines(marked); }).find(", byte 5;") != std::string::npos);
  std::string wide = folder.file("wide", std::string("\xFF\xFE"
                                                     "a\0b\0",
                                                     6));
  CHECK(message_of<IoError>([&] { read_pairs(wide); }) ==
        fmt::format("read: text must be UTF-8; got UTF-16 in \"{}\"; convert it with iconv -f UTF-16 -t UTF-8", wide));
  std::string binary = folder.file("binary", std::string("ok\nab\0c\n", 8));
  CHECK(message_of<IoError>([&] { read_lines(binary); }) ==
        fmt::format("read: a text file must not hold NUL bytes; got one in line 2 of \"{}\", byte 3", binary));
}

TEST_CASE("reading: a stream is read line by line, an empty one ends at once") {
  std::istringstream stream("un\r\ndeux");
  LineReader reader(stream, "standard input");
  std::string line;
  CHECK(reader.next(line));
  CHECK(line == "un");
  CHECK(reader.line_number() == 1);
  CHECK(reader.next(line));
  CHECK(line == "deux");
  CHECK_FALSE(reader.next(line));
  CHECK_FALSE(reader.next(line));
  CHECK(reader.line_number() == 2);
  std::istringstream nothing("");
  CHECK_FALSE(LineReader(nothing, "standard input").next(line));
}
