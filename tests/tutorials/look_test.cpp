// heed look: the answer without heads and words is the library's, on an encoder, a decoder and an encoder-decoder, and
// on what heed has trained; the figures of heads are what they say; the page keeps scores that give the weights again.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/io/file.h"
#include "nn/models/bahdanau.h"
#include "nn/models/deep_fusion.h"
#include "nn/models/luong.h"
#include "nn/models/translator.h"
#include "nn/sentence/sentence_encoder.h"
#include "tests/refuses.h"
#include "tests/source_dir.h"
#include "tutorials/app/look_page.h"
#include "tutorials/app/look_without.h"

using namespace heed;
using namespace heed::app;
using heed::bad_input::refuses;
namespace fs = std::filesystem;

namespace {

// A model of tests/golden with a tokenizer, in a folder of this run.
struct LookFolder {
  std::string path;
  LookFolder(const std::string& model, const std::string& tokenizer_json, const std::string& config = "{}")
      : path((fs::temp_directory_path() / ("heed-look-" + std::to_string(getpid()) + "-" + model)).string()) {
    fs::remove_all(path);
    io::make_folder(path);
    for (const char* file : {"config.json", "model.safetensors"})
      fs::copy(source_dir() + "/tests/golden/published/" + model + "/" + file, path);
    io::atomic_write(path + "/tokenizer.json", tokenizer_json);
    io::atomic_write(path + "/tokenizer_config.json", config);
  }
  ~LookFolder() { fs::remove_all(path); }
};

std::string golden_tokenizer(const std::string& name) {
  return io::read_file(source_dir() + "/tests/golden/tokenizers/" + name + ".json");
}

// Eleven words, cut at spaces, and </s> at the end.
const char* const kFewWords = R"({"version": "1.0", "added_tokens": [], "normalizer": null,
  "pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": null,
  "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}},
    {"SpecialToken": {"id": "</s>", "type_id": 0}}], "pair": [{"Sequence": {"id": "A", "type_id": 0}},
    {"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
  "model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<pad>": 0, "</s>": 1, "<unk>": 2, "the": 3, "cat": 4,
    "sat": 5, "on": 6, "a": 7, "mat": 8, "dog": 9, "ran": 10}}})";

struct LookCase {
  std::string folder, text;
  std::optional<std::string> second = {};
  std::string kind;
};

// What the library answers with this model: every word's logits, of which the asking one counts.
std::vector<double> by_library(const nn::published::Model& model, const LookSubject& look, const LookWithout& hidden) {
  auto ids = [](const LookWords& words) { return Tensor::from(words.ids, {1, words.size()}); };
  auto mask = [](const LookWords& words, const std::vector<int64_t>& off) {
    Tensor out = Tensor::ones({1, words.size()}, DType::boolean);
    for (int64_t i : off) out.set({0, i}, 0);
    return out;
  };
  const LookWords& own = model.encoder ? look.source() : look.target();
  nn::published::Inputs in{.ids = ids(own), .mask = mask(own, model.encoder ? hidden.source : hidden.target)};
  if (model.encoder && model.encoder->options.kinds > 0) in.kinds = Tensor::from(own.kinds, {1, own.size()});
  if (model.encoder && look.target().size() > 0)
    in.target_ids = ids(look.target()), in.target_mask = mask(look.target(), hidden.target);
  const nn::published::Answer answer = model.read(in);
  if (look.kind() == "classes") return softmax(model.logits("classes", answer), -1).value().to_vector();
  if (look.kind() != "sentence_vector")
    return softmax(select(select(model.logits(look.kind(), answer), 0, 0), 0, look.asking()), -1).value().to_vector();
  const std::vector<double> x = answer.of_heads().last().value().to_vector();
  const size_t D = x.size() / static_cast<size_t>(own.size());
  std::vector<double> mean(D);
  double words = 0;
  for (int64_t s = 0; s < own.size(); ++s) {
    if (in.mask.at({0, s}) == 0) continue;
    ++words;
    for (size_t d = 0; d < D; ++d) mean[d] += x[static_cast<size_t>(s) * D + d];
  }
  for (double& one : mean) one /= words;
  return mean;
}

double furthest(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

// The numbers of a model in which the output of one head is 0: `columns` of its output projection [D, H K] are.
template <class Numbers>
std::vector<double> without_head(Tensor columns, const LookAttention& of, int64_t head, const Numbers& numbers) {
  const Tensor before = columns.contiguous().clone();
  const int64_t K = columns.size(1) / of.heads;
  for (int64_t row = 0; row < columns.size(0); ++row)
    for (int64_t k = 0; k < K; ++k) columns.set({row, head * K + k}, 0);
  const std::vector<double> out = numbers();
  for (int64_t row = 0; row < columns.size(0); ++row)
    for (int64_t k = 0; k < K; ++k) columns.set({row, head * K + k}, before.at({row, head * K + k}));
  return out;
}

void check_case(const LookCase& one) {
  NoGrad guard;
  CAPTURE(one.folder);
  const LookSubject look({one.folder, one.text, one.second});
  CHECK(look.kind() == one.kind);
  auto model = nn::published::open(one.folder, {.dtype = DType::f64});
  CHECK(furthest(look.answer().numbers, by_library(*model, look, {})) <= 1e-5);
  for (const LookAttention& of : look.attentions()) {
    CAPTURE(of.name);
    const LookHead off{of.name, static_cast<int64_t>(of.weights.size()) - 1, of.heads - 2};
    const LookAnswer after = look.answers({{.heads = {off}}})[0];
    nn::published::Tower& tower = of.name == "encoder" ? *model->encoder : *model->decoder;
    nn::published::Block& block = tower.blocks[static_cast<size_t>(off.layer)];
    const Tensor columns = (of.name == "cross" ? block.cross->out_proj : block.self.out_proj).weight.value();
    CHECK(furthest(after.numbers, without_head(columns, of, off.head, [&] { return by_library(*model, look, {}); })) <=
          1e-5);
    CHECK(change(look.answer(), after) > 1e-5);
  }
  LookWithout hidden;
  if (look.source().size() > 0) hidden.source = {1};
  if (look.target().size() > 1) hidden.target = {0};
  const LookAnswer after = look.answers({{}, hidden})[1];  // beside a text with all its words
  CHECK(furthest(after.numbers, by_library(*model, look, hidden)) <= 1e-5);
  CHECK(change(look.answer(), after) > 1e-6);
}

// ---- what heed has trained, with the weights that a training begins with

struct OwnFolder {
  std::string path;
  explicit OwnFolder(const std::string& name)
      : path((fs::temp_directory_path() / ("heed-look-" + std::to_string(getpid()) + "-own-" + name)).string()) {
    fs::remove_all(path);
    io::make_folder(path);
  }
  ~OwnFolder() { fs::remove_all(path); }
  std::string file() const { return path + "/model.safetensors"; }
};

const std::vector<std::vector<std::string>> kSentences = {{"the", "cat", "sat", "on", "a", "mat"},
                                                          {"a", "dog", "ran", "here"}};

nn::TransformerOptions small_transformer() {
  return {.model = 16, .heads = 4, .inner = 16, .encoder_layers = 2, .decoder_layers = 2, .dropout = 0};
}

void save_translator(const OwnFolder& folder, const nn::AnyPaper& paper) {
  nn::Translator t({{}, text::Vocabulary(kSentences), text::Vocabulary(kSentences)}, paper, 3);
  t.epochs = 1;
  t.save(folder.file(), {});
}

Tensor ids_of(const LookWords& words) { return Tensor::from(words.ids, {1, words.size()}); }

// The words after the first `length` of the source are padding.
std::vector<double> by_translator(const nn::Translator& t, const LookSubject& look, int64_t length) {
  const Variable logits =
      t.model(ids_of(look.source()), Tensor::from(std::vector<int64_t>{length}, {1}), ids_of(look.target()));
  return softmax(select(select(logits, 0, 0), 0, look.asking()), -1).value().to_vector();
}

// By an attention mask, with which every word keeps its place: a word of the source and one of the target are hidden.
std::vector<double> by_mask(const nn::Transformer& model, const LookSubject& look, int64_t source, int64_t target) {
  Tensor of_source = Tensor::ones({1, 1, look.source().size()}, DType::boolean),
         of_target = Tensor::ones({1, 1, look.target().size()}, DType::boolean);
  of_source.set({0, 0, source}, 0), of_target.set({0, 0, target}, 0);
  const Variable m =
      model.encoder(model.source_embedding(ids_of(look.source())), {.self = {.allowed = of_source}}).output;
  const Variable h = model
                         .decoder(model.target_embedding(ids_of(look.target())),
                                  {.self = {.allowed = of_target}, .memory = m, .cross = {.allowed = of_source}})
                         .output;
  return softmax(model.logits(select(select(h, 0, 0), 0, look.asking())), -1).value().to_vector();
}

// The rows of the page are softmaxes of what it keeps.
void check_rows(const LookAttention& of) {
  for (size_t layer = 0; layer < of.weights.size(); ++layer)
    CHECK(furthest(softmax(Variable(of.logits[layer]), -1).value().to_vector(), of.weights[layer].to_vector()) <= 1e-5);
}

void check_translator(const nn::TransformerOptions& options, bool softmax_rows) {
  NoGrad guard;
  const OwnFolder folder("translator");
  save_translator(folder, nn::paper_of<nn::Transformer>(options));
  const LookSubject look({folder.path, "the cat sat on a mat", "a dog ran"});
  nn::Translator t = nn::Translator::load(folder.file());
  nn::convert(t.model, DType::f64);
  const int64_t S = look.source().size();
  auto by_model = [&] { return by_translator(t, look, S); };
  CHECK(look.kind() == "next_word");
  CHECK(look.source().shown.back() == "</s>");
  CHECK(look.target().shown == std::vector<std::string>{"<s>", "a", "dog", "ran"});
  CHECK(furthest(look.answer().numbers, by_model()) <= 1e-5);
  auto* model = t.model.as<nn::Transformer>();
  REQUIRE(look.attentions().size() == 3);
  for (const LookAttention& of : look.attentions()) {
    CAPTURE(of.name);
    CHECK(of.softmax == softmax_rows);
    check_rows(of);
    REQUIRE(of.weights.size() == 2);
    for (int64_t layer = 0; layer < 2; ++layer) {
      const LookAnswer after = look.answers({{}, {.heads = {{of.name, layer, 2}}}})[1];
      nn::TransformerLayer& at =
          (of.name == "encoder" ? model->encoder : model->decoder).layers[static_cast<size_t>(layer)];
      const Tensor columns = (of.name == "cross" ? at.multihead_attn : at.self_attn)->out_proj.weight.value();
      CHECK(furthest(after.numbers, without_head(columns, of, 2, by_model)) <= 1e-5);
      CHECK(change(look.answer(), after) > 1e-5);
    }
  }
  const LookAnswer after = look.answers({{}, {.source = {S - 1}}})[1];
  CHECK(furthest(after.numbers, by_translator(t, look, S - 1)) <= 1e-5);
  CHECK(change(look.answer(), after) > 1e-6);
  if (options.evaluator != "linear")  // which takes no attention mask
    for (const int64_t word : {0, 1}) {
      const LookAnswer hidden = look.answers({{.source = {word}, .target = {word}}})[0];
      CHECK(furthest(hidden.numbers, by_mask(*model, look, word, word)) <= 1e-5);
      CHECK(change(look.answer(), hidden) > 1e-6);
    }
  const auto lens = look.lens(5);
  REQUIRE(lens.size() == 3);  // the input and two layers
  for (size_t i = 0; i < 5; ++i) {
    const report::Candidate last = lens[2].back()[i], best = look.answer().best[i];
    CHECK(last.word == best.word);
    CHECK(last.probability == doctest::Approx(best.probability).epsilon(1e-4));
  }

  const LookSubject writes({folder.path, "the cat sat on a mat"});  // as heed translate does, greedily
  const nn::Translation greedy = nn::Translator::load(folder.file()).translate("the cat sat on a mat");
  CHECK(writes.model().written == greedy.text);
  CHECK(writes.target().size() == std::max<int64_t>(1, std::ssize(greedy.target)));
  std::vector<report::Candidate> best = writes.answer().best;  // a search never writes <pad> and <s>
  std::erase_if(best, [](const auto& one) { return one.word == "<pad>" || one.word == "<s>"; });
  if (!greedy.target.empty()) CHECK(best.at(0).word == greedy.target.back());
}

// A recurrent translator: the one head is off where the context is 0, which a hook of the library's attention does.
template <class M>
void check_recurrent(const typename M::Options& options) {
  NoGrad guard;
  const OwnFolder folder("recurrent");
  save_translator(folder, nn::paper_of<M>(options));
  const LookSubject look({folder.path, "the cat sat on a mat", "a dog ran"});
  nn::Translator t = nn::Translator::load(folder.file());
  nn::convert(t.model, DType::f64);
  const int64_t S = look.source().size(), T = look.target().size();
  CHECK(furthest(look.answer().numbers, by_translator(t, look, S)) <= 1e-5);
  REQUIRE(look.attentions().size() == 1);
  const LookAttention& of = look.attentions()[0];
  CHECK(look.name_of(heads_in("0.0", look)[0]) == "0.0");
  refuses<InputError>("look: --without 1 layer with 1 head each got 1.0", [&] { heads_in("1.0", look); });
  CHECK(of.softmax);
  check_rows(of);
  CHECK(of.weights[0].shape() == Shape{1, T, S});
  Variable alignment;
  t.model(ids_of(look.source()), Tensor::from(std::vector<int64_t>{S}, {1}), ids_of(look.target()), &alignment);
  CHECK(furthest(of.weights[0].to_vector(), alignment.value().to_vector()) <= 1e-5);

  const std::vector<LookAnswer> after = look.answers({{}, {.heads = {{"cross", 0, 0}}}, {.source = {2}}});
  CHECK(furthest(after[0].numbers, look.answer().numbers) <= 1e-6);
  auto* model = t.model.as<M>();
  model->attention.output_hooks.push_back(
      [](std::string_view name, const Variable& c) { return name == "context" ? c * 0.0 : Variable(); });
  CHECK(furthest(after[1].numbers, by_translator(t, look, S)) <= 1e-5);
  model->attention.output_hooks.clear();
  CHECK(change(after[0], after[1]) > 1e-6);

  auto [memory, state] = model->encode(ids_of(look.source()), Tensor::from(std::vector<int64_t>{S}, {1}));
  memory.allowed = Tensor::ones({1, 1, S}, DType::boolean), memory.clean = false;
  memory.allowed.set({0, 0, 2}, 0);  // word 2
  const nn::Decoded d = nn::decode(*model, ids_of(look.target()), memory, state, false);
  CHECK(furthest(after[2].numbers,
                 softmax(select(select(nn::logits_of(*model, d, memory), 0, 0), 0, T - 1), -1).value().to_vector()) <=
        1e-5);
  CHECK(change(after[0], after[2]) > 1e-6);

  LookWithout without;
  refuses<InputError>("look: --hide source recurrent got target:1", [&] { hide_words("target:1", look, without); });
  const Effects effects = effects_of(look, 64);
  CHECK(effects.heads.size() == 1);
  CHECK(std::ssize(effects.source) == S);
  CHECK(effects.target.empty());
  const std::string page = look_page(look, effects, {.model = "m"}).html();
  CHECK(page.find("\"kind\":\"look_key\"") != std::string::npos);
  for (const char* panel : {"look_lens", "look_cache"})
    CHECK(page.find("\"kind\":\"" + std::string(panel) + "\"") == std::string::npos);
  CHECK(page.find("none of them is hidden") != std::string::npos);
}

}  // namespace

TEST_CASE("look: the answer without a head or a word is the library's") {
  const LookFolder gpt2("gpt2", golden_tokenizer("deepseek")), bert("bert-classify", golden_tokenizer("fixed")),
      mpnet("mpnet", golden_tokenizer("fixed"), R"({"mask_token": "[MASK]"})"),
      t5("t5_gated", kFewWords, R"({"eos_token": "</s>"})");
  std::vector<LookCase> cases = {{gpt2.path, "the cat is here and there", {}, "next_word"},
                                 {bert.path, "the cat is here", "and a dog", "classes"},
                                 {mpnet.path, "the cat [MASK] here and", {}, "masked_words"},
                                 {mpnet.path, "the cat is here and", {}, "sentence_vector"},
                                 {t5.path, "the cat sat on a mat", "a dog ran", "next_word"}};
  const std::string models = "../shared/golden/models";
  if (io::is_folder(models)) {
    cases.push_back({models + "/bert-masked-lm", "the cat [MASK] here", {}, "masked_words"});
    cases.push_back({models + "/stories260K", "Once upon a time", {}, "next_word"});
    cases.push_back({models + "/marian", "the cat is here", {}, "next_word"});
    cases.push_back({models + "/bart", "the cat is here", "a dog", "next_word"});
    cases.push_back({models + "/st-roberta", "the cat is here", {}, "sentence_vector"});
  } else {
    MESSAGE("not compared: " << models << " is not there");
  }
  for (const LookCase& one : cases) check_case(one);
}

TEST_CASE("look: a transformer that heed has trained answers as its translator does, with heads and words off, too") {
  using Options = nn::TransformerOptions;
  const std::vector<std::tuple<const char*, bool, void (*)(Options&)>> variants = {
      {"as it is", true, [](Options&) {}},
      {"norm first, fewer keys", true, [](Options& o) { o.norm_first = true, o.kv_heads = 2; }},
      {"one bias for all layers", true, [](Options& o) { o.positions = "t5"; }},
      {"shared keys", true, [](Options& o) { o.shared_keys = 2; }},
      {"wrappers", true, [](Options& o) { o.around["attention_gate"].on = o.around["score_residual"].on = true; }},
      {"windows", true, [](Options& o) { o.mixers = "attention,window:1"; }},
      {"rotated places", true, [](Options& o) { o.positions = "rope", o.score = "additive"; }},
      {"another normaliser", false, [](Options& o) { o.normaliser = "sparsemax"; }},
      {"weights that are never stored", false, [](Options& o) { o.evaluator = "linear"; }}};
  for (const auto& one : variants) {
    CAPTURE(std::get<0>(one));
    nn::TransformerOptions options = small_transformer();
    std::get<2>(one)(options);
    check_translator(options, std::get<1>(one));
  }
}

TEST_CASE("look: the page of a translator of heed has every panel, or says what it leaves out") {
  const OwnFolder folder("page");
  save_translator(folder, nn::paper_of<nn::Transformer>(small_transformer()));
  auto page_of = [&] {
    const LookSubject look({folder.path, "the zebra sat on zebra", "a dog"});
    CHECK(look.model().unknown == std::vector<std::string>{"zebra"});
    CHECK(look.source().shown == std::vector<std::string>{"the", "<unk>", "sat", "on", "<unk>", "</s>"});
    const LookCache cache = look.model().cache(look.seen(), 1);
    REQUIRE(cache.steps.size() == 3);  // <s> a dog: of each word keys and values of 16 numbers in two layers
    CHECK(cache.steps[2].bytes == 3 * 2 * 2 * 16 * 4);
    CHECK(cache.steps[2].of_source == 6 * 2 * 2 * 16 * 4);
    return look_page(look, effects_of(look, 64), {.model = "m"}).html();
  };
  const std::string page = page_of();
  for (const char* panel :
       {"look_heads", "look_head", "look_answer", "look_key", "look_trust", "look_lens", "look_cache"})
    CHECK(page.find("\"kind\":\"" + std::string(panel) + "\"") != std::string::npos);
  nn::TransformerOptions other = small_transformer();
  other.normaliser = "sparsemax";
  save_translator(folder, nn::paper_of<nn::Transformer>(other));
  const std::string without = page_of();
  CHECK(without.find("\"kind\":\"look_key\"") == std::string::npos);
  CHECK(without.find("not the softmax of scores") != std::string::npos);
}

TEST_CASE("look: the sentence encoder of heed answers a mask, or with the mean of its last layer") {
  NoGrad guard;
  const OwnFolder folder("encoder");
  const text::VocabularyOptions specials{.more_specials = text::masked_specials};
  nn::SentenceEncoder({.tokenizer = {}, .vocabulary = text::Vocabulary(kSentences, specials)}, small_transformer(), 5)
      .save(folder.file());
  const LookSubject look({folder.path, "the cat [MASK] on a mat", "a dog"}), vector({folder.path, "the cat"});
  CHECK(look.source().shown ==
        std::vector<std::string>{"[CLS]", "the", "cat", "[MASK]", "on", "a", "mat", "[SEP]", "a", "dog", "[SEP]"});
  CHECK(look.kind() == "masked_words");
  CHECK(look.asking() == 3);
  nn::SentenceEncoder e = nn::SentenceEncoder::load(folder.file());
  CHECK(vector.kind() == "sentence_vector");
  CHECK(furthest(vector.answer().numbers, e.vectors({"the cat"}).to_vector()) <= 1e-5);
  nn::convert(e.model, DType::f64);
  auto by_model = [&] {
    const Tensor ids = ids_of(look.source()), length = Tensor::from(std::vector<int64_t>{ids.size(1)}, {1});
    return softmax(e.model(ids, length, data::segment_kinds(ids, e.marks().sep),
                           Tensor::from(std::vector<int64_t>{look.asking()}, {1})),
                   -1)
        .value()
        .to_vector();
  };
  CHECK(furthest(look.answer().numbers, by_model()) <= 1e-5);
  const LookAttention& of = look.attention("encoder");
  check_rows(of);
  const Tensor columns = e.model.reader.encoder.layers[1].self_attn->out_proj.weight.value();
  CHECK(furthest(look.answers({{.heads = {{"encoder", 1, 3}}}})[0].numbers, without_head(columns, of, 3, by_model)) <=
        1e-5);
  CHECK(look.lens(1).size() == 3);
  CHECK(LookSubject({folder.path, "[MASK]"}).source().size() == 3);
  refuses<InputError>("look: second text one word got empty", [&] { LookSubject({folder.path, "the", " "}); });
}

TEST_CASE("look: a recurrent translator of heed is one layer with one head") {
  const nn::WordOptions words{.width = 8};
  const nn::EncoderOptions encoder{.hidden = 8};
  const nn::DecoderOptions decoder{.hidden = 8};
  check_recurrent<nn::Bahdanau>({.source = words, .target = words, .encoder = encoder, .decoder = decoder});
  check_recurrent<nn::Luong>({.source = words, .target = words, .encoder = encoder, .decoder = decoder});
  check_recurrent<nn::Luong>(
      {.source = words, .target = words, .encoder = encoder, .decoder = decoder, .input_feeding = true});
  nn::DeepFusion::Options deep{.source = words, .target = words};
  deep.encoder.hidden = deep.decoder.hidden = 8;
  check_recurrent<nn::DeepFusion>(deep);
}

TEST_CASE("look: models of heed that the page cannot show") {
  const OwnFolder folder("refused");
  auto refused = [&](const nn::AnyPaper& paper, const char* words) {
    save_translator(folder, paper);
    refuses<InputError>(words, [&] { LookSubject({folder.path, "the cat"}); });
  };
  nn::TransformerOptions mixer = small_transformer(), sums = mixer, copies = mixer;
  mixer.mixers = "attention,average", sums.normaliser = "sigmoid", copies.output = "pointer_generator";
  refused(nn::paper_of<nn::Transformer>(mixer), "look: attention in every layer got mixer average layer 1 encoder");
  refused(nn::paper_of<nn::Transformer>(sums), "look: rows sum to 1 got normaliser sigmoid layer 0 encoder");
  refused(nn::paper_of<nn::Transformer>(copies), "look: vocabulary got pointer_generator");
  nn::Bahdanau::Options recurrent{.source = {.width = 4}, .target = {.width = 4}, .encoder = {.hidden = 4}};
  recurrent.decoder.hidden = 4, recurrent.attention.normaliser.name = "sigmoid";
  refused(nn::paper_of<nn::Bahdanau>(recurrent), "look: rows sum to 1 got normaliser sigmoid attention");
  recurrent.attention.normaliser.name = "softmax", recurrent.reader = "hard";
  refused(nn::paper_of<nn::Bahdanau>(recurrent), "look: mean by weights got reader");
  nn::AnyPaper fixed = nn::paper_called("cho");
  for (const char* size : {"encoder.hidden", "decoder.hidden", "source.width", "target.width"})
    nn::set_called(fixed.fields(), size, "4");
  refused(fixed, "look: attention got cho none one vector");
  fs::copy(source_dir() + "/tests/golden/published/gpt2/model.safetensors", folder.file(),
           fs::copy_options::overwrite_existing);
  refuses<InputError>("look: --model got heed.kind", [&] { LookSubject({folder.path, "the"}); });
}

TEST_CASE("look: heads and words by their names, and what cannot be looked at") {
  const LookFolder gpt2("gpt2", golden_tokenizer("deepseek")), t5("t5_gated", kFewWords, R"({"eos_token": "</s>"})");
  const LookSubject look({gpt2.path, "the cat is here"});
  CHECK(heads_in("1.3,0.0", look) == std::vector<LookHead>{{"decoder", 1, 3}, {"decoder", 0, 0}});
  CHECK(heads_in("decoder:1.3", look) == std::vector<LookHead>{{"decoder", 1, 3}});
  for (const char* text : {"", "1", "1.", ".1", "1.2.3", "a.b", "1.2,", "-1.0", "1.99999999"})
    refuses<InputError>("look: --without layer.head got hint 1.3", [&] { heads_in(text, look); });
  refuses<InputError>("look: --without 2 layers 4 heads got 2.0", [&] { heads_in("2.0", look); });
  refuses<InputError>("look: --without 2 layers 4 heads got 0.4", [&] { heads_in("0.4", look); });
  LookWithout without;
  const int64_t last = look.target().size() - 1;
  hide_words("0,1", look, without);
  CHECK(without.target == std::vector<int64_t>{0, 1});
  for (const std::string& text :
       {std::string("x"), std::string(""), std::string("-1"), std::to_string(last + 1), std::string("0,,1")})
    refuses<InputError>("look: --hide numbers target got hint 0", [&] { hide_words(text, look, without); });
  refuses<InputError>("look: --hide numbers target got \",\" hint", [&] { hide_words(",", look, without); });
  for (const std::string text : {"other:1", "source:0", ":1,other:0"})
    refuses<InputError>("look: --hide side target here got :", [&] { hide_words(text, look, without); });
  refuses<InputError>("look: --hide asks got", [&] { hide_words(std::to_string(last), look, without); });

  const LookSubject both({t5.path, "the cat", "a"});
  CHECK(both.name_of(heads_in("cross:1.1", both)[0]) == "cross:1.1");
  refuses<InputError>("look: --without encoder, decoder, cross got 1.0 hint cross:1.0", [&] { heads_in("1.0", both); });
  refuses<InputError>("look: --without layer.head got cross: hint cross:1.1", [&] { heads_in("cross:", both); });
  refuses<InputError>("look: --hide side source or target got foo:0", [&] { hide_words("foo:0", both, without); });
  CHECK(both.target().shown == std::vector<std::string>{"<pad>", "a"});  // the end token is what may be answered
  CHECK(LookSubject({t5.path, "the cat"}).target().size() >= 1);         // it writes itself

  refuses<InputError>("look: text one word got empty", [&] { LookSubject({gpt2.path, ""}); });
  refuses<InputError>("look: second text one word got empty", [&] { LookSubject({gpt2.path, "the", ""}); });
  std::string many;
  for (int i = 0; i < 200; ++i) many += "the cat ";
  refuses<InputError>("look: 64 tokens got hint", [&] { LookSubject({gpt2.path, many}); });
  refuses<InputError>("look: --model folder got nowhere", [] { LookSubject({"nowhere", "a"}); });
  refuses<InputError>("look: --model model_type model.safetensors got", [] {
    LookSubject({source_dir() + "/nn", "a"});
  });
  fs::remove(gpt2.path + "/tokenizer.json");
  CHECK_THROWS_AS(LookSubject({gpt2.path, "the"}), InputError);
}

TEST_CASE("look: figures of heads that do one thing, beside those of permuted rows") {
  const int64_t T = 5;
  Tensor scores = Tensor::full({T, T}, 0, DType::f32), before = Tensor::zeros({T, T}, DType::f32),
         even = before.clone();
  for (int64_t t = 0; t < T; ++t)
    for (int64_t s = 0; s < T; ++s) {
      if (s > t) scores.set({t, s}, -INFINITY);
      if (s == std::max<int64_t>(t - 1, 0)) before.set({t, s}, 1);
      if (s <= t) even.set({t, s}, 1 / static_cast<double>(t + 1));
    }
  const LookAttention causal{.name = "decoder", .causal = true, .targets = true};
  const LookWords words{
      .ids = {1, 5, 6, 5, 2}, .shown = {"<s>", "a", "b", "a", "</s>"}, .special = {true, false, false, false, true}};
  auto figure = [](const HeadFigures& all, const std::string& name) {
    for (const HeadFigure& one : all.all)
      if (one.name == name) return one;
    FAIL("no figure " << name);
    return HeadFigure{""};
  };
  const HeadFigures previous = figures_of(causal, before, words, words, scores),
                    spread = figures_of(causal, even, words, words, scores);
  CHECK(previous.role == "previous word");
  CHECK(figure(previous, "previous word").value == doctest::Approx(1));
  CHECK(figure(previous, "previous word").control == doctest::Approx((1 / 2. + 1 / 3. + 1 / 4. + 1 / 5.) / 4));
  CHECK(std::isnan(figure(previous, "next word").value));  // no row may read it
  CHECK(figure(previous, "first word").value == doctest::Approx(2 / 5.));
  CHECK(figure(previous, "same word").value == doctest::Approx(0));
  CHECK(figure(spread, "same word").value == doctest::Approx(1 / 4.));  // word 3 is word 1 again
  CHECK(figure(previous, "distance").value == doctest::Approx(4 / 5.));
  CHECK(figure(previous, "entropy").value == doctest::Approx(0));
  CHECK(spread.role == "spread evenly");
  for (const HeadFigure& one : spread.all)
    if (!std::isnan(one.value)) CHECK(one.value == doctest::Approx(one.control));
  CHECK(figure(spread, "separator").value == doctest::Approx(1 / 5.));

  CHECK(rank_correlation({1, 2, 3}, {10, 20, 90}) == doctest::Approx(1));
  CHECK(rank_correlation({1, 2, 3}, {3, 2, 1}) == doctest::Approx(-1));
  CHECK(rank_correlation({1, 1, 2}, {1, 2, 3}) == doctest::Approx(std::sqrt(0.75)));
  CHECK(rank_correlation({1, 1, 1}, {1, 2, 3}) == 0);
  const std::vector<double> up = {1, 2, 3, 4, 5, 6, 7, 8}, down(up.rbegin(), up.rend());
  CHECK(trust_of(up, up, 1).shuffled <= 0.01);
  CHECK(trust_of(up, down, 1).shuffled == 1);
}

TEST_CASE("look: the page keeps scores that give the weights again, and few heads of a long text") {
  const LookFolder gpt2("gpt2", golden_tokenizer("deepseek")), bert("bert-classify", golden_tokenizer("fixed"));
  const LookSubject look({gpt2.path, "the cat is here and there and the dog"});
  for (const LookAttention& one : look.attentions())
    for (size_t layer = 0; layer < one.scores.size(); ++layer)
      for (const bool fine : {true, false}) {
        const int64_t S = one.scores[layer].size(2);
        for (int64_t row = 0; row < one.heads * S; ++row) {
          const std::vector<unsigned> codes = packed_row(one.scores[layer].data<float>() + row * S, S, fine);
          double sum = 0, far = 0;
          std::vector<double> e;
          for (unsigned code : codes) {
            e.push_back(code == 0 ? 0 : std::exp((fine ? 30.0 / 65534 : 12.0 / 254) * (code - 1.0)));
            sum += e.back();
          }
          for (int64_t s = 0; s < S; ++s)
            far = std::max(far,
                           std::fabs(e[static_cast<size_t>(s)] / sum - one.weights[layer].data<float>()[row * S + s]));
          CHECK(far <= (fine ? 3e-4 : 0.03));
        }
      }
  const Effects effects = effects_of(look, 4);
  CHECK(effects.heads.size() == 8);
  CHECK(effects.target.size() <= 4);
  CHECK(effects.source.empty());
  const std::string whole = look_page(look, effects, {.model = "m"}).html(),
                    few = look_page(look, effects, {.model = "m", .room = 2000}).html();
  auto count = [](const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
    return n;
  };
  CHECK(count(whole, "\"detail\":") == 8);
  const size_t kept = count(few, "\"detail\":");
  CHECK(kept > 0);
  CHECK(kept < 8);
  CHECK(few.find("room for the whole weights of " + std::to_string(kept) + " of the 8 heads") != std::string::npos);
  CHECK(whole.find("look_cache") != std::string::npos);
  CHECK(look_page(look, effects, {.model = "m"}).html() == whole);  // the same run, the same bytes

  const LookSubject classes({bert.path, "the cat", "a dog"});
  const std::string other = look_page(classes, effects_of(classes, 64), {.model = "m"}).html();
  CHECK(other.find("cannot be read as words") != std::string::npos);
  CHECK(other.find("\"kind\":\"look_cache\"") == std::string::npos);
}
