// The line of the progress bar, pinned; a terminal that redraws, a log that does not; and what a terminal can show.
#include "nn/train/progress.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace heed::nn;
using heed::io::Console;
using heed::io::console_from;

namespace {

std::size_t columns(const std::string& line) {
  std::size_t count = 0;
  bool escape = false;
  for (char c : line) {
    if (c == '\x1b') escape = true;
    if (!escape && (c & 0xC0) != 0x80) ++count;
    if (escape && c == 'm') escape = false;
  }
  return count;
}

struct Recorder {  // a stream that is read back
  std::FILE* stream = std::tmpfile();
  ~Recorder() { std::fclose(stream); }
  std::string text() {
    std::string all;
    std::rewind(stream);
    for (int c = std::fgetc(stream); c != EOF; c = std::fgetc(stream)) all += static_cast<char>(c);
    return all;
  }
};

Console plain_console(const std::map<std::string, std::string>& environment, int columns_told = 0) {
  return console_from(true, columns_told, 0, [&](const std::string& name) {
    auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  });
}

}  // namespace

TEST_CASE("one line, wide and narrow") {
  ProgressState state{.label = "epoch 3/12",
                      .done = 52,
                      .total = 100,
                      .loss = 1.2345678,
                      .has_loss = true,
                      .rate = 12345,
                      .unit = "tokens",
                      .seconds_left = 41.2,
                      .note = "exact 93 %"};
  CHECK(progress_line(state, {.unicode = false, .width = 120}) ==
        "epoch 3/12  [===============---------------]   52%  loss 1.235  12.3k tokens/s  0:42 left  exact 93 %");
  CHECK(progress_line(state, {.unicode = true, .width = 80}) ==
        "epoch 3/12  ━━━━━━━━━━━╸──────────   52%  loss 1.235  12.3k tokens/s  0:42 left");
  CHECK(progress_line(state, {.unicode = true, .width = 50}) == "epoch 3/12   52%  loss 1.235  0:42 left");
  CHECK(progress_line(state, {.unicode = true, .width = 12}) == "epoch 3/12");
  CHECK(progress_line(state, {.unicode = true, .width = 11}) == "epoch 3/12");
  CHECK(progress_line(state, {.unicode = true, .width = 10}) == "epoch 3/");  // and not 3/1
  CHECK(progress_line(state, {.unicode = true, .width = 17}) == "epoch 3/12   52%");
  CHECK(progress_line(state, {.unicode = true, .width = 26}) == "epoch 3/12   52%");  // and not loss 1.2
  CHECK(progress_line(state, {.colour = true, .unicode = true, .width = 80}).find("\x1b[36m━") != std::string::npos);
}

TEST_CASE("never wider than the terminal") {
  ProgressState state{.label = "fine-tuning the décodeur",
                      .done = 3,
                      .total = 7,
                      .loss = -1e-7,
                      .has_loss = true,
                      .rate = 5e7,
                      .unit = "tokens",
                      .seconds_left = 1e9,
                      .note = "a note that goes on and on"};
  for (int width = 1; width < 200; ++width) {
    for (bool unicode : {false, true}) {
      CAPTURE(width);
      Console console{.colour = unicode, .unicode = unicode, .width = width};
      CHECK(columns(progress_line(state, console)) <= static_cast<std::size_t>(std::max(width - 1, 1)));
    }
  }
}

TEST_CASE("times and counts") {
  CHECK(short_time(0) == "0:00");
  CHECK(short_time(59.2) == "1:00");
  CHECK(short_time(725) == "12:05");
  CHECK(short_time(11220) == "3:07:00");
  CHECK(short_time(1e300) == "99:59:59");
  CHECK(short_count(950) == "950");
  CHECK(short_count(12345) == "12.3k");
  CHECK(short_count(4.56e6) == "4.56M");
  CHECK(short_count(0.25) == "0.25");
}

TEST_CASE("a terminal is redrawn at most ten times a second") {
  Recorder recorder;
  double now = 0;
  {
    Progress progress(100,
                      {.stream = recorder.stream, .console = Console{.terminal = true}, .clock = [&] { return now; }});
    for (int i = 0; i < 100; ++i) {
      now += 0.01;
      progress.step({.loss = 1.0 / (i + 1), .items = 10});
    }
  }
  std::string text = recorder.text();
  auto draws = std::count(text.begin(), text.end(), '\r');
  CHECK(draws >= 9);
  CHECK(draws <= 12);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(text.find("step  [==============================]  100%  loss 0.01  1k items/s  0:00 left\x1b[K\n") !=
        std::string::npos);
}

TEST_CASE("a terminal shows the first step at once") {
  Recorder recorder;
  Progress progress(100, {.stream = recorder.stream, .console = Console{.terminal = true}, .clock = [] { return 7; }});
  progress.step({.loss = 1, .items = 10});
  CHECK(recorder.text().find("loss 1") != std::string::npos);
}

TEST_CASE("a line of a log is not cut to the width of a terminal") {
  Recorder recorder;
  {
    Progress progress(1, {.stream = recorder.stream, .console = Console{.width = 30}, .clock = [] { return 7; }});
    progress.note("a note of forty-two characters, to the end");
    progress.step({.loss = 1, .items = 10});
  }
  CHECK(recorder.text().find("[==============================]  100%  loss 1  a note of") != std::string::npos);
  CHECK(recorder.text().find("to the end\n") != std::string::npos);
}

TEST_CASE("a log gets plain lines: every few seconds, at each epoch, at the end") {
  Recorder recorder;
  double now = 0;
  {
    Progress progress(12,
                      {.unit = "words", .stream = recorder.stream, .console = Console{.unicode = true}, .clock = [&] {
                         return now;
                       }});
    for (int e = 1; e <= 2; ++e) {
      progress.epoch(e, 2);
      for (int i = 0; i < 6; ++i) {
        now += 1;
        progress.step({.loss = 2, .items = 5});
      }
    }
    progress.print("validation loss 1.9");
  }
  CHECK(recorder.text() ==
        "epoch 1/2  [============------------------]   41%  loss 2  5 words/s  0:07 left\n"
        "epoch 1/2  [===============---------------]   50%  loss 2  5 words/s  0:06 left\n"
        "epoch 2/2  [===========================---]   91%  loss 2  5 words/s  0:01 left\n"
        "validation loss 1.9\n"
        "epoch 2/2  [==============================]  100%  loss 2  5 words/s  0:00 left\n");
}

TEST_CASE("a loss that became NaN is shown") {
  Recorder recorder;
  {
    Progress progress(2, {.stream = recorder.stream, .console = Console{}});
    progress.step({.loss = 1.0});
    progress.step({.loss = std::nan("")});
  }
  CHECK(recorder.text().find("loss nan") != std::string::npos);
}

TEST_CASE("what a terminal can show") {
  Console full = plain_console({{"LANG", "de_DE.UTF-8"}, {"TERM", "xterm-256color"}}, 132);
  CHECK(full.terminal);
  CHECK(full.colour);
  CHECK(full.unicode);
  CHECK(full.width == 132);
  CHECK_FALSE(plain_console({{"NO_COLOR", "1"}}).colour);
  CHECK(plain_console({{"NO_COLOR", ""}}).colour);
  CHECK_FALSE(plain_console({{"TERM", "dumb"}}).terminal);
  CHECK_FALSE(plain_console({}).unicode);
  CHECK_FALSE(plain_console({{"LC_ALL", "C"}, {"LANG", "en_US.UTF-8"}}).unicode);
  CHECK(plain_console({{"LC_ALL", ""}, {"LC_CTYPE", "C.utf8"}}).unicode);
  CHECK(plain_console({{"COLUMNS", "61"}}).width == 61);
  CHECK(plain_console({{"COLUMNS", "-4"}}).width == 80);
  CHECK(plain_console({{"COLUMNS", "99999999999"}}).width == 80);
}
