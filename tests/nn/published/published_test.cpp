// Published models, compared with the answers of their own libraries, saved and opened again, read word by word,
// trained, and opened from large files.
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <set>
#include <thread>

#include "autograd/backward.h"
#include "autograd/modes.h"
#include "autograd/ops.h"
#include "nn/attention/positions/t5.h"
#include "nn/io/file.h"
#include "nn/io/mapped_file.h"
#include "nn/published/block.h"
#include "nn/published/new_model.h"
#include "tensor/allocator.h"
#include "tensor/elementwise.h"
#include "tensor/indexing.h"
#include "tensor/kernels/gemm_bf16.h"
#include "tensor/reduce.h"
#include "tests/nn/published/golden.h"
#include "tests/source_dir.h"

using namespace heed;
using namespace heed::published_test;
namespace published = heed::nn::published;

namespace {

constexpr double kWithinF64 = 1e-9, kWithinF32 = 1e-4;

struct GoldenFolder {
  const char* name;
  std::vector<const char*> variants = {};  // the same weights in other files
};
const std::vector<GoldenFolder> kGoldenFolders = {
    {"bert", {"gamma_beta", "sharded", "f16", "bf16"}},
    {"bert-classify"},
    {"bert-masked-lm"},
    {"roberta", {"f16", "bf16"}},
    {"distilbert"},
    {"mpnet"},
    {"albert"},
    {"gpt2", {"published", "f16", "bf16"}},
    {"llama", {"sharded", "surplus", "f16", "bf16"}},
    {"mistral"},
    {"qwen2"},
    {"t5", {"surplus"}},
    {"bart", {"surplus", "f16", "bf16"}},
    {"marian"},
};
// The folders in the repository: four of those above, with one case each, and those of tests/golden/published.py.
const std::vector<const char*> kKept = {"bert-classify", "albert",          "mpnet",        "gpt2",
                                        "electra",       "roberta_classes", "bert_answers", "bert_word_classes",
                                        "opt",           "opt_narrow",      "llama3",       "qwen3",
                                        "modernbert",    "gpt_neox",        "t5_gated"};

std::string kept(const std::string& name) { return source_dir() + "/tests/golden/published/" + name; }

// Rewrites a file of f32 in 16 bits. Numbers are rounded to 8 significant bits, and tiny ones to 0, so that bf16 and
// f16 both represent them exactly.
void in_16_bits(const std::string& path, const std::string& dtype) {
  std::string header, elements;
  for (const auto& [name, tensor] : io::load_safetensors(path).tensors) {
    const size_t begin = elements.size();
    for (double x : tensor.to_vector()) {
      const auto rounded = std::bit_cast<uint32_t>(from_bf16(to_bf16(std::abs(x) < 1e-4 ? 0 : static_cast<float>(x))));
      const uint32_t f16 = rounded == 0 ? 0 : (rounded >> 31 << 15) | (((rounded >> 13) - (112u << 10)) & 0x7fffu);
      const auto bits = static_cast<uint16_t>(dtype == "F16" ? f16 : rounded >> 16);
      elements.append(reinterpret_cast<const char*>(&bits), 2);
    }
    std::string shape;
    for (int64_t n : tensor.shape()) shape += (shape.empty() ? "" : ",") + std::to_string(n);
    header += fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", header.empty() ? "" : ",",
                          name, dtype, shape, begin, elements.size());
  }
  header = "{" + header + "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const uint64_t length = header.size();
  io::atomic_write(path, std::string(reinterpret_cast<const char*>(&length), 8) + header + elements);
}

void check_within(const Difference& d, DType dtype) {
  CAPTURE(d.where);
  CHECK(d.tensors > 0);
  CHECK(d.largest <= (dtype == DType::f64 ? kWithinF64 : kWithinF32));
}

// A temporary folder, removed at the end.
struct TestFolder {
  std::string path = (std::filesystem::temp_directory_path() / ("heed-published-" + std::to_string(getpid()))).string();
  TestFolder() { io::make_folder(path); }
  ~TestFolder() { std::filesystem::remove_all(path); }
};

bool same_tensors(const std::string& a, const std::string& b) {
  const io::SafeTensors x = io::load_safetensors(a + "/model.safetensors"),
                        y = io::load_safetensors(b + "/model.safetensors");
  bool same = x.tensors.size() == y.tensors.size();
  for (const auto& [name, tensor] : x.tensors) {
    const Tensor* other = y.find(name);
    same = same && other && other->shape() == tensor.shape() && other->dtype() == tensor.dtype() &&
           other->to_vector() == tensor.to_vector();
  }
  return same;
}

io::Json config_in(const std::string& folder) { return io::parse(io::read_file(folder + "/config.json"), folder); }

// Reads the words in two pieces and then one by one, and compares the logits with those of one call.
double word_by_word(const published::Model& model, const published::Inputs& in) {
  NoGrad guard;
  const published::Answer whole = model.read(in);
  const Variable all = model.logits(whole);
  published::TowerMemory memory;
  const bool source = model.encoder.has_value();
  const Tensor& ids = source ? in.target_ids : in.ids;
  const Tensor& mask = source ? in.target_mask : in.mask;
  double most = 0;
  for (int64_t from = 0, T = ids.size(1); from < T;) {
    const int64_t to = from == 0 ? T / 2 : from + 1;
    auto piece = [&](const Tensor& x, int64_t first) { return x.defined() ? x.slice(1, first, to).contiguous() : x; };
    published::Inputs now;
    (source ? now.target_ids : now.ids) = piece(ids, from), (source ? now.target_mask : now.mask) = piece(mask, 0);
    const published::Answer part = model.extend(now, memory, whole);
    const std::vector<double> a = model.logits(part).value().to_vector(),
                              b = slice(all, 1, from, to).value().to_vector();
    const Tensor words = piece(mask, from);
    const auto V = static_cast<size_t>(all.size(2)), n = static_cast<size_t>(to - from);
    for (size_t i = 0; i < a.size(); ++i)
      if (!words.defined() || words.at({static_cast<int64_t>(i / V / n), static_cast<int64_t>(i / V % n)}) != 0)
        most = std::max(most, std::fabs(a[i] - b[i]));
    from = to;
  }
  return most;
}

}  // namespace

TEST_SUITE_BEGIN("parity");

TEST_CASE("published models: the folders of the tree, every layer, attention and head") {
  for (const char* name : kKept)
    for (DType dtype : {DType::f64, DType::f32}) {
      CAPTURE(name);
      check_within(compared(kept(name), kept(name) + "/inputs.json", kept(name), dtype), dtype);
    }
}

TEST_CASE("published models: every layer, attention and head as in their own library") {
  const std::string models = given_models();
  if (models.empty()) return;
  for (const GoldenFolder& one : kGoldenFolders) {
    const std::string folder = models + "/" + one.name, reference = folder + "/reference";
    CAPTURE(one.name);
    for (DType dtype : {DType::f64, DType::f32})
      check_within(compared(folder, reference + "/inputs.json", reference, dtype), dtype);
    for (const char* variant : one.variants) {
      const std::string other = folder + "/variants/" + variant;
      // Rounded weights give other answers, which are stored for one case.
      const bool rounded = io::exists(other + "/batch.f64.safetensors");
      CAPTURE(variant);
      check_within(compared(other, reference + "/inputs.json", rounded ? other : reference, DType::f64), DType::f64);
    }
  }
}

TEST_CASE("published models: a factor of 0 switches a head off, as columns of zeros after it do") {
  NoGrad guard;
  struct Case {
    std::string folder;
    const char* part;  // whose heads: encoder, decoder or cross
  };
  std::vector<Case> cases = {{kept("bert-classify"), "encoder"}, {kept("mpnet"), "encoder"},
                             {kept("gpt2"), "decoder"},          {kept("t5_gated"), "encoder"},
                             {kept("t5_gated"), "decoder"},      {kept("t5_gated"), "cross"}};
  if (const std::string given = given_models(); !given.empty())
    for (const char* part : {"encoder", "decoder", "cross"}) {
      if (std::string(part) != "cross") cases.push_back({given + (part[0] == 'e' ? "/roberta" : "/llama"), part});
      cases.push_back({given + "/bart", part});
    }
  for (const Case& one : cases) {
    CAPTURE(one.folder);
    CAPTURE(one.part);
    const std::string own = one.folder + "/inputs.json", theirs = one.folder + "/reference/inputs.json";
    const io::Json golden = io::parse(io::read_file(io::exists(own) ? own : theirs), "inputs.json");
    published::Inputs in = inputs_of(golden.list("cases")[0]);
    auto model = published::open(one.folder, {.dtype = DType::f64});
    const bool cross = one.part[0] == 'c', encoder = one.part[0] == 'e';
    published::Tower& tower = encoder ? *model->encoder : *model->decoder;
    const int64_t H = tower.options.block().heads, layer = 1, head = H - 1, B = in.ids.size(0);
    published::Wanted wanted;
    published::HeadFactors& factors = cross ? wanted.cross : encoder ? wanted.encoder : wanted.decoder;
    factors.resize(tower.options.depth());
    Tensor off = Tensor::ones({H}, DType::f64), rows = Tensor::ones({B, H}, DType::f64);
    off.set({head}, 0), rows.set({B - 1, head}, 0);
    const Tensor whole = model->read(in).of_heads().last().value();
    factors[layer] = Variable(off);
    const Tensor without = model->read(in, wanted).of_heads().last().value();
    factors[layer] = Variable(rows);  // of the last text only
    const Tensor last = model->read(in, wanted).of_heads().last().value();

    published::Block& block = tower.blocks[layer];
    Tensor columns = (cross ? block.cross->out_proj : block.self.out_proj).weight.value();  // [D, H K]
    const int64_t K = columns.size(1) / H;
    for (int64_t row = 0; row < columns.size(0); ++row)
      for (int64_t k = 0; k < K; ++k) columns.set({row, head * K + k}, 0);
    const Tensor zeroed = model->read(in).of_heads().last().value();
    auto far = [](const Tensor& a, const Tensor& b) {
      const std::vector<double> x = a.to_vector(), y = b.to_vector();
      double most = 0;
      for (size_t i = 0; i < x.size(); ++i) most = std::max(most, std::fabs(x[i] - y[i]));
      return most;
    };
    CHECK(far(without, zeroed) <= 1e-12);
    CHECK(far(without, whole) > 1e-6);
    CHECK(far(last.slice(0, B - 1, B), zeroed.slice(0, B - 1, B)) <= 1e-12);
    if (B > 1) CHECK(far(last.slice(0, 0, B - 1), whole.slice(0, 0, B - 1)) <= 1e-12);
  }
}

TEST_CASE("published models: a configuration of earlier years means the same") {
  const std::string models = given_models();
  if (models.empty()) return;
  TestFolder box;
  for (const GoldenFolder& one : kGoldenFolders) {
    const std::string folder = models + "/" + one.name, reference = folder + "/reference";
    CAPTURE(one.name);
    io::atomic_write(box.path + "/config.json", io::read_file(folder + "/config.v4.json"));
    io::atomic_write(box.path + "/model.safetensors", io::read_file(folder + "/model.safetensors"));
    check_within(compared(box.path, reference + "/inputs.json", reference, DType::f64), DType::f64);
  }
}

TEST_CASE("published models: activations and buckets") {
  const std::string models = given_models();
  if (models.empty()) return;
  const io::SafeTensors file = io::load_safetensors(models + "/parts/activations.safetensors");
  const Tensor x = *file.find("x");
  for (const auto& stored : file.tensors) {
    const std::string& name = stored.first;
    const Tensor& theirs = stored.second;
    if (!name.ends_with(".f64")) continue;
    CAPTURE(name);
    const std::vector<double> a =
        published::activation(name.substr(0, name.size() - 4), Variable(x.to(DType::f64))).value().to_vector();
    const std::vector<double> b = theirs.to_vector();
    double most = 0;
    for (size_t i = 0; i < a.size(); ++i)
      most = std::max(most, std::fabs(a[i] - b[i]) / std::max(1.0, std::fabs(b[i])));
    CHECK(most <= kWithinF64);
  }
  const io::Json parts = io::parse(io::read_file(models + "/parts/parts.json"), "parts.json");
  std::vector<io::Json> tables = parts.list("t5_buckets");
  tables.push_back(parts.at("mpnet_buckets"));
  for (const io::Json& one : tables) {
    const nn::T5BucketOptions options{.buckets = one.integer("num_buckets", 32),
                                      .max_distance = one.integer("max_distance", 128),
                                      .bidirectional = one.boolean("bidirectional", true)};
    int64_t distance = one.integer("from"), wrong = 0;
    for (const io::Json& bucket : one.list("buckets"))
      wrong += nn::t5_bucket(distance++, options) != bucket.as_integer();
    CHECK(wrong == 0);
  }
}

TEST_SUITE_END();

TEST_CASE("published models: loaded and saved, they have the same tensors and configuration") {
  TestFolder box;
  std::vector<std::string> folders;
  for (const char* name : kKept) folders.push_back(kept(name));
  if (const std::string models = given_models(); !models.empty())
    for (const GoldenFolder& one : kGoldenFolders) folders.push_back(models + "/" + one.name);
  for (const std::string& folder : folders) {
    CAPTURE(folder);
    auto model = published::open(folder);
    std::set<std::string> bound;  // no parameter may be without a tensor
    for (const published::Stored& one : model->stored) bound.insert(one.ours.begin(), one.ours.end());
    for (const NamedVariable& p : nn::named_parameters(*model)) CHECK_MESSAGE(bound.contains(p.name), p.name);
    published::save(*model, box.path);
    CHECK(same_tensors(folder, box.path));
    CHECK(config_in(folder) == config_in(box.path));
    for (const char* beside : {"/tokenizer.json", "/vocab.txt"})
      if (io::exists(folder + beside)) CHECK(io::read_file(folder + beside) == io::read_file(box.path + beside));
  }
}

TEST_CASE("published models: words that come piece by piece have the logits of all at once") {
  for (const char* name : {"gpt2", "gpt_neox", "opt", "opt_narrow", "qwen3", "llama3", "t5_gated"}) {
    CAPTURE(name);
    const std::string inputs = kept(name) + "/inputs.json";
    const io::Json cases = io::parse(io::read_file(inputs), inputs);
    CHECK(word_by_word(*published::open(kept(name), {.dtype = DType::f64}), inputs_of(cases.list("cases")[0])) <=
          1e-10);
  }
  const std::string models = given_models();
  if (models.empty()) return;
  for (const char* name : {"mistral", "bart", "marian", "t5"}) {  // a window, and sources
    CAPTURE(name);
    const std::string inputs = models + "/" + name + "/reference/inputs.json";
    const io::Json cases = io::parse(io::read_file(inputs), inputs);
    for (const io::Json& one : cases.list("cases"))
      CHECK(word_by_word(*published::open(models + "/" + name, {.dtype = DType::f64}), inputs_of(one)) <= 1e-10);
  }
}

TEST_CASE("published models: weights that stay in 16 bits give the same bits, and are saved") {
  TestFolder box;
  NoGrad guard;
  for (const char* name : {"bert-classify", "albert", "mpnet", "gpt2", "llama3", "gpt_neox", "t5_gated"}) {
    CAPTURE(name);
    auto model = published::open(kept(name));
    for (const NamedVariable& p : nn::named_parameters(*model)) {  // rounded to bf16
      Tensor w = p.variable.value().contiguous();
      for (int64_t i = 0; i < w.count(); ++i) w.data<float>()[i] = from_bf16(to_bf16(w.data<float>()[i]));
      Tensor to = p.variable.value();
      copy_into(to, w);
    }
    published::save(*model, box.path);
    auto wide = published::open(box.path), narrow = published::open(box.path, {.keep_16_bits = true});
    size_t matrices = 0;
    for (const NamedVariable& p : nn::named_parameters(*narrow))
      matrices += HalfMatrix::behind(p.variable.value()) != nullptr;
    CHECK(matrices > 4);
    CHECK(nn::count_parameters(*narrow) == nn::count_parameters(*wide));
    const std::string inputs = kept(name) + "/inputs.json";
    const io::Json cases = io::parse(io::read_file(inputs), inputs);
    for (const io::Json& one : cases.list("cases")) {
      const published::Answer a = wide->read(inputs_of(one)), b = narrow->read(inputs_of(one));
      for (const published::Head& head : wide->heads) {
        const Tensor wanted = wide->logits(head.options.name, a).value();
        CHECK(all_finite(wanted));
        CHECK(bit_equal(narrow->logits(head.options.name, b).value(), wanted));
      }
      if (wide->decoder) CHECK(word_by_word(*narrow, inputs_of(one)) <= 1e-3);
    }
    published::save(*narrow, box.path + "/again");
    CHECK(same_tensors(box.path, box.path + "/again"));
  }
}

// Every layout of a family's matrices (transposed, several in one, stacked within each head, tied), in files of 16
// bits.
TEST_CASE("published models: files of 16 bits are kept as they are, without f32 on the way") {
  TestFolder box;
  NoGrad guard;
  const std::string path = box.path + "/model.safetensors";
  for (const char* name : {"bert-classify", "albert", "mpnet", "gpt2", "llama3", "gpt_neox", "t5_gated"})
    for (const char* dtype : {"BF16", "F16"}) {
      CAPTURE(name);
      CAPTURE(dtype);
      published::save(*published::open(kept(name)), box.path);
      in_16_bits(path, dtype);
      auto wide = published::open(box.path), narrow = published::open(box.path, {.keep_16_bits = true});
      const std::vector<NamedVariable> wanted = nn::named_parameters(*wide), got = nn::named_parameters(*narrow);
      size_t matrices = 0;
      for (size_t i = 0; i < wanted.size(); ++i) {
        const HalfMatrix* half = HalfMatrix::behind(got[i].variable.value());
        matrices += half != nullptr;
        CHECK(bit_equal(half ? half->widened() : got[i].variable.value().contiguous(),
                        wanted[i].variable.value().contiguous()));
      }
      CHECK(matrices > 4);
    }
  // Each number has 4 bytes in a parameter that is only a stand-in and never touched, and 2 bytes for its value. The
  // matrix that is being read has 2 more. Widened to f32, every number would have 4 more.
  auto model = published::make(published::llama_config({.vocabulary = 1000, .width = 128, .layers = 2}), 1);
  const auto numbers = static_cast<uint64_t>(nn::count_parameters(*model));
  published::save(*model, box.path);
  in_16_bits(path, "BF16");
  const uint64_t before = allocator_stats().live_bytes;
  reset_peak();
  auto narrow = published::open(box.path, {.keep_16_bits = true});
  CHECK(allocator_stats().peak_bytes - before < 7 * numbers);
  // An infinity is found as in other files.
  std::string bytes = io::read_file(path);
  bytes.replace(bytes.size() - 2, 2, "\x80\x7f");  // an infinity of bf16 at the end
  io::atomic_write(path, bytes);
  CHECK_THROWS_WITH_AS(published::open(box.path, {.keep_16_bits = true})->require_usable(),
                       doctest::Contains("weights must be finite numbers"), IoError);
}

TEST_CASE("published models: threads that read at once have the same results, and later weights count") {
  auto model = published::open(kept("bert-classify"));
  const std::string inputs = kept("bert-classify") + "/inputs.json";
  const published::Inputs in = inputs_of(io::parse(io::read_file(inputs), inputs).list("cases")[0]);
  auto read = [&] {
    NoGrad guard;
    return model->logits(model->read(in)).value();
  };
  const Tensor want = model->logits(model->read(in)).value();  // with a graph, from weights that are not packed
  std::vector<Tensor> got(4);
  std::vector<std::thread> threads;
  for (Tensor& one : got)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) one = read();
    });
  for (std::thread& one : threads) one.join();
  for (const Tensor& one : got) CHECK(bit_equal(one, want));
  Tensor up = model->encoder->blocks[0].up.weight.value();
  scale_into(up, 2);
  CHECK(bit_equal(read(), model->logits(model->read(in)).value()));
  CHECK_FALSE(bit_equal(read(), want));
}

TEST_CASE("published models: every parameter has a gradient, and a trained model is saved") {
  TestFolder box;
  for (const char* name : kKept) {
    CAPTURE(name);
    auto model = published::open(kept(name), {.trainable = true});
    const std::string inputs = kept(name) + "/inputs.json";
    const io::Json cases = io::parse(io::read_file(inputs), inputs);
    const published::Answer answer = model->read(inputs_of(cases.list("cases")[0]));
    Variable loss(Tensor::zeros({}));
    for (const published::Head& head : model->heads) {
      const Variable y = model->logits(head.options.name, answer);
      loss = loss + sum(square(y - 0.1));
    }
    backward(loss);
    for (const NamedVariable& p : nn::named_parameters(*model)) {
      CAPTURE(p.name);
      REQUIRE(p.variable.grad().defined());
      CHECK(p.variable.value().is_contiguous());
      // A bias of keys adds the same to all scores of a row, and the softmax ignores that.
      if (p.name.find("k_proj.bias") == std::string::npos) CHECK(amax(abs(p.variable.grad())).item() > 0);
    }
    Tensor words = (model->decoder ? model->decoder : model->encoder)->words.weight.value();
    words.set({0, 0}, 0.25);
    published::save(*model, box.path);
    auto again = published::open(box.path);
    CHECK((again->decoder ? again->decoder : again->encoder)->words.weight.value().at({0, 0}) == 0.25);
    CHECK_FALSE(same_tensors(kept(name), box.path));
  }
}

TEST_CASE("published models: large weights are mapped, and a file may not become shorter") {
  TestFolder box;
  const Shape shape{300, 512};  // 600 KB
  Tensor big = Tensor::arange(0, 300 * 512).view(shape), small = Tensor::ones({3});
  const std::string path = box.path + "/big.safetensors";
  io::save_safetensors(path, {{{"big", big}, {"small", small}}, {}});
  const uint64_t before = allocator_stats().live_bytes;
  io::MappedTensors mapped = io::map_safetensors(path);
  Tensor* t = &mapped.contents.tensors[0].second;
  CHECK(t->to_vector() == big.to_vector());
  CHECK(mapped.contents.find("small")->to_vector() == std::vector<double>{1, 1, 1});
  if (t->offset() != 0) {  // its memory is the pages of the file (not under a sanitizer)
    CHECK(allocator_stats().live_bytes < before + 300 * 512);
    t->set({0, 0}, 7);  // only this process sees it
    CHECK(io::load_safetensors(path).find("big")->at({0, 0}) == 0);
    CHECK(t->at({0, 0}) == 7);
  }
  mapped.file->require_whole();
  Tensor kept_alive = *t;
  mapped.contents = {};
  CHECK(kept_alive.at({299, 511}) == 300 * 512 - 1);
  std::filesystem::resize_file(path, 500000);
  CHECK_THROWS_AS(mapped.file->require_whole(), IoError);
  char last[4];
  CHECK_THROWS_WITH_AS(mapped.file->read(600000, last, 4), doctest::Contains("must keep its length"), IoError);
  std::filesystem::resize_file(path, 0);  // handles are dropped without a look at the file
}
