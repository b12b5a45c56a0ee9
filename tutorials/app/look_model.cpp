#include "tutorials/app/look_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/io/file.h"
#include "nn/published/use_lite.h"
#include "tutorials/app/look_own.h"
#include "tutorials/app/look_published.h"

namespace heed::app {
namespace {
constexpr int64_t kLongest = 512;  // tokens of a text
}

void LookWords::add(int64_t id, std::string word, bool of_template, int64_t kind) {
  ids.push_back(id), kinds.push_back(kind), shown.push_back(std::move(word)), special.push_back(of_template);
}

void LookWords::drop_last() { ids.pop_back(), kinds.pop_back(), shown.pop_back(), special.pop_back(); }

std::unique_ptr<LookModel> look_model(const LookOptions& o) {
  if (!io::is_folder(o.folder))
    throw InputError(
        fmt::format("look: --model needs the folder of a model; got \"{}\", which is no folder", o.folder));
  if (nn::published::is_use_lite(o.folder)) nn::published::Config{o.folder};  // refused in its words
  if (nn::published::is_published(o.folder)) return published_look(o);
  if (!io::exists(o.folder + "/model.safetensors"))
    throw InputError(
        fmt::format("look: --model needs the folder of a published model, with a config.json that has a model_type, or "
                    "of a model that heed trained, with a model.safetensors; got \"{}\"",
                    o.folder));
  return own_look(o);
}

Tensor same_rows(const std::vector<int64_t>& ids, int64_t B) {
  std::vector<int64_t> all;
  for (int64_t b = 0; b < B; ++b) all.insert(all.end(), ids.begin(), ids.end());
  return Tensor::from(all, {B, static_cast<int64_t>(ids.size())});
}

void require_places(const LookWords& words, int64_t positions) {
  const int64_t most = positions > 0 ? std::min(kLongest, positions) : kLongest;
  if (words.size() > most)
    throw InputError(fmt::format("look: the text may have at most {} tokens{}; got {}; hint: a shorter text", most,
                                 most < kLongest ? ", for which this model has places" : "", words.size()));
}

void refuse_empty(const char* which) {
  throw InputError(fmt::format("look: the {} must have at least one word; got an empty one", which));
}

}  // namespace heed::app
