// Which sentences Translator::translate searches together, and on which threads.
#include <doctest/doctest.h>

#include <mutex>

#include "nn/models/translator.h"
#include "tensor/thread_pool.h"

using namespace heed;
using namespace heed::nn;

TEST_CASE("translate: batches of similar length, none of them large, and one for each thread if that is asked") {
  text::WordCounts letters;
  letters.add({"a", "b", "c", "d", "e", "f", "g", "h"});
  text::Vocabulary words(letters);
  Translator t({{}, words, words},
               paper_of<Transformer>(
                   {.model = 8, .heads = 2, .inner = 8, .encoder_layers = 1, .decoder_layers = 1, .dropout = 0}),
               1);
  std::vector<std::vector<std::string>> sentences;
  for (int64_t i = 0; i < 600; ++i)
    sentences.emplace_back(static_cast<size_t>(1 + i * 7 % 20), std::string(1, static_cast<char>('a' + i % 8)));
  std::mutex mutex;
  std::vector<Shape> batches;  // [B, S, D]
  bool fails = false;
  t.model.as<Transformer>()->output_hooks = {[&](std::string_view name, const Variable& value) {
    std::lock_guard lock(mutex);
    if (fails) throw ValueError("a hook that fails");
    if (name == "annotations") batches.push_back(value.shape());
    return Variable();
  }};
  auto run = [&](size_t count, const TranslateOptions& options) {
    batches.clear();
    std::vector<std::vector<std::string>> first(sentences.begin(),
                                                sentences.begin() + static_cast<std::ptrdiff_t>(count));
    return t.translate(first, options);
  };
  run(600, {});
  CHECK(batches.size() == 3);
  int64_t padded = 0, tokens = 0;
  for (const Shape& s : batches) padded += s[0] * s[1];
  for (size_t i = 0; i < 600; ++i) tokens += std::ssize(sentences[i]) + 1;
  CHECK(padded < tokens * 14 / 10);  // 21 for each without sorting: 1.83
  run(600, {.beam = 4});
  for (const Shape& s : batches) CHECK((s[0] <= 80 && s[0] * s[1] <= 2048));

  const int threads = thread_count();
  set_thread_count(2);
  auto alone = run(40, {.beam = 2});
  CHECK(batches.size() == 1);
  auto both = run(40, {.beam = 2, .keep_weights = false, .several_at_once = true});
  CHECK(batches.size() == 2);
  CHECK((batches[0][0] == 20 && batches[1][0] == 20));
  for (size_t i = 0; i < alone.size(); ++i) {
    CHECK(both[i].text == alone[i].text);
    CHECK(both[i].log_probability == alone[i].log_probability);
    CHECK_FALSE(alone[i].weights.empty());
    CHECK(both[i].weights.empty());
  }
  run(16, {.several_at_once = true});
  CHECK(batches.size() == 1);
  run(600, {.several_at_once = true});
  CHECK(batches.size() == 3);
  fails = true;  // on whichever thread, the error is the caller's
  CHECK_THROWS_AS(run(600, {.several_at_once = true}), ValueError);
  set_thread_count(threads);
}
