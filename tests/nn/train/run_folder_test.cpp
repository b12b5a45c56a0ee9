// The folder of a run: one trainer at a time, records that are cut back, nothing is left of a killed one.
#include "nn/train/run_folder.h"

#include "nn/io/file.h"
#include "tests/nn/io/support.h"
#include "tests/nn/support.h"

using namespace heed;
using namespace heed::nn_test;
using heed::io_test::Folder;

TEST_CASE("one trainer at a time: the lock ends with its owner, and temporaries of a killed one go") {
  Folder folder;
  std::string path = folder / "run";
  {
    nn::RunFolder first(path);
    CHECK(message_of<IoError>([&] { nn::RunFolder second(path); }) ==
          "train: a folder takes one writer at a time; got \"" + path +
              "\", where another is at work; hint: --out names another folder");
    io::atomic_write(first.file(".heed-0123456789abcdef.tmp"), "half");
    io::atomic_write(first.file("other.tmp"), "whole");
  }
  nn::RunFolder next(path);
  CHECK_FALSE(next.has(".heed-0123456789abcdef.tmp"));
  CHECK(next.has("other.tmp"));
}

TEST_CASE("records are cut back to a step; a torn last line goes, any other is an error") {
  Folder folder;
  nn::RunFolder run(folder / "run");
  CHECK(run.lines("r").empty());
  run.cut("r", 5);  // no record yet
  for (int step : {1, 4, 5, 6}) run.append("r", io::Json::object({{"step", step}, {"x", "a\nb"}}));
  std::string whole = io::read_file(run.file("r"));
  io::atomic_write(run.file("r"), whole + "{\"step\":7,");
  CHECK(run.lines("r").size() == 4);
  run.cut("r", 5);
  std::vector<io::Json> left = run.lines("r");
  REQUIRE(left.size() == 3);
  CHECK(left.back().integer("step") == 5);
  CHECK(io::read_file(run.file("r")) == whole.substr(0, whole.rfind("{")));
  run.cut("r", -1);
  CHECK(run.lines("r").empty());
  io::atomic_write(run.file("r"), "{\"step\":7,\n{\"step\":8}\n");
  CHECK_THROWS_AS(run.cut("r", 9), IoError);
}
