// A program outside heed's tree: a small transformer learns to write numbers backwards, is saved, and loaded again.
#include <heed/heed.h>

#include <cstdio>

using namespace heed;

std::vector<int64_t> written(const nn::Transformer& model, const data::EncodedPair& pair) {
  nn::Evaluating without_dropout;
  data::Batch batch = data::make_source_batch({pair.source});
  auto search = model.search(batch.source, batch.lengths);
  return nn::greedy(*search).front().tokens;
}

int main() {
  Generator rng(1);
  std::vector<data::EncodedPair> pairs(3000);  // the last 100 are for the test
  for (auto& [source, target] : pairs) {
    for (int64_t n = 2 + rng.below(4); n > 0; --n) source.push_back(4 + rng.below(10));  // a digit
    target.assign(source.rbegin(), source.rend());
    source.push_back(3);  // </s>; 0 is <pad>, 1 <unk> and 2 <s>
  }
  std::vector<data::EncodedPair> unseen(pairs.end() - 100, pairs.end());
  pairs.resize(2900);

  nn::TransformerOptions options{.source_vocabulary = 14, .target_vocabulary = 14, .model = 32, .heads = 2};
  options.inner = 64, options.encoder_layers = options.decoder_layers = 1, options.norm_first = true;
  nn::Transformer model(options, rng), loaded(options, rng);
  nn::Adam adam(named_parameters(model), {.learning_rate = 3e-3});
  for (int64_t epoch = 1; epoch <= 20; ++epoch)
    for (const auto& members : data::epoch_batches(pairs, /*batch_size=*/50, /*seed=*/1, epoch)) {
      data::Batch batch = data::make_batch(pairs, members);
      Variable logits = model(batch.source, batch.lengths, batch.target_in);  // [B, T, 14]
      adam.zero_grad();
      backward(cross_entropy(logits, batch.target_out, {.ignore_index = 0}));
      adam.step();
    }
  nn::save(model, "backwards.safetensors");
  nn::load(loaded, "backwards.safetensors");
  size_t right = 0, same = 0;
  for (const auto& pair : unseen) {
    right += written(model, pair) == pair.target;
    same += written(loaded, pair) == written(model, pair);
  }
  std::printf("of 100 unseen numbers %zu are written right, and %zu alike by the loaded model\n", right, same);
  return right > 90 && same == 100 ? 0 : 1;
}
