// Models that are begun or trained on: adapters, heads of classes, tokenizers that are learned.
#include "nn/layers.h"
#include "nn/lora.h"
#include "nn/published/new_model.h"
#include "nn/tokenizers/learn.h"
#include "tests/nn/bad_input/refuses.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::bad_input;
namespace published = heed::nn::published;

TEST_CASE("new models: adapters") {
  refuses<ValueError>("Lora: rank smaller side got rank 4 [3, 5]", [] { nn::Lora({.in = 5, .out = 3}, dice); });
  refuses<ValueError>("Lora: rank smaller side got rank 0 [3, 5]",
                      [] { nn::Lora({.in = 5, .out = 3, .rank = 0}, dice); });
  refuses<ValueError>("LoraModel: rank smaller side pattern fits got rank 4 * weight [3, 5] narrower", [] {
    nn::Linear layer({.in = 5, .out = 3}, dice);
    nn::LoraModel(layer, {.where = "*"}, dice);
  });
  refuses<ValueError>("LoraModel: pattern name matrix got *.v_proj there are weight", [] {
    nn::Linear layer({.in = 5, .out = 5}, dice);
    nn::LoraModel(layer, {.where = "*.v_proj"}, dice);
  });
  refuses<ValueError>("LoraModel: pattern name matrix got *.v_proj there are weight", [] {
    nn::Linear layer({.in = 5, .out = 3}, dice);
    nn::LoraModel(layer, {.rank = 2, .where = "weight,*.v_proj"}, dice);
  });
}

TEST_CASE("new models: classes") {
  const std::string golden = source_dir() + "/tests/golden/published/";
  refuses<ValueError>("open_for_classes: two labels got 1",
                      [&] { published::open_for_classes(golden + "bert-classify", {.labels = {"one"}}); });
  refuses<ValueError>("open_for_classes: encoder got gpt2", [&] {
    published::open_for_classes(golden + "gpt2", {.labels = {"a", "b"}});
  });
  refuses<IoError>("json: model_type family got berd nearest bert", [] {
    published::make(io::Json::object({{"model_type", "berd"}}), 1);
  });
  refuses<ValueError>("MultiHeadAttention: heads must divide width got 3 8",
                      [] { published::make(published::bert_config({.width = 8, .heads = 3}), 1); });
}

TEST_CASE("new models: tokenizers") {
  refuses<InputError>("learn tokenizer: words got none", [] { tokenizers::learn_wordpiece({" ", ""}); });
  refuses<InputError>("learn tokenizer: vocabulary room 16 got 8",
                      [] { tokenizers::learn_wordpiece({"a text"}, {.vocabulary = 8}); });
  refuses<InputError>("learn tokenizer: vocabulary room 264 got 200",
                      [] { tokenizers::learn_byte_pairs({"a text"}, {.vocabulary = 200}); });
}
