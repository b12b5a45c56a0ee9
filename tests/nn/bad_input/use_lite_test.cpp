// Folders of Universal Sentence Encoder Lite, and of other graphs of TensorFlow.js: a manifest that cannot be read,
// files that do not hold what it says, tensors that are missing or of another shape, a vocabulary of another form.
#include <algorithm>

#include "nn/io/graph_weights.h"
#include "nn/published/sentence.h"
#include "tests/nn/bad_input/refuses.h"
#include "tests/nn/published/lite_folder.h"

using namespace heed;
using namespace heed::bad_input;
using namespace heed::published_test;
using heed::nn::published::SentenceEncoder;

namespace {

const auto open_lite_folder = [] { SentenceEncoder::open(in_box("lite")); };

// Another list of weights or of files; `text` is a piece of model.json and takes the place of `from`.
void with_manifest(const char* row, const std::string& from, const std::string& text) {
  write_lite(in_box("lite"), lite_weights());
  std::string json = io::read_file(in_box("lite/model.json"));
  REQUIRE(json.find(from) != std::string::npos);
  json.replace(json.find(from), from.size(), text);
  file("lite/model.json", json);
  refuses<IoError>(row, open_lite_folder);
}

// The weights without the tensor whose name ends so, or with another one in its place.
void with_tensor(const char* row, const std::string& end, const Tensor& other) {
  LiteWeights weights = lite_weights();
  auto at = std::find_if(weights.begin(), weights.end(), [&](const auto& one) { return one.first.ends_with(end); });
  REQUIRE(at != weights.end());
  if (other.defined())
    at->second = other;
  else
    weights.erase(at);
  write_lite(in_box("lite"), weights);
  refuses<IoError>(row, open_lite_folder);
}

}  // namespace

TEST_CASE("use lite: the manifest") {
  const std::string table = R"({"name":"module/Embeddings_en","shape":[16,8],"dtype":"float32")";
  with_manifest("~/lite/model.json: quantization quantised got uint8 module/Embeddings_en hint float32", table,
                table + R"(,"quantization":{"dtype":"uint8","scale":0.1,"min":0})");
  with_manifest("~/lite/model.json: name quotes got", table, R"({"name":"a\nb","shape":[],"dtype":"int32"},)" + table);
  with_manifest("~/lite/model.json: dtype float32 int32 got complex64 a/b", table,
                R"({"name":"a/b","shape":[],"dtype":"complex64"},)" + table);
  with_manifest("~/lite/model.json: shape 8 2147483648 got [3000000000] a/b", table,
                R"({"name":"a/b","shape":[3000000000],"dtype":"int32"},)" + table);
  with_manifest("~/lite/model.json: shape 8 got [-1] a/b", table,
                R"({"name":"a/b","shape":[-1],"dtype":"int32"},)" + table);
  with_manifest("~/lite/model.json: paths files bytes got at least", table,
                R"({"name":"a/b","shape":[0],"dtype":"float32"},)" +
                    std::string(R"({"name":"module/Embeddings_en","shape":[15,8],"dtype":"float32")"));
  with_manifest(
      "~/lite/model.json: weights once got a/b twice", table,
      R"({"name":"a/b","shape":[0],"dtype":"float32"},{"name":"a/b","shape":[0],"dtype":"float32"},)" + table);
  with_manifest("~/lite/model.json: paths names of files got ../shard0", "shard0", "../shard0");
  with_manifest("read: ~/lite/shard9", "shard2", "shard9");
  with_manifest("~/lite/model.json: paths files bytes got", "\"shard2\"", "\"shard1\"");
  with_manifest("~/lite/model.json: weightsManifest array", "{\"weightsManifest\":[", "{\"weightsManifest\":7,\"x\":[");
  file("lite/model.json", "[]");
  refuses<IoError>("load: ~/lite/model.json graph object got an array", open_lite_folder);
}

TEST_CASE("use lite: tensors and a vocabulary that do not fit") {
  const char* bias = "Layer_0/TransformerLayer/dense/bias/ConcatPartitions/concat";
  with_tensor(
      "open: ~/lite graph Universal Sentence Encoder Lite "
      "module_apply_default/Encoder_en/KonaTransformer/Encode/Layer_0/TransformerLayer/dense/bias/ConcatPartitions/"
      "concat 1 axes got none",
      bias, {});
  with_tensor("open: ~/lite graph Universal 2 axes got [8]", "ExpandDims_1", ones({8}));
  with_tensor(
      "open: ~/lite weights use_lite tensor module/Encoder_en/hidden_layers/tanh_layer_0/weights [12, 12] model.json "
      "got none",
      "tanh_layer_0/weights", {});
  with_tensor(
      "open: ~/lite tensor module/Encoder_en/hidden_layers/tanh_layer_0/weights shape [12, 12] model.json floats got "
      "f32 [12, 11]",
      "tanh_layer_0/weights", ones({12, 11}));
  with_tensor("open: ~/lite model.json describe got heads divide 4 9", bias, ones({9}));
  LiteWeights weights = lite_weights();
  weights.emplace_back("Layer_2/kernel", ones({2, 2}));
  write_lite(in_box("lite"), weights);
  refuses<IoError>("open: ~/lite no other tensors use_lite model.json got Layer_2/kernel [2, 2]", open_lite_folder);
  weights.pop_back(), weights[2].second = Tensor::full({kNarrow, kWide}, kNan);
  write_lite(in_box("lite"), weights);
  refuses<IoError>("open: ~/lite weights finite got NaN tensor",
                   [] { SentenceEncoder::open(in_box("lite")).encode({"a"}); });
  write_lite(in_box("lite"), lite_weights());
  refuses<ValueError>("pool: pooling name got median",
                      [] { SentenceEncoder::open(in_box("lite"), {.pooling = {"median"}}); });
  refuses<ValueError>("save: config.json got ~/lite/model.json",
                      [] { nn::published::save(*SentenceEncoder::open(in_box("lite")).model, in_box("saved")); });
  for (const char* text : {R"([["a", 0], ["b"]])", R"([["a", 0], ["b", "c"]])", R"([["a", 0], [1, 2]])"}) {
    file("lite/vocab.json", text);
    refuses<IoError>("vocabulary: list piece score got ~/lite/vocab.json", open_lite_folder);
  }
  file("lite/vocab.json", "{}");
  refuses<IoError>("vocabulary: list piece score got an object ~/lite/vocab.json", open_lite_folder);
  file("lite/vocab.json", "[]");
  refuses<InputError>("Unigram: unknown token one of its pieces got id 0 0", open_lite_folder);
  std::filesystem::remove(in_box("lite/vocab.json"));
  refuses<IoError>("read: ~/lite/vocab.json", open_lite_folder);
}

TEST_CASE("use lite: a model of sentences alone, and other graphs") {
  write_lite(in_box("lite"), lite_weights());
  refuses<IoError>("open: folder config.json got ~/lite Universal Sentence Encoder Lite sentences hint embed search",
                   [] { nn::published::open(in_box("lite")); });
  io::make_folder(in_box("other_graph"));
  file("other_graph/model.json", R"({"weightsManifest": [{"paths": [], "weights": [{"name": "a"}]}]})");
  const char* row = "open: folder config.json got ~/other_graph model.json TensorFlow.js module/Embeddings_en hint";
  refuses<IoError>(row, [] { nn::published::open(in_box("other_graph")); });
  refuses<IoError>(row, [] { SentenceEncoder::open(in_box("other_graph")); });
}
