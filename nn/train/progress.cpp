#include "nn/train/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <vector>

namespace heed::nn {

namespace {

constexpr double redraw_seconds = 0.1;

// Number of columns of UTF-8 text, assuming one per code point: labels and notes here are short plain text.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The beginning of the text, at most `limit` columns. A number that does not fit whole is left out.
std::string cut(const std::string& text, std::size_t limit) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) == 0x80 || seen++ != limit) continue;
    auto of_number = [&](std::size_t at) {
      return std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '.';
    };
    std::size_t begin = i;
    while (begin > 0 && of_number(i) && of_number(begin - 1)) --begin;
    return text.substr(0, text.find_first_of("0123456789", begin) < i ? begin : i);
  }
  return text;
}

std::string bar(double share, std::size_t width, const io::Console& console) {
  std::size_t halves = static_cast<std::size_t>(std::lround(share * 2.0 * static_cast<double>(width)));
  std::string filled, rest;
  for (std::size_t i = 0; i < width; ++i) {
    if (console.unicode) {
      if (2 * i + 2 <= halves) {
        filled += "━";
      } else {
        rest += 2 * i + 1 <= halves ? "╸" : "─";
      }
    } else {
      (2 * i + 2 <= halves ? filled : rest) += 2 * i + 2 <= halves ? '=' : '-';
    }
  }
  if (!console.unicode) return "[" + filled + rest + "]";
  if (!console.colour) return filled + rest;
  bool half = rest.rfind("╸", 0) == 0;
  std::size_t split = half ? std::string("╸").size() : 0;
  return "\x1b[36m" + filled + rest.substr(0, split) + "\x1b[90m" + rest.substr(split) + "\x1b[0m";
}

}  // namespace

std::string short_time(double seconds) {
  if (!(seconds < 360000.0)) return "99:59:59";
  auto whole = static_cast<std::int64_t>(std::ceil(std::max(seconds, 0.0)));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string short_count(double value) {
  constexpr const char* suffixes[] = {"", "k", "M", "G", "T"};
  std::size_t step = 0;
  while (std::abs(value) >= 999.5 && step < 4) {
    value /= 1000.0;
    ++step;
  }
  if (step == 0 && std::abs(value) >= 10.0) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}{}", value, suffixes[step]);
}

std::string progress_line(const ProgressState& state, const io::Console& console) {
  double share =
      state.total > 0 ? std::clamp(static_cast<double>(state.done) / static_cast<double>(state.total), 0.0, 1.0) : 0;
  std::string percent =
      state.total > 0 ? fmt::format("{:3.0f}%", std::floor(share * 100.0)) : fmt::format("{}", state.done);
  std::string loss = state.has_loss ? fmt::format("loss {:.4g}", state.loss) : "";
  std::string rate = state.rate > 0 ? fmt::format("{} {}/s", short_count(state.rate), state.unit) : "";
  std::string left = state.seconds_left >= 0 ? short_time(state.seconds_left) + " left" : "";

  std::size_t limit = static_cast<std::size_t>(std::max(console.width - 1, 1));
  std::size_t frame = console.unicode ? 0 : 2, bar_width = state.total > 0 ? 30 + frame : 0;
  auto total_width = [&] {
    std::size_t width = 0;
    for (const std::string& part : {state.label, percent, loss, rate, left})
      width += part.empty() ? 0 : columns(part) + 2;
    return width + (bar_width > 0 ? bar_width + 2 : 0) - 2;
  };
  while (bar_width > 10 + frame && total_width() > limit) --bar_width;
  if (total_width() > limit) rate.clear();
  if (total_width() > limit) bar_width = 0;
  if (total_width() > limit) left.clear();

  std::string line = state.label;
  auto add = [&](const std::string& part) {
    if (!part.empty()) line += (line.empty() ? "" : "  ") + part;
  };
  std::size_t width = total_width();
  if (width > limit) {  // there is no room even for label, percentage and loss
    line = cut(line, limit);
    for (const std::string& part : {percent, loss})
      if (columns(line) + 2 + columns(part) <= limit) add(part);
    return line;
  }
  if (bar_width > 0) add(bar(share, bar_width - frame, console));
  add(percent);
  add(loss);
  add(rate);
  add(left);
  if (width + 2 + columns(state.note) <= limit) add(state.note);
  return line;
}

Progress::Progress(std::int64_t steps, ProgressOptions options) : options_(std::move(options)) {
  if (!options_.clock) {
    options_.clock = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
  }
  state_.label = options_.label;
  state_.unit = options_.unit;
  state_.total = std::max<std::int64_t>(steps, 0);
  state_.done = first_ = options_.done;
  start_ = drawn_ = options_.clock();
  if (console().terminal) drawn_ = -INFINITY;  // so that the first step is shown at once
}

Progress::~Progress() { finish(); }

io::Console Progress::console() const {
  return options_.console ? *options_.console : io::console(fileno(options_.stream));
}

void Progress::step(const Step& step) {
  state_.done += step.steps;
  items_ += step.items;
  if (!std::isnan(step.loss) || state_.has_loss) {
    state_.loss = step.loss;
    state_.has_loss = true;
  }
  double now = options_.clock();
  double elapsed = now - start_;
  if (elapsed > 0) {
    state_.rate = static_cast<double>(items_) / elapsed;
    std::int64_t ours = state_.done - first_, left = std::max<std::int64_t>(state_.total - state_.done, 0);
    state_.seconds_left =
        state_.total > 0 && ours > 0 ? elapsed * static_cast<double>(left) / static_cast<double>(ours) : -1;
  }
  if (now - drawn_ >= (console().terminal ? redraw_seconds : options_.seconds_between)) draw();
}

void Progress::epoch(std::int64_t number, std::int64_t of) {
  if (!console().terminal && state_.done > first_ && drawn_at_ != state_.done) draw();
  state_.label = of > 0 ? fmt::format("epoch {}/{}", number, of) : fmt::format("epoch {}", number);
}

void Progress::note(const std::string& text) { state_.note = text; }

void Progress::draw() {
  io::Console where = console();
  if (where.terminal) {
    std::string line = "\r" + progress_line(state_, where) + "\x1b[K";
    std::fwrite(line.data(), 1, line.size(), options_.stream);
    shown_ = true;
  } else {
    where.width = std::max(where.width, 200);  // a log file has no width limit
    where.unicode = where.colour = false;
    std::string line = progress_line(state_, where) + "\n";
    std::fwrite(line.data(), 1, line.size(), options_.stream);
  }
  std::fflush(options_.stream);
  drawn_ = options_.clock();
  drawn_at_ = state_.done;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", options_.stream);
  std::fflush(options_.stream);
  shown_ = false;
}

void Progress::print(const std::string& line) {
  bool shown = shown_;
  clear();
  std::fputs((line + "\n").c_str(), options_.stream);
  std::fflush(options_.stream);
  if (shown) draw();
}

void Progress::finish() {
  if (finished_) return;
  finished_ = true;
  if (state_.done == first_ && !shown_) return;  // no step was made and nothing was shown
  if (console().terminal) {
    draw();
    std::fputs("\n", options_.stream);
    std::fflush(options_.stream);
    shown_ = false;
  } else if (drawn_at_ != state_.done) {
    draw();
  }
}

}  // namespace heed::nn
