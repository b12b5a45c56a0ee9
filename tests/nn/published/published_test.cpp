// Published models against what their own libraries answer.
#include <filesystem>

#include "nn/io/file.h"
#include "tests/nn/published/golden.h"

using namespace heed;
using namespace heed::published_test;

namespace {

constexpr double kF64 = 1e-9, kF32 = 1e-4;

struct GoldenFolder {
  const char* name;
  std::vector<const char*> variants = {};  // the same weights in other files
  bool f64_only = false;
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

}  // namespace

TEST_SUITE_BEGIN("parity");

TEST_CASE("published models: every layer, attention and head as in their own library") {
  const std::string models = given_models();
  if (models.empty()) return;
  for (const GoldenFolder& one : kGoldenFolders) {
    const std::string folder = models + "/" + one.name, reference = folder + "/reference";
    CAPTURE(one.name);
    for (DType dtype : {DType::f64, DType::f32}) {
      const Difference d = compared(folder, reference + "/inputs.json", reference, dtype);
      CAPTURE(d.where);
      CHECK(d.tensors > 0);
      CHECK(d.largest <= (dtype == DType::f64 ? kF64 : kF32));
      if (std::getenv("HEED_SHOW"))
        printf("%-16s %s %3d %.2e %s\n", one.name, dtype == DType::f64 ? "f64" : "f32", (int)d.tensors, d.largest,
               d.where.c_str());
    }
    for (const char* variant : one.variants) {
      const std::string other = folder + "/variants/" + variant;
      // Rounded weights have answers of their own, of one case.
      const bool rounded = io::exists(other + "/batch.f64.safetensors");
      CAPTURE(variant);
      const Difference d = compared(other, reference + "/inputs.json", rounded ? other : reference, DType::f64);
      CAPTURE(d.where);
      CHECK(d.tensors > 0);
      CHECK(d.largest <= kF64);
      if (std::getenv("HEED_SHOW"))
        printf("%-16s %s %3d %.2e %s\n", variant, "f64", (int)d.tensors, d.largest, d.where.c_str());
    }
  }
}

TEST_SUITE_END();
