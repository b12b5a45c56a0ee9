// Models that are begun here: new ones, and encoders that get a head of classes, saved and opened again.
#include "nn/published/new_model.h"

#include <unistd.h>

#include <filesystem>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/io/file.h"
#include "tests/nn/published/golden.h"
#include "tests/source_dir.h"

using namespace heed;
namespace published = heed::nn::published;

namespace {

struct NewModelFolder {
  std::string path = (std::filesystem::temp_directory_path() / ("heed-new-model-" + std::to_string(getpid()))).string();
  ~NewModelFolder() { std::filesystem::remove_all(path); }
};
const published::Inputs kWords{.ids = Tensor::from(std::vector<int64_t>{2, 7, 9, 3, 2, 8, 3, 0}, {2, 4}),
                               .mask = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 0}, {2, 4})};

std::vector<double> seen_by(const published::Model& model, const std::string& head) {
  NoGrad guard;
  return model.logits(head, model.read(kWords)).value().to_vector();
}
std::string golden(const std::string& name) { return source_dir() + "/tests/golden/published/" + name; }

}  // namespace

TEST_CASE("new models: drawn, saved in published layout, and opened again") {
  NewModelFolder box;
  const published::NewModelOptions sizes{.vocabulary = 20, .width = 8, .layers = 2, .heads = 2, .longest = 16};
  for (bool bert : {true, false})
    for (DType dtype : {DType::f32, DType::f64}) {
      const io::Json config = bert ? published::bert_config(sizes) : published::llama_config(sizes);
      auto model = published::make(config, 3, dtype);
      const char* head = bert ? "masked_words" : "next_word";
      REQUIRE(model->head(head));
      const std::vector<double> said = seen_by(*model, head);
      CHECK(said != seen_by(*published::make(config, 4, dtype), head));
      published::save(*model, box.path);
      CHECK(seen_by(*published::open(box.path, {.dtype = dtype}), head) == said);
      const io::SafeTensors file = io::load_safetensors(box.path + "/model.safetensors");
      CHECK(file.find(bert ? "bert.encoder.layer.1.attention.self.query.weight" : "model.layers.1.mlp.up_proj.weight"));
      CHECK_FALSE(file.find(bert ? "cls.predictions.decoder.weight" : "lm_head.weight"));  // tied
      if (bert) CHECK(file.find("cls.predictions.transform.dense.bias"));
    }
}

TEST_CASE("new models: an encoder of each family gets classes, and keeps its tower") {
  NewModelFolder box;
  for (const char* name : {"bert-classify", "albert", "mpnet", "electra", "roberta_classes", "bert_answers",
                           "bert_word_classes", "modernbert"}) {
    CAPTURE(name);
    std::filesystem::remove_all(box.path);
    auto base = published::open(golden(name));
    auto model = published::open_for_classes(golden(name), {.labels = {"bad", "so so", "good"}, .seed = 3});
    NoGrad guard;
    const published::Answer theirs = base->read(kWords), ours = model->read(kWords);
    CHECK(ours.encoder.last().value().to_vector() == theirs.encoder.last().value().to_vector());
    CHECK(model->logits("classes", ours).shape() == Shape{2, 3});
    const std::vector<double> said = seen_by(*model, "classes");
    published::save(*model, box.path);
    auto again = published::open(box.path);
    CHECK(seen_by(*again, "classes") == said);
    CHECK(published::labels_of(*again) == std::vector<std::string>{"bad", "so so", "good"});
    CHECK(again->config.is_for("SequenceClassification"));
    // Tuned for the same labels: the head stays. For others: it is drawn.
    CHECK(seen_by(*published::open_for_classes(box.path, {.labels = {"bad", "so so", "good"}, .seed = 9}), "classes") ==
          said);
    CHECK(seen_by(*published::open_for_classes(box.path, {.labels = {"a", "b", "c"}, .seed = 9}), "classes") != said);
  }
}
