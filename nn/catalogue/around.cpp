// The list of the parts around attention: wrappers (nn/attention/around/), and what stabilises training.
#include <utility>

#include "nn/attention/around/around.h"
#include "nn/attention/describe.h"
#include "nn/attention/structures/multi_head.h"
#include "nn/catalogue/lists.h"
#include "nn/norm.h"
#include "nn/optim/warmup.h"
#include "nn/train/fit.h"
#include "nn/transformer/token_embedding.h"

namespace heed::nn {

std::vector<CatalogueEntry> block_entries() {
  std::vector<CatalogueEntry> all = {described(kAboutNormOrder, Kind::block_option)};
  for (const AroundRow& row : around_rows()) {
    CatalogueEntry one = described(*row.about, Kind::block_option);
    one.architecture = "transformer", one.option = one.name;
    one.text = row.examples.empty() ? "true" : row.examples[0];
    all.push_back(std::move(one));
  }
  for (CatalogueEntry& one : std::vector<CatalogueEntry>{
           described(kAboutSharedKeys, Kind::block_option),
           described(kAboutAttentionDropout, Kind::regulariser),
           described(kAboutScaledTiedEmbedding, Kind::block_option),
           described(kAboutNoam, Kind::training_rule),
           described(kAboutLabelSmoothing, Kind::regulariser),
           described(LayerNorm::about, Kind::block_option),
       })
    all.push_back(std::move(one));
  return all;
}

}  // namespace heed::nn
