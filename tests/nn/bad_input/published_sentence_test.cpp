// Folders of published encoders of sentences: modules that are missing, of another kind or out of order, settings that
// heed does not implement, weights that do not fit.
#include <filesystem>

#include "nn/io/json.h"
#include "nn/io/safetensors.h"
#include "nn/published/sentence.h"
#include "tests/nn/bad_input/refuses.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::bad_input;
using heed::nn::published::SentenceEncoder;

namespace {

// A copy of the encoder of the tree, with one file replaced.
std::string changed(const std::string& name, const std::string& path, const std::string& contents) {
  const std::string folder = in_box(name);
  std::filesystem::copy(source_dir() + "/tests/golden/published/st-bert", folder,
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  io::make_folder(std::filesystem::path(folder + "/" + path).parent_path().string());
  io::atomic_write(folder + "/" + path, contents);
  return folder;
}
void open_sentences(const std::string& folder) { SentenceEncoder::open(folder); }

std::string module_line(const std::string& kind, const std::string& path) {
  return R"({"path": ")" + path + R"(", "type": "sentence_transformers.models.)" + kind + "\"}";
}
std::string list_of(const std::vector<std::string>& modules) {
  std::string out;
  for (const std::string& one : modules) out += (out.empty() ? "" : ", ") + one;
  return "[" + out + "]";
}
const std::string kFirst = module_line("Transformer", ""), kSecond = module_line("Pooling", "1_Pooling");

}  // namespace

TEST_CASE("published sentences: modules.json") {
  auto with = [](const char* row, const std::string& contents) {
    const std::string folder = changed("modules", "modules.json", contents);
    refuses<IoError>(row, [&] { open_sentences(folder); });
  };
  with("open: ~/modules/modules.json modules list got an object", "{}");
  with("~/modules/modules.json: JSON", "[");
  with("open: ~/modules/modules.json module object got an integer", "[1]");
  with("open: ~/modules/modules.json have Transformer Pooling got 0", "[]");
  with("open: ~/modules/modules.json have Transformer Pooling got 1", list_of({kFirst}));
  with("~/modules/modules.json: type missing", R"([{"path": ""}])");
  with("~/modules/modules.json: type names code got own.Module", R"([{"path": "", "type": "own.Module"}])");
  with("~/modules/modules.json: type Transformer Pooling Dense Normalize got CNN",
       list_of({kFirst, kSecond, module_line("CNN", "")}));
  with("~/modules/modules.json: type first second after got Pooling place 1", list_of({kSecond, kFirst}));
  with("~/modules/modules.json: type first second after got Dense place 2",
       list_of({kFirst, module_line("Dense", "2_Dense"), kSecond}));
  with("~/modules/modules.json: type first second after got Transformer place 3", list_of({kFirst, kSecond, kFirst}));
  with("~/modules/modules.json: path into the folder got ../x", list_of({kFirst, module_line("Pooling", "../x")}));
  with("~/modules/modules.json: path into the folder got /etc", list_of({kFirst, module_line("Pooling", "/etc")}));
  with("~/modules/modules.json: kwargs may change got hint",
       R"([{"path": "", "type": "sentence_transformers.models.Transformer", "kwargs": ["task"]}])");
  with("read: ~/modules/nowhere/config.json", list_of({kFirst, module_line("Pooling", "nowhere")}));
}

TEST_CASE("published sentences: a pooling") {
  auto with = [](const char* row, const std::string& contents) {
    const std::string folder = changed("pooling", "1_Pooling/config.json", contents);
    refuses<IoError>(row, [&] { open_sentences(folder); });
  };
  with("open: ~/pooling/1_Pooling/config.json settings object got an array", "[]");
  with("~/pooling/1_Pooling/config.json: word_embedding_dimension width got 31 32",
       R"({"word_embedding_dimension": 31})");
  with("~/pooling/1_Pooling/config.json: pooling_mode only got median", R"({"pooling_mode": "median"})");
  with("open: ~/pooling/1_Pooling/config.json have a mode got none", R"({"pooling_mode_mean_tokens": false})");
  with("~/pooling/1_Pooling/config.json: pooling_mode_mean_tokens true or false got an integer",
       R"({"pooling_mode_mean_tokens": 1})");
  with("~/pooling/1_Pooling/config.json: pooling_mode_min may change got true hint", R"({"pooling_mode_min": true})");
  refuses<ValueError>("pool: pooling name got median cls", [] {
    SentenceEncoder::open(source_dir() + "/tests/golden/published/st-bert", {.pooling = {"median"}});
  });
}

TEST_CASE("published sentences: Dense") {
  const std::string folder =
      changed("dense", "modules.json", list_of({kFirst, kSecond, module_line("Dense", "2_Dense")}));
  io::make_folder(folder + "/2_Dense");
  auto with = [&](const char* row, const std::string& settings) {
    io::atomic_write(folder + "/2_Dense/config.json", settings);
    refuses<IoError>(row, [&] { open_sentences(folder); });
  };
  with("~/dense/2_Dense/config.json: in_features width before got 31 32", R"({"in_features": 31, "out_features": 5})");
  with("~/dense/2_Dense/config.json: out_features 1 16777216 got 0", R"({"in_features": 32, "out_features": 0})");
  with("~/dense/2_Dense/config.json: activation_function Tanh Identity got Softplus",
       R"({"in_features": 32, "out_features": 5, "activation_function": "torch.nn.modules.activation.Softplus"})");
  with("~/dense/2_Dense/config.json: module_input_name sentence_embedding only got token_embeddings",
       R"({"in_features": 32, "out_features": 5, "module_input_name": "token_embeddings"})");
  const char* fine = R"({"in_features": 32, "out_features": 5})";
  with("open: ~/dense/2_Dense model.safetensors got neither", fine);
  file("dense/2_Dense/pytorch_model.bin", "PK");
  with("open: ~/dense/2_Dense model.safetensors got pytorch_model.bin pickle hint convert", fine);
  auto weights = [&](const Tensor& weight, const Tensor& bias) {
    io::save_safetensors(folder + "/2_Dense/model.safetensors",
                         {{{"linear.weight", weight}, {"linear.bias", bias}}, {}});
  };
  weights(zeros({5, 31}), zeros({5}));
  with("open: ~/dense/2_Dense Dense tensor linear.weight [5, 32] got [5, 31]", fine);
  weights(zeros({5, 32}), wholes({5}));
  with("open: ~/dense/2_Dense Dense tensor linear.bias [5] floats got", fine);
  weights(zeros({5, 32}), Tensor::full({5}, kNan));
  with("open: ~/dense/2_Dense weights finite got linear.bias", fine);
}

TEST_CASE("published sentences: limits, prompts and models") {
  auto with = [](const char* row, const char* name, const std::string& contents) {
    const std::string folder = changed("settings", name, contents);
    refuses<IoError>(row, [&] { open_sentences(folder); });
    std::filesystem::remove_all(folder);
  };
  with("~/settings/sentence_bert_config.json: max_seq_length at least 1 got 0", "sentence_bert_config.json",
       R"({"max_seq_length": 0})");
  with("~/settings/sentence_bert_config.json: model_args may change got hint", "sentence_bert_config.json",
       R"({"model_args": {"x": 1}})");
  with("~/settings/sentence_bert_config.json: transformer_task feature-extraction only got fill-mask",
       "sentence_bert_config.json", R"({"transformer_task": "fill-mask"})");
  with("~/settings/config_sentence_transformers.json: default_prompt_name prompts got query",
       "config_sentence_transformers.json", R"({"default_prompt_name": "query"})");
  with("~/settings/config_sentence_transformers.json: prompts object", "config_sentence_transformers.json",
       R"({"prompts": ["a"]})");
  refuses<IoError>("open: config.json got nowhere", [] { open_sentences("nowhere"); });

  const SentenceEncoder encoder = SentenceEncoder::open(source_dir() + "/tests/golden/published/st-bert");
  refuses<InputError>("encode: prompt model none got passage", [&] { encoder.prompt("passage"); });
  CHECK_THROWS_AS(encoder.encode({"a\377"}), InputError);
  const std::string small = changed("small", "sentence_bert_config.json", R"({"max_seq_length": 1})");
  CHECK_THROWS_AS(SentenceEncoder::open(small).encode({"a"}), InputError);
}
