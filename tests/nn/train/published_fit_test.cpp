// Published models in the training loop: each task is learned, a run that stops goes on with the same bits.
#include "nn/train/published_fit.h"

#include <unistd.h>
#include <algorithm>

#include <filesystem>

#include "nn/published/new_model.h"
#include "tests/nn/support.h"

using namespace heed;
namespace published = heed::nn::published;
using data::EncodedPair;

namespace {

std::unique_ptr<published::Model> small(bool bert) {
  const published::NewModelOptions sizes{
      .vocabulary = 12, .width = 32, .layers = 1, .heads = 2, .longest = 16, .dropout = 0.1};
  return published::make(bert ? published::bert_config(sizes) : published::llama_config(sizes), 1);
}
// Texts that count 5 6 7 .. 11 5 6 .., each from another number.
std::vector<EncodedPair> counted(size_t n, bool marked) {
  std::vector<EncodedPair> out;
  for (size_t i = 0; i < n; ++i) {
    EncodedPair one;
    if (marked) one.source.push_back(2);
    for (size_t k = 0, length = 5 + i % 6; k < length; ++k)
      one.source.push_back(static_cast<int64_t>(5 + (3 * i + k) % 7));
    if (marked) one.source.push_back(3);
    out.push_back(one);
  }
  return out;
}
const nn::FitOptions kQuick{.epochs = 25, .batch_size = 8, .learning_rate = 1e-2, .warmup = 10};

}  // namespace

TEST_CASE("published models in training: masked words and next words are learned") {
  for (bool bert : {true, false}) {
    CAPTURE(bert);
    auto model = small(bert);
    const data::MaskingOptions masking{.vocabulary = 12, .first_word = 5, .mask = 4};
    nn::FitModel fit = bert ? nn::fit_masked_words(*model, masking, {}) : nn::fit_next_word(*model, {});
    std::vector<EncodedPair> train = counted(64, bert), valid = counted(20, bert);
    if (bert)  // each text repeats one word, so the hidden one follows from any other
      for (auto* texts : {&train, &valid})
        for (EncodedPair& one : *texts) std::fill(one.source.begin() + 1, one.source.end() - 1, one.source[1]);
    CHECK(nn::mean_loss(fit, valid) > 2);  // log 12 = 2.48
    nn::fit(fit, train, valid, kQuick);
    CHECK(nn::mean_loss(fit, valid) < 1);
  }
}

TEST_CASE("published models in training: padding changes no loss") {
  auto model = small(false);
  nn::set_training(*model, false);
  const nn::FitModel fit = nn::fit_next_word(*model, {});
  const std::vector<EncodedPair> windows = counted(6, false);
  double total = 0, tokens = 0;
  for (const EncodedPair& one : windows) {
    const auto n = static_cast<double>(one.source.size() - 1);
    total += n * nn::mean_loss(fit, {one}), tokens += n;
  }
  CHECK(nn::mean_loss(fit, windows) == doctest::Approx(total / tokens).epsilon(1e-6));
}

TEST_CASE("published models in training: classes, whole and by LoRA, and a run that goes on with the same bits") {
  const std::string box =
      (std::filesystem::temp_directory_path() / ("heed-classes-" + std::to_string(getpid()))).string();
  published::save(*small(true), box);
  std::vector<EncodedPair> texts = counted(60, true);  // is the second word even?
  for (EncodedPair& one : texts) one.target = {one.source[1] % 2};
  for (int64_t rank : {0, 2}) {
    CAPTURE(rank);
    auto run_of = [&](const auto& use) {
      auto model = published::open_for_classes(box, {.labels = {"odd", "even"}});
      Generator rng(1);
      std::optional<nn::LoraModel> lora;
      if (rank > 0) lora.emplace(*model, nn::LoraChoice{.rank = rank, .where = "*", .train = "heads.*"}, rng);
      const nn::FitModel fit = nn::fit_classes(*model, {.lora = lora ? &*lora : nullptr});
      if (rank > 0) CHECK(fit.parameters.size() == 2 * (3 + 6) + 4);  // words, places, segments; the layer; the head
      nn::FitRun run(fit, texts, texts, kQuick);
      use(run);
      while (!run.done()) run.step();
      run.finish();
      if (lora) lora->merge();
      std::vector<std::vector<int64_t>> asked;
      for (const EncodedPair& one : texts) asked.push_back(one.source);
      return nn::class_probabilities(*model, asked, 0);
    };
    const std::string saved = box + "/last.safetensors";
    const Tensor whole = run_of([](nn::FitRun&) {});
    run_of([&](nn::FitRun& run) {
      for (int i = 0; i < 11; ++i) run.step();
      run.save(saved);
    });
    const Tensor resumed = run_of([&](nn::FitRun& run) { run.load(saved); });
    CHECK(whole.to_vector() == resumed.to_vector());
    int64_t right = 0;
    for (int64_t i = 0; i < whole.size(0); ++i)
      right += (whole.at({i, 1}) > whole.at({i, 0})) == (texts[static_cast<size_t>(i)].target[0] == 1);
    CHECK(right >= 54);
    // A text alone has the probabilities that it has in a batch.
    auto model = published::open_for_classes(box, {.labels = {"odd", "even"}});
    const Tensor both = nn::class_probabilities(*model, {texts[0].source, texts[5].source}, 0),
                 alone = nn::class_probabilities(*model, {texts[0].source}, 0);
    CHECK(both.at({0, 0}) == doctest::Approx(alone.at({0, 0})).epsilon(1e-5));
  }
  std::filesystem::remove_all(box);
}

TEST_CASE("published models in training: windows of a text") {
  auto sources = [](const std::vector<EncodedPair>& windows) {
    std::vector<std::vector<int64_t>> out;
    for (const EncodedPair& one : windows) out.push_back(one.source);
    return out;
  };
  using Rows = std::vector<std::vector<int64_t>>;
  CHECK(sources(nn::windows_of({10, 11, 12, 13, 14}, 2, 1)) == Rows{{1, 10, 11}, {1, 12, 13}, {1, 14}});
  CHECK(sources(nn::windows_of({10, 11, 12, 13, 14}, 2, -1)) == Rows{{10, 11, 12}, {12, 13, 14}});
}

TEST_CASE("published models in training: a trained decoder goes on as it was taught") {
  auto model = small(false);
  nn::FitModel fit = nn::fit_next_word(*model, {});
  const std::vector<EncodedPair> train = counted(64, false);
  nn::fit(fit, train, train, kQuick);
  Generator rng(1);
  CHECK(nn::continued(*model, {6, 7}, 4, 0, -1, rng) == std::vector<int64_t>{8, 9, 10, 11});
  CHECK(nn::continued(*model, {6, 7}, 4, 0, 10, rng) == std::vector<int64_t>{8, 9});
}
