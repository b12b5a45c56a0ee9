// The functions that the page calls: C names, numbers and texts only. Every result is JSON, {"error": ".."} for a
// sentence or a place that the engine refuses; the text stays valid until the next call.

#include "tutorials/playground/engine.h"

namespace {

using namespace heed;
std::unique_ptr<playground::Playground> page;
std::string answer;

template <class F>
const char* answered(F f) {
  try {
    if (!page) throw ValueError("playground: play_open comes first");
    answer = f().dump();
  } catch (const std::exception& error) {
    io::Json failed = io::Json::object({});
    failed.set("error", error.what());
    answer = failed.dump();
  }
  return answer.c_str();
}

// Triples step, source word, share.
std::vector<playground::Forced> forced_of(const double* numbers, int count) {
  std::vector<playground::Forced> out;
  for (int i = 0; i + 2 < 3 * count; i += 3)
    out.push_back({static_cast<int64_t>(numbers[i]), static_cast<int64_t>(numbers[i + 1]), numbers[i + 2]});
  return out;
}

}  // namespace

extern "C" {
int play_open(int sentences, int seed) {  // the number of parameters
  page = std::make_unique<playground::Playground>(
      playground::Options{.sentences = sentences, .seed = static_cast<uint64_t>(seed)});
  return static_cast<int>(page->save().size());
}
const char* play_load(const uint16_t* numbers, int count) {
  return answered([&] {
    page->load({numbers, numbers + count});
    return io::Json(true);
  });
}
const char* play_translate(const char* sentence, const double* forced, int count) {
  return answered([&] { return page->translate(sentence, forced_of(forced, count)); });
}
const char* play_explain(const char* sentence, const double* forced, int count, const char* kind, int step, int at) {
  return answered([&] { return page->explain(sentence, forced_of(forced, count), {kind, step, at}); });
}
const char* play_examples() {
  return answered([] { return page->examples(); });
}
const char* play_train(int steps) {
  return answered([&] { return page->train(steps); });
}
const char* play_alignment() {
  return answered([] { return page->alignment(); });
}
}
