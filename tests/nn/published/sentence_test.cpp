// Published encoders of sentences have the vectors of their own library, and every module agrees with a computation by
// hand from the model's states.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "nn/io/file.h"
#include "nn/io/safetensors.h"
#include "nn/published/sentence.h"
#include "tests/nn/published/golden.h"
#include "tests/source_dir.h"

using namespace heed;
using heed::nn::published::SentenceEncoder;

namespace {

std::string kept_encoder() { return source_dir() + "/tests/golden/published/st-bert"; }

double far_apart(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0, large = 1;
  for (size_t i = 0; i < a.size(); ++i) {
    large = std::max(large, std::fabs(b[i]));
    const double far = std::fabs(a[i] - b[i]);
    most = far <= most ? most : far;  // NaN is the largest
  }
  return most / large;
}

// A copy of the encoder's folder, in which a test replaces files.
struct EncoderCopy {
  std::string path = (std::filesystem::temp_directory_path() / ("heed-sentence-" + std::to_string(getpid()))).string();
  EncoderCopy() { std::filesystem::copy(kept_encoder(), path, std::filesystem::copy_options::recursive); }
  ~EncoderCopy() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    io::make_folder(std::filesystem::path(path + "/" + name).parent_path().string());
    io::atomic_write(path + "/" + name, text);
  }
  void pooling(const std::string& settings) const {
    write("1_Pooling/config.json", "{\"word_embedding_dimension\": 32, " + settings + "}");
  }
  // Writes a modules.json that lists these kinds; the first one is in the folder itself.
  void modules(const std::vector<std::string>& kinds) const {
    std::string list;
    int number = 0;
    for (const std::string& kind : kinds) {
      const std::string n = std::to_string(number);
      const std::string at = number == 0 ? "" : n + "_" + kind;
      list += (number++ ? ", " : "") + ("{\"idx\": " + n + ", \"name\": \"" + n + "\", \"path\": \"" + at + "\"") +
              ", \"type\": \"sentence_transformers.models." + kind + "\"}";
    }
    write("modules.json", "[" + list + "]");
  }
  SentenceEncoder open(const nn::published::SentenceOpenOptions& options = {.dtype = DType::f64}) const {
    return SentenceEncoder::open(path, options);
  }
};

using States = std::vector<std::vector<double>>;  // [S][D]

States states_of(const SentenceEncoder& encoder, const std::string& text) {
  const std::vector<int64_t> ids = encoder.ids(text);
  const Tensor x =
      encoder.model->read({.ids = Tensor::from(ids, {1, std::ssize(ids)})}).encoder.last().value();  // [1, S, D]
  States out;
  for (int64_t s = 0; s < x.size(1); ++s) out.push_back(x.select(0, 0).select(0, s).to_vector());
  return out;
}

std::vector<double> weighted(const States& x, const std::function<double(size_t)>& weight) {
  std::vector<double> out(x[0].size(), 0.0);
  for (size_t s = 0; s < x.size(); ++s)
    for (size_t d = 0; d < out.size(); ++d) out[d] += weight(s) * x[s][d];
  return out;
}
std::vector<double> largest(const States& x) {
  std::vector<double> out = x[0];
  for (const auto& row : x)
    for (size_t d = 0; d < out.size(); ++d) out[d] = std::max(out[d], row[d]);
  return out;
}
std::vector<double> joined(std::vector<std::vector<double>> parts) {
  std::vector<double> out;
  for (const auto& one : parts) out.insert(out.end(), one.begin(), one.end());
  return out;
}

const char* const kText = "two young girls are playing in the snow";
const std::vector<std::string> kThree = {"a dog", kText, ""};  // of different lengths: one batch has padding

std::vector<double> row_of(const SentenceEncoder& encoder, const nn::published::EncodeTexts& options = {}) {
  return encoder.encode(kThree, options).select(0, 1).to_vector();
}

}  // namespace

TEST_SUITE_BEGIN("parity");

TEST_CASE("published sentences: an encoder that is saved keeps its modules") {
  const EncoderCopy copy;
  const std::string again = copy.path + "/again";
  nn::published::save(*nn::published::open(copy.path), again);
  const std::vector<std::string> texts{"a dog", "two young girls"};
  CHECK(bit_equal(SentenceEncoder::open(again).encode(texts), SentenceEncoder::open(copy.path).encode(texts)));
}

TEST_CASE("published sentences: the vectors of their own library") {
  std::vector<std::pair<std::string, std::string>> folders = {{kept_encoder(), ""}};
  if (const std::string models = published_test::given_models(); !models.empty())
    for (const char* name : {"/st-bert", "/st-mpnet", "/st-roberta"})
      folders.emplace_back(models + name, models + name + "/reference/embeddings.safetensors");
  for (const auto& compared : folders) {
    const std::string &folder = compared.first, &answers = compared.second;
    CAPTURE(folder);
    const std::string inputs = folder + (answers.empty() ? "/inputs.json" : "/reference/inputs.json");
    const io::Json golden = io::parse(io::read_file(inputs), inputs);
    std::vector<std::string> texts;
    for (const io::Json& one : golden.list("sentences")) texts.push_back(one.as_string());
    const io::SafeTensors file =
        io::load_safetensors(answers.empty() ? folder + "/sentences.f64.safetensors" : answers);
    const Tensor* theirs = file.find(answers.empty() ? "sentences" : "by_hand_f64");
    REQUIRE(theirs);
    for (DType dtype : {DType::f64, DType::f32}) {
      const SentenceEncoder encoder = SentenceEncoder::open(folder, {.dtype = dtype});
      const Tensor ours = encoder.encode(texts);
      CHECK(ours.dtype() == dtype);
      CHECK(far_apart(ours.to_vector(), theirs->to_vector()) <= (dtype == DType::f64 ? 1e-9 : 1e-4));
      if (const Tensor* library = file.find("encode_f32"))
        CHECK(far_apart(ours.to_vector(), library->to_vector()) <= 1e-4);
      for (size_t i = 0; i < texts.size(); ++i) {
        CAPTURE(texts[i]);
        std::vector<int64_t> ids;
        for (const io::Json& id : golden.list("ids")[i].elements()) ids.push_back(id.as_integer());
        CHECK(encoder.ids(texts[i]) == ids);
      }
    }
  }
}

TEST_SUITE_END();

TEST_CASE("published sentences: a translator is no encoder of sentences") {
  const std::string models = published_test::given_models();
  if (!models.empty()) CHECK_THROWS_AS(SentenceEncoder::open(models + "/bart"), IoError);
}

TEST_CASE("published sentences: padding and the size of a batch change nothing") {
  const SentenceEncoder encoder = SentenceEncoder::open(kept_encoder());
  const std::vector<std::string> texts = {kText, "a dog", "", std::string(kText) + ", and a dog", "a dog"};
  const Tensor all = encoder.encode(texts);
  CHECK(all.shape() == Shape{5, encoder.width()});
  for (int64_t size : {1, 2, 3})
    CHECK(far_apart(encoder.encode(texts, {.batch_size = size}).to_vector(), all.to_vector()) <= 1e-6);
  CHECK(encoder.encode({}).shape() == Shape{0, encoder.width()});
}

TEST_CASE("published sentences: every pooling, by hand") {
  const EncoderCopy box;
  box.modules({"Transformer", "Pooling"});
  struct Case {
    const char* settings;
    std::vector<double> (*of)(const States&);
  };
  auto mean = [](const States& x) { return weighted(x, [&](size_t) { return 1.0 / static_cast<double>(x.size()); }); };
  const std::vector<Case> cases = {
      {R"("pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false)", [](const States& x) { return x[0]; }},
      {R"("pooling_mode_lasttoken": true, "pooling_mode_mean_tokens": false)",
       [](const States& x) { return x.back(); }},
      {R"("pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": false)", largest},
      {R"("pooling_mode_mean_tokens": true)", mean},
      {R"("pooling_mode_mean_sqrt_len_tokens": true, "pooling_mode_mean_tokens": false)",
       [](const States& x) {
         return weighted(x, [&](size_t) { return 1 / std::sqrt(static_cast<double>(x.size())); });
       }},
      {R"("pooling_mode_weightedmean_tokens": true, "pooling_mode_mean_tokens": false)",
       [](const States& x) {
         const auto n = static_cast<double>(x.size());
         return weighted(x, [&](size_t s) { return static_cast<double>(s + 1) / (n * (n + 1) / 2); });
       }},
      // Several at once, in the library's order, whatever that of the file is.
      {R"("pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true, "pooling_mode_cls_token": true)",
       [](const States& x) {
         return joined({x[0], largest(x), weighted(x, [&](size_t) { return 1.0 / static_cast<double>(x.size()); })});
       }},
      {R"("pooling_mode": "max")", largest},
      {R"("pooling_mode": "cls+max", "pooling_mode_lasttoken": true)",
       [](const States& x) {
         return joined({x[0], largest(x)});
       }},
  };
  for (const Case& one : cases) {
    CAPTURE(one.settings);
    box.pooling(one.settings);
    const SentenceEncoder encoder = box.open();
    const std::vector<double> by_hand = one.of(states_of(encoder, kText));
    CHECK(encoder.width() == std::ssize(by_hand));
    CHECK(far_apart(row_of(encoder), by_hand) <= 1e-12);
  }
  const SentenceEncoder chosen = box.open({.dtype = DType::f64, .pooling = {"lasttoken"}});
  CHECK(far_apart(row_of(chosen), states_of(chosen, kText).back()) <= 1e-12);
}

TEST_CASE("published sentences: Dense and Normalize, by hand") {
  const EncoderCopy box;
  box.modules({"Transformer", "Pooling", "Dense", "Normalize"});
  const int64_t out = 5;
  std::vector<double> w, b;
  for (int i = 0; i < 32 * out; ++i) w.push_back(0.01 * i - 0.7);
  for (int i = 0; i < out; ++i) b.push_back(0.1 * i);
  io::make_folder(box.path + "/2_Dense");
  for (const bool bias : {true, false})
    for (const auto& function : std::vector<std::pair<std::string, double (*)(double)>>{
             {"torch.nn.modules.activation.Tanh", [](double x) { return std::tanh(x); }},
             {"torch.nn.modules.linear.Identity", [](double x) { return x; }},
             {"torch.nn.modules.activation.ReLU", [](double x) { return std::max(x, 0.0); }}}) {
      const std::string& name = function.first;
      CAPTURE(name);
      CAPTURE(bias);
      std::vector<std::pair<std::string, Tensor>> tensors = {{"linear.weight", Tensor::from(w, {out, 32})}};
      if (bias) tensors.emplace_back("linear.bias", Tensor::from(b, {out}));
      io::save_safetensors(box.path + "/2_Dense/model.safetensors", {tensors, {}});
      box.write("2_Dense/config.json", std::string(R"({"in_features": 32, "out_features": 5, "bias": )") +
                                           (bias ? "true" : "false") + R"(, "activation_function": ")" + name + "\"}");
      const SentenceEncoder encoder = box.open();
      CHECK(encoder.width() == out);
      const States x = states_of(encoder, kText);
      std::vector<double> pooled = weighted(x, [&](size_t) { return 1.0 / static_cast<double>(x.size()); }), y;
      double squares = 0;
      for (int64_t i = 0; i < out; ++i) {
        double sum = bias ? b[static_cast<size_t>(i)] : 0;
        for (int64_t d = 0; d < 32; ++d) sum += w[static_cast<size_t>(i * 32 + d)] * pooled[static_cast<size_t>(d)];
        y.push_back(function.second(sum)), squares += y.back() * y.back();
      }
      for (double& one : y) one /= std::sqrt(squares);
      CHECK(far_apart(row_of(encoder), y) <= 1e-12);
    }
}

TEST_CASE("published sentences: prompts, lower case, lengths") {
  const EncoderCopy box;
  box.modules({"Transformer", "Pooling"});
  box.write("config_sentence_transformers.json",
            R"({"prompts": {"query": "the man: ", "passage": "a dog "}, "default_prompt_name": "passage"})");
  {
    const SentenceEncoder encoder = box.open();
    CHECK(encoder.prompt("query") == "the man: ");
    CHECK(encoder.prompt_of_queries() == "the man: ");
    CHECK(encoder.prompt_of_documents() == "a dog ");
    CHECK(encoder.prompt() == "a dog ");
    const States with = states_of(encoder, std::string("the man: ") + kText), bare = states_of(encoder, kText);
    auto mean = [](const States& x) {
      return weighted(x, [&](size_t) { return 1.0 / static_cast<double>(x.size()); });
    };
    CHECK(far_apart(row_of(encoder, {.prompt = "the man: "}), mean(with)) <= 1e-12);
    // The mean is over the tokens after the prompt. [CLS] counts as a part of the prompt, but the mode cls still reads
    // it.
    box.pooling(R"("pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true, "include_prompt": false)");
    const States after(with.end() - static_cast<std::ptrdiff_t>(bare.size()) + 1, with.end());
    CHECK(far_apart(row_of(box.open(), {.prompt = "the man: "}), joined({with[0], mean(after)})) <= 1e-12);
    CHECK(far_apart(row_of(box.open()), joined({bare[0], mean(bare)})) <= 1e-12);
  }
  box.write("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer", "do_lower_case": false})");
  io::Json tokenizer = io::parse(io::read_file(box.path + "/tokenizer.json"), "tokenizer.json");
  tokenizer.set("normalizer", nullptr);
  box.write("tokenizer.json", tokenizer.dump());
  CHECK(box.open().ids("A DOG") != box.open().ids("a dog"));
  box.write("sentence_bert_config.json", R"({"max_seq_length": 6, "do_lower_case": true})");
  CHECK(box.open().ids("  A DOG\n") == box.open().ids("a dog"));
  CHECK(box.open().ids(kText).size() == 6);
  CHECK(box.open().ids(kText).back() == box.open().ids("a dog").back());
  box.write("sentence_bert_config.json", R"({"max_seq_length": null})");
  CHECK(box.open().max_tokens == 64);  // the model's positions
  // White space around a text is no part of it, although byte pairs would keep it.
  box.write("tokenizer_config.json", "{}");
  box.write("tokenizer.json", io::read_file(source_dir() + "/tests/golden/tokenizers/qwen.json"));
  CHECK(box.open().tokenizer.encode(" a dog\n").ids() != box.open().ids("a dog"));
  CHECK(box.open().ids(" a dog\n") == box.open().ids("a dog"));
}

TEST_CASE("published sentences: a folder without modules has the mean of its states") {
  const EncoderCopy box;
  for (const char* name : {"modules.json", "config_sentence_transformers.json", "sentence_bert_config.json"})
    std::filesystem::remove(box.path + "/" + name);
  const SentenceEncoder encoder = box.open();
  const States x = states_of(encoder, kText);
  CHECK(far_apart(row_of(encoder), weighted(x, [&](size_t) { return 1.0 / static_cast<double>(x.size()); })) <= 1e-12);
}

TEST_CASE("published sentences: a Transformer in a folder of its own") {
  const EncoderCopy box;
  const std::string list = io::read_file(box.path + "/modules.json");
  const std::vector<std::string> texts = {kText, "a dog"};
  const std::vector<double> before = box.open().encode(texts).to_vector();
  io::make_folder(box.path + "/0_Transformer");
  for (const char* name :
       {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "sentence_bert_config.json"})
    std::filesystem::rename(box.path + "/" + name, box.path + "/0_Transformer/" + name);
  box.write("modules.json", std::string(list).replace(list.find("\"path\": \"\""), 10, "\"path\": \"0_Transformer\""));
  CHECK(box.open().encode(texts).to_vector() == before);
}
