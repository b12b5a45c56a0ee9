// The playground's translator on the command line: it trains the weights that the page embeds, and answers with the
// same functions as the page, so that a test can compare the two.
//
//   heed_playground train OUT.f16 [STEPS]                 trains (all steps by default) and writes the weights as f16
//   heed_playground translate W.f16 SENTENCE [T S SHARE]..
//   heed_playground explain W.f16 SENTENCE KIND STEP AT [T S SHARE]..
//   heed_playground speed STEPS                           steps of training per second on one thread
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "nn/io/file.h"
#include "tensor/error.h"
#include "tensor/thread_pool.h"
#include "tutorials/common/main.h"
#include "tutorials/playground/engine.h"

using namespace heed;

namespace {

constexpr const char* kUsage =
    "heed_playground: needs train OUT.f16 [STEPS], translate W.f16 SENTENCE, explain W.f16 SENTENCE KIND STEP AT, or "
    "speed STEPS";

std::vector<uint16_t> read_weights(const std::string& path) {
  const std::string bytes = io::read_file(path);
  std::vector<uint16_t> numbers(bytes.size() / 2);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<uint16_t>(static_cast<unsigned char>(bytes[2 * i]) |
                                       static_cast<unsigned char>(bytes[2 * i + 1]) << 8);
  return numbers;
}

// Progress that cannot be written ends nothing.
void tell(const std::string& text) { std::fputs(text.c_str(), stderr); }

void train(const std::string& path, int64_t steps) {
  playground::Playground page({});
  double loss = 0;
  for (bool done = false; !done && steps > 0; steps -= 50) {
    io::Json now = page.train(std::min<int64_t>(50, steps));
    done = now.at("done").as_bool();
    if (now.at("losses").size()) loss = now.at("losses").elements().back().as_number();
    tell(fmt::format("\rtraining the translator: step {} of {}, loss {:.3f} ", now.integer("step"), now.integer("of"),
                     loss));
  }
  tell(fmt::format("\n{:.0f} % of 200 new sentences translated without any fault\n", page.exact(200)));
  std::string bytes;
  for (uint16_t x : page.save()) bytes += {static_cast<char>(x & 255), static_cast<char>(x >> 8)};
  io::atomic_write(path, bytes);
}

std::vector<playground::Forced> forced_from(const std::vector<std::string>& words, size_t begin) {
  std::vector<playground::Forced> out;
  for (size_t i = begin; i + 2 < words.size(); i += 3)
    out.push_back({std::stoll(words[i]), std::stoll(words[i + 1]), std::stod(words[i + 2])});
  return out;
}

int run(const std::vector<std::string>& a) {
  if (a.size() >= 2 && a[0] == "train") {
    train(a[1], a.size() > 2 ? std::stoll(a[2]) : 1'000'000);
  } else if (a.size() >= 3 && a[0] == "translate") {
    playground::Playground page({});
    page.load(read_weights(a[1]));
    fmt::print("{}\n", page.translate(a[2], forced_from(a, 3)).dump());
  } else if (a.size() >= 6 && a[0] == "explain") {
    playground::Playground page({});
    page.load(read_weights(a[1]));
    playground::Question question{a[3], std::stoll(a[4]), std::stoll(a[5])};
    fmt::print("{}\n", page.explain(a[2], forced_from(a, 6), question).dump());
  } else if (a.size() == 2 && a[0] == "speed") {
    set_thread_count(1);
    playground::Playground page({});
    page.train(5);
    auto begin = std::chrono::steady_clock::now();
    page.train(std::stoll(a[1]));
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    fmt::print("{:.1f} steps per second on one thread\n", std::stod(a[1]) / seconds.count());
  } else {
    throw InputError(kUsage);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_main(argc, argv, [](int count, char** given) {
    try {
      return run({given + 1, given + count});
    } catch (const std::logic_error&) { throw InputError(kUsage); }  // a word where a number is expected
  });
}
