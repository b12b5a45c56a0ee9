// Folders of published models: incomplete, damaged, of another kind, or with what heed does not implement.
#include <filesystem>

#include "nn/attention/positions/rope.h"
#include "nn/attention/positions/scaled_rope.h"
#include "nn/io/json.h"
#include "nn/io/mapped_file.h"
#include "nn/published/generate.h"
#include "tests/nn/bad_input/refuses.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::bad_input;
namespace published = heed::nn::published;

namespace {

std::string golden_folder(const std::string& name) { return source_dir() + "/tests/golden/published/" + name; }

// A copy of the folder of a model, in the box.
std::string copy_of(const std::string& model, const std::string& name) {
  io::make_folder(in_box(name));
  for (const char* one : {"/config.json", "/model.safetensors"})
    io::atomic_write(in_box(name) + one, io::read_file(golden_folder(model) + one));
  return in_box(name);
}

// The same with another configuration.
std::string configured(const std::string& model, const std::string& name, const std::string& key, io::Json value) {
  const std::string folder = copy_of(model, name);
  io::Json config = io::parse(io::read_file(folder + "/config.json"), "config.json");
  config.set(key, std::move(value));
  io::atomic_write(folder + "/config.json", config.dump());
  return folder;
}

// The same with other weights.
template <class Change>
std::string weighted(const std::string& model, const std::string& name, const Change& change) {
  const std::string folder = copy_of(model, name), path = folder + "/model.safetensors";
  io::SafeTensors file = io::load_safetensors(path);
  change(file.tensors);
  io::save_safetensors(path, file);
  return folder;
}
using Named = std::vector<std::pair<std::string, Tensor>>;

void index_of(const std::string& folder, const std::string& map) {
  io::atomic_write(folder + "/model.safetensors.index.json", "{\"weight_map\": {" + map + "}}");
}

void opened(const std::string& folder) { published::open(folder); }
void read(const std::string& folder) {
  published::open(folder)->read({.ids = Tensor::from(std::vector<int64_t>{1, 2}, {1, 2})});
}

}  // namespace

TEST_CASE("published models: config.json") {
  refuses<IoError>("open: folder config.json got ~/nothing", [] { opened(in_box("nothing")); });
  io::make_folder(in_box("graph"));
  file("graph/model.json", "{}");
  refuses<IoError>("open: folder config.json got ~/graph model.json TensorFlow.js", [] { opened(in_box("graph")); });
  io::make_folder(in_box("list"));
  file("list/config.json", "[1]");
  refuses<IoError>("~/list/config.json: object got an array", [] { opened(in_box("list")); });
  file("list/config.json", "{");
  refuses<IoError>("~/list/config.json: JSON", [] { opened(in_box("list")); });
  auto with = [](const char* row, const char* model, const std::string& key, const io::Json& value) {
    const std::string folder = configured(model, key, key, value);
    refuses<IoError>(row, [&] { opened(folder); });
  };
  with("~/model_type/config.json: model_type family got brt nearest bert", "albert", "model_type", "brt");
  with("~/auto_map/config.json: auto_map code got AutoModel hint", "albert", "auto_map",
       io::Json::object({{"AutoModel", "own.Model"}}));
  with("~/quantization_config/config.json: quantization_config quantised got bits 4 hint", "albert",
       "quantization_config", io::Json::object({{"bits", 4}}));
  with("~/is_decoder/config.json: is_decoder only false got true", "bert-classify", "is_decoder", true);
  with("~/position_embedding_type/config.json: position_embedding_type only absolute got relative_key", "bert-classify",
       "position_embedding_type", "relative_key");
  with("~/new_factor/config.json: new_factor not implemented bert got 2 hint", "bert-classify", "new_factor", 2);
  with("~/hidden_size/config.json: hidden_size integer got a string", "bert-classify", "hidden_size", "x");
  with("~/vocab_size/config.json: vocab_size 1 16777216 got 1000000000000", "bert-classify", "vocab_size",
       int64_t{1000000000000});
  with("~/num_hidden_layers/config.json: num_hidden_layers 1 1024 got 0", "bert-classify", "num_hidden_layers", 0);
  with("~/hidden_act/config.json: hidden_act activation got snake", "bert-classify", "hidden_act", "snake");
  with("~/inner_group_num/config.json: inner_group_num only 1 got 2", "albert", "inner_group_num", 2);
  with("~/num_hidden_groups/config.json: num_hidden_groups layers got 9", "albert", "num_hidden_groups", 9);
  with("~/rope_scaling/config.json: rope_scaling rule got yarn", "llama3", "rope_scaling",
       io::Json::object({{"rope_type", "yarn"}, {"factor", 2.0}}));
  with("~/rope_scaling/config.json: rope_scaling rule attention_factor not implemented got linear", "llama3",
       "rope_scaling", io::Json::object({{"rope_type", "linear"}, {"factor", 2.0}, {"attention_factor", 0.5}}));
  with("~/scale_attn_by_inverse_layer_idx/config.json: scale_attn_by_inverse_layer_idx only false got true", "gpt2",
       "scale_attn_by_inverse_layer_idx", true);
  with("~/feed_forward_proj/config.json: feed_forward_proj activation got gated-snake", "t5_gated", "feed_forward_proj",
       "gated-snake");
  with("~/layer_types/config.json: layer_types full_attention got odd", "qwen3", "layer_types",
       io::Json::array({"odd", "odd"}));
  with("~/classifier_pooling/config.json: classifier_pooling cls mean got max", "modernbert", "classifier_pooling",
       "max");
}

TEST_CASE("published models: sizes that cannot be") {
  const std::string heads = configured("albert", "heads", "num_attention_heads", 5);
  refuses<IoError>("open: ~/heads config.json describe got heads divide 5 32", [&] { opened(heads); });
  CHECK(published::is_published(heads));
  io::make_folder(in_box("other_program"));
  file("other_program/config.json", "{}");
  CHECK_FALSE(published::is_published(in_box("other_program")));
  CHECK_FALSE(published::is_published(in_box("no_such_folder")));
}

TEST_CASE("published models: weights") {
  const std::string bare = copy_of("albert", "bare");
  std::filesystem::remove(bare + "/model.safetensors");
  refuses<IoError>("open: ~/bare model.safetensors got neither", [&] { opened(bare); });
  file("bare/pytorch_model.bin", "PK");
  refuses<IoError>("open: ~/bare model.safetensors got pytorch_model.bin pickle hint convert", [&] { opened(bare); });
  const std::string cut = copy_of("albert", "cut");
  std::filesystem::resize_file(cut + "/model.safetensors", 5000);
  refuses<IoError>("load: ~/cut/model.safetensors", [&] { opened(cut); });

  const char* norm = "albert.embeddings.LayerNorm.weight";
  auto without = weighted("albert", "without",
                          [&](Named& all) { std::erase_if(all, [&](const auto& one) { return one.first == norm; }); });
  refuses<IoError>("open: ~/without albert tensor albert.embeddings.LayerNorm.weight [16] got none",
                   [&] { opened(without); });
  auto more = weighted("albert", "more", [](Named& all) { all.emplace_back("extra", Tensor::ones({2, 3})); });
  refuses<IoError>("open: ~/more no other tensors got extra [2, 3]", [&] { opened(more); });
  auto shaped = weighted("albert", "shaped", [&](Named& all) {
    for (auto& [name, tensor] : all)
      if (name == norm) tensor = Tensor::ones({17});
  });
  refuses<ValueError>("open: 16 bits not trained got trainable", [] {
    (void)published::open(golden_folder("albert"), {.trainable = true, .keep_16_bits = true});
  });
  refuses<ValueError>("open: 16 bits not trained got f64", [] {
    (void)published::open(golden_folder("albert"), {.dtype = DType::f64, .keep_16_bits = true});
  });
  refuses<IoError>("open: ~/shaped albert.embeddings.LayerNorm.weight shape [16] got f32 [17]",
                   [&] { opened(shaped); });
  auto nan = weighted("albert", "nan", [&](Named& all) {
    for (auto& [name, tensor] : all)
      if (name == norm) tensor.set({3}, kNan);
  });
  refuses<IoError>("open: ~/nan finite got NaN albert.embeddings.LayerNorm.weight", [&] { read(nan); });
  auto other = copy_of("albert", "other");
  io::atomic_write(other + "/model.safetensors", io::read_file(golden_folder("gpt2") + "/model.safetensors"));
  refuses<IoError>("open: ~/other albert tensor albert.embeddings.word_embeddings.weight got none",
                   [&] { opened(other); });

  auto huge = configured("albert", "huge", "vocab_size", 1 << 24);
  refuses<IoError>("open: ~/huge sizes got 16777216 16 numbers", [&] { opened(huge); });

  const std::string mapped = in_box("mapped.safetensors");
  io::save_safetensors(mapped, {{{"x", Tensor::ones({4})}}, {}});
  const io::MappedTensors open_file = io::map_safetensors(mapped);
  std::filesystem::resize_file(mapped, 8);
  refuses<IoError>("load: ~/mapped.safetensors length got 8", [&] { open_file.file->require_whole(); });
}

TEST_CASE("published models: weights in several files") {
  const std::string shards = copy_of("albert", "shards");
  const char* a = "\"x\": \"model-1.safetensors\"";
  io::save_safetensors(shards + "/model-1.safetensors", {{{"x", Tensor::ones({1})}, {"y", Tensor::ones({1})}}, {}});
  std::filesystem::remove(shards + "/model.safetensors");
  index_of(shards, "");
  refuses<IoError>("open: ~/shards must list files got none", [&] { opened(shards); });
  index_of(shards, "\"x\": \"../x.safetensors\"");
  refuses<IoError>("open: ~/shards safetensors files of the folder got ../x.safetensors", [&] { opened(shards); });
  index_of(shards, a);
  refuses<IoError>("open: ~/shards tensor of model-1.safetensors listed got y", [&] { opened(shards); });
  index_of(shards, std::string(a) + ", \"y\": \"model-1.safetensors\", \"z\": \"model-1.safetensors\"");
  refuses<IoError>("open: ~/shards model-1.safetensors tensors lists got z", [&] { opened(shards); });
  index_of(shards, std::string(a) + ", \"y\": \"model-2.safetensors\"");
  refuses<IoError>("open: ~/shards file that names got y model-1.safetensors model-2.safetensors",
                   [&] { opened(shards); });
  index_of(shards, "\"y\": \"model-0.safetensors\", \"x\": \"model-1.safetensors\"");
  refuses<IoError>("open: ~/shards every file got model-0.safetensors", [&] { opened(shards); });
  index_of(shards, std::string(a) + ", \"y\": \"model-1.safetensors\"");
  io::save_safetensors(shards + "/model-3.safetensors", {{{"x", Tensor::ones({1})}}, {}});
  refuses<IoError>("open: ~/shards file of weights got model-3.safetensors", [&] { opened(shards); });
  auto twice = weighted("albert", "twice",
                        [](Named& all) { all.emplace_back("albert.embeddings.LayerNorm.gamma", Tensor::ones({16})); });
  refuses<IoError>("open: ~/twice once got albert.embeddings.LayerNorm.weight twice", [&] { opened(twice); });
  refuses<IoError>("save: ~/shards index got",
                   [&] { published::save(*published::open(golden_folder("albert")), shards); });
}

TEST_CASE("published models: calls") {
  auto bert = published::open(golden_folder("bert-classify"));
  auto ids = [](std::vector<int64_t> all) {
    const auto n = static_cast<int64_t>(all.size());
    return Tensor::from(all, {1, n});
  };
  refuses<InputError>("read: tokens 0 399 got 400 hint", [&] { bert->read({.ids = ids({2, 400})}); });
  refuses<InputError>("Tower: 64 positions got 64 70", [&] { bert->read({.ids = ids(std::vector<int64_t>(70, 5))}); });
  refuses<ShapeError>("Tower: ids got f32 [2, 3]", [&] { bert->read({.ids = matrix()}); });
  refuses<ShapeError>("Tower: mask got [1, 3] [1, 2]", [&] {
    bert->read({.ids = ids({2, 3}), .mask = Tensor::ones({1, 3}, DType::boolean)});
  });
  refuses<ShapeError>("Tower: factors 2 layers got 3", [&] {
    bert->read({.ids = ids({2, 3})}, {.encoder = published::HeadFactors(3)});
  });
  refuses<ValueError>("logits: head translation got",
                      [&] { bert->logits("translation", bert->read({.ids = ids({2})})); });
  published::TowerMemory memory;
  refuses<ValueError>("extend: decoder got bert", [&] { bert->extend({.ids = ids({2})}, memory); });
  refuses<ValueError>("Tower: block got none", [] { published::Tower({.vocabulary = 3}, dice); });
  nn::HeadPositionOptions part = nn::chosen<nn::Rope>({.share = 0.4});
  part.query = part.key = 8;
  refuses<ValueError>("rope: part pairs got 3 8", [&] { nn::Rope(part, dice); });
  nn::HeadPositionOptions scaled = nn::chosen<nn::ScaledRope>({.slow = 4, .fast = 4});
  scaled.query = scaled.key = 8;
  refuses<ValueError>("rope_linear: fast slow got 4 4", [&] { nn::ScaledRope(scaled, dice); });
}

TEST_CASE("published models: generation_config.json") {
  auto with = [](const char* row, const std::string& name, const std::string& text) {
    const std::string folder = copy_of("gpt2", "g_" + name);
    file("g_" + name + "/generation_config.json", text.c_str());
    const auto model = published::open(folder);
    refuses<IoError>(row, [&] { published::generation_options(*model); });
  };
  with("~/g_list/generation_config.json: object got an array", "list", "[]");
  with("~/g_typical_p/generation_config.json: typical_p only 1 implemented got 0.9", "typical_p",
       R"({"typical_p": 0.9})");
  with("~/g_magic/generation_config.json: magic not implemented got 3", "magic", R"({"magic": 3})");
  with("~/g_eos/generation_config.json: eos_token_id numbers of tokens got -1", "eos", R"({"eos_token_id": [2, -1]})");
  with("~/g_bad/generation_config.json: bad_words_ids list of lists got 3", "bad", R"({"bad_words_ids": [3]})");
  with("~/g_stop/generation_config.json: stop_strings texts got", "stop", R"({"stop_strings": [""]})");
  with("~/g_early/generation_config.json: early_stopping true false never got soon", "early",
       R"({"early_stopping": "soon"})");
  with("~/g_beams/generation_config.json: num_beams number rule got 0", "beams", R"({"num_beams": 0})");
  with("~/g_top_p/generation_config.json: top_p number rule got 2", "top_p", R"({"top_p": 2})");
}

TEST_CASE("published models: what cannot be written") {
  const auto gpt2 = published::open(golden_folder("gpt2")), bert = published::open(golden_folder("bert-classify")),
             t5 = published::open(golden_folder("t5_gated"));
  auto write = [](const published::Model& model, std::vector<int64_t> text, published::GenerationOptions o,
                  published::GenerateCall call = {}) { published::generate(model, {std::move(text)}, o, call); };
  refuses<ValueError>("generate: draws generator got none", [&] { write(*gpt2, {1}, {.sampled = true}); });
  refuses<ValueError>("generate: beam draws got 2",
                      [&] { write(*gpt2, {1}, {.beams = 2}, {.watcher = [](size_t, int64_t) { return true; }}); });
  refuses<ValueError>("generate: wanted got 2 1", [&] { write(*gpt2, {1}, {}, {.wanted = 2}); });
  refuses<ValueError>("generate: head next got bert", [&] { write(*bert, {1}, {}); });
  refuses<IoError>("generate: decoder_start_token_id begins", [&] { write(*t5, {1}, {}); });
  refuses<InputError>("generate: text token got none 0", [&] { write(*gpt2, {}, {}); });
  refuses<InputError>("generate: place got 64 64 64", [&] { write(*gpt2, std::vector<int64_t>(64, 5), {}); });
  refuses<InputError>("generate: place got 3 64 3", [&] { write(*gpt2, {1, 2, 3}, {.length = 3}); });
}
