// Exhibits about which keys are read, and how often: padding that a cache forgets, a ring of places that wraps round
// the picture, and keys that count twice.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "autograd/ops.h"
#include "nn/attention/attend.h"
#include "nn/attention/evaluators/hyper_attention.h"
#include "tensor/functions.h"
#include "tensor/indexing.h"
#include "tutorials/museum/museum.h"

namespace heed::museum {

namespace {

// A prompt of two words after two paddings, and three words that are decoded one by one with a cache.
Shown lost_padding() {
  const int64_t prompt = 4, steps = 3;
  const Variable queries = random({1, steps, 4}, 1), keys = random({1, prompt + steps, 4}, 2);
  auto decode = [&](const std::string& read_as) {
    std::map<std::string, Tensor> saved;  // what the cache keeps between the calls
    saved["prev_key_padding_mask"] = Tensor::from_bools({1, 1, 0, 0}, {1, prompt});
    std::vector<Variable> rows;
    for (int64_t t = 0; t < steps; ++t) {
      const int64_t earlier = prompt + t, all = earlier + 1;
      const Tensor nothing = Tensor::from_bools(std::vector<int>(static_cast<std::size_t>(earlier)), {1, earlier});
      const auto found = saved.find(read_as);  // a name that is not there means: no padding
      const Tensor padding =
          concat({found == saved.end() ? nothing : found->second, Tensor::from_bools({0}, {1, 1})}, 1);
      saved["prev_key_padding_mask"] = padding;
      const Variable k = slice(keys, 1, 0, all);
      const Variable w =
          nn::attend(matmul(slice(queries, 1, t, t + 1), transpose(k, 1, 2)), k, logical_not(padding).unsqueeze(1))
              .weights;
      rows.push_back(concat({w, Variable(Tensor::zeros({1, 1, steps - t - 1}, DType::f64))}, 2));
    }
    return rows_of(rows);
  };
  Shown s{.what = "attention weights of three words after the prompt [T, S]"};
  s.rows = numbered("word", steps), s.columns = {"<pad>", "<pad>", "the", "cat", "word 1", "word 2", "word 3"};
  s.wrong = decode("prev_padding_mask"), s.right = decode("prev_key_padding_mask");
  s.verdict = fmt::format("Word 1 gives {:.0f} % of its attention to padding; with the mask it gives {:g}.",
                          100 * (s.wrong.value(0, 0) + s.wrong.value(0, 1)), s.right.value(0, 0) + s.right.value(0, 1));
  return s;
}

// A picture of 1 x 12 places in windows of 4. A place reads its window and a ring of two places on each side of it.
Shown rolled_picture() {
  const int64_t places = 12, window = 4, ring = 2;
  const Variable q = random({1, places, 4}, 1), k = random({1, places, 4}, 2), e = matmul(q, transpose(k, 1, 2)) / 2.0;
  auto weights = [&](bool rolled) {
    std::vector<int> read;
    for (int64_t t = 0; t < places; ++t)
      for (int64_t s = 0; s < places; ++s) {
        const int64_t first = t / window * window - ring, last = first + window + 2 * ring;
        bool is_read = s >= first && s < last;
        if (rolled) is_read = is_read || s - places >= first || s + places < last;  // the picture without its ends
        read.push_back(is_read);
      }
    return nn::attend(e, k, Tensor::from_bools(read, {1, places, places})).weights;
  };
  auto of_each_window = [&](const Variable& w) {
    return rows_of({slice(w, 1, 0, 1), slice(w, 1, 5, 6), slice(w, 1, 11, 12)});
  };
  Shown s{.what = "attention weights of one place of each window, for places 1 to 12 [3, S]"};
  s.rows = {"place 1", "place 6", "place 12"}, s.columns = numbered("", places);
  s.wrong = of_each_window(weights(true)), s.right = of_each_window(weights(false));
  auto far = [](const report::Matrix& w) { return w.value(0, 10) + w.value(0, 11); };
  s.verdict = fmt::format(
      "Place 1, at the left border, gives {:.0f} % of its attention to places 11 and 12 at the right border, where "
      "{:g} is right.",
      100 * far(s.wrong), far(s.right));
  return s;
}

// HyperAttention's estimate of the sum of a softmax, averaged over many draws. Every query reads the block of keys with
// hashes like its own, and a sample of all keys, each of which stands for n / m keys.
Shown counted_twice() {
  const int64_t words = 8, draws = 2000;
  const Variable q = random({1, 1, words, 4}, 3), k = random({1, 1, words, 4}, 4);
  const Tensor exponentials = exp(matmul(q, transpose(k, 2, 3)) / 2.0).value();
  const Tensor exact = sum(exponentials, {-1}, true);
  Tensor once = Tensor::zeros({1, 1, words, 1}, DType::f64), twice = once;
  nn::HyperAttention::Settings settings{.block = 4, .samples = 4, .exact = 1, .projections = 3};
  nn::HyperAttention estimate(settings);
  estimate.directions = random({3, 4}, 5).value();  // only the draws differ
  estimate.settings.samples = 0;
  const Tensor block = estimate.counts(q.value(), k.value(), {}, {}, false);  // 1: a key of the query's own block
  estimate.settings.samples = settings.samples;
  for (int64_t draw = 0; draw < draws; ++draw) {
    estimate.settings.seed = draw;
    const Tensor count = estimate.counts(q.value(), k.value(), {}, {}, false);
    // How often each key was drawn is seen in the rows of queries that have it in another block.
    const Tensor drawn = amax(mul(count, sub(Tensor::ones({1}, DType::f64), block)), {2}, true);
    once = add(once, sum(mul(exponentials, count), {-1}, true));
    twice = add(twice, sum(mul(exponentials, add(block, drawn)), {-1}, true));
  }
  Shown s{.what = "estimated sum of exponentials / the exact one, mean of 2000 draws [1, T]", .rows = {"estimate"}};
  s.columns = numbered("query", words);
  auto share = [&](const Tensor& total) {
    return rows_of({Variable(div(mul(total, 1.0 / static_cast<double>(draws)), exact))});
  };
  s.wrong = share(twice), s.right = share(once);
  s.verdict = fmt::format(
      "On average over the draws the sum of query 1 is {:.0f} % of the exact one, and without the keys of its own "
      "block in the sample {:.0f} %.",
      100 * s.wrong.value(0, 0), 100 * s.right.value(0, 0));
  return s;
}

}  // namespace

std::vector<Exhibit> key_exhibits() {
  return {
      {.name = "lost_padding",
       .title = "Padding that is stored under another name",
       .setting = "A prompt of two words is padded on the left. Three more words are decoded with a cache.",
       .wrong_code = "saved[\"prev_key_padding_mask\"] = padding;  ..  padding = saved.get(\"prev_padding_mask\");",
       .right_code = "saved[\"prev_key_padding_mask\"] = padding;  ..  padding = saved.get(\"prev_key_padding_mask\");",
       .suspects = {"the cache is one word too short", "the padding of the prompt is forgotten",
                    "the queries are not scaled"},
       .culprit = 1,
       .hidden = "A missing entry means that there is no padding, so nothing fails. The prompt itself is read with its "
                 "mask, and a batch of prompts of equal length has no padding at all.",
       .happened = "facebookresearch/mega, moving_average_gated_attention.py: forward stores "
                   "prev_key_padding_mask and looks for prev_padding_mask.",
       .lesson = "27",
       .show = lost_padding},
      {.name = "rolled_picture",
       .title = "A window that wraps round the picture",
       .setting = "A strip of 12 places in windows of 4. A place reads its window and two places on each side of it.",
       .wrong_code = "ring = concat({roll(k, -2), roll(k, 2)});  // and no mask",
       .right_code = "ring = concat({roll(k, -2), roll(k, 2)});  // and -INFINITY for what came round the border",
       .suspects = {"the windows overlap", "the place itself is not read", "the borders of the picture are joined"},
       .culprit = 2,
       .hidden =
           "The inner windows are right, and a large picture has few others. Opposite borders often look alike (sky, "
           "grass), and a classifier can learn to live with it.",
       .happened =
           "microsoft/Focal-Transformer, classification/focal_transformer.py: torch.roll brings the keys around "
           "each window. The mask that Swin (Liu et al., 2021) has for its rolled windows is missing here.",
       .lesson = "33",
       .show = rolled_picture},
      {.name = "counted_twice",
       .title = "Samples that count twice",
       .setting = "The sum of a softmax is estimated: one block of keys exactly, all others by a random sample.",
       .wrong_code = "sum = sum_of(own_block) + n / m * sum_of(sample_of_all_keys);",
       .right_code = "sum = sum_of(own_block) + n / m * sum_of(sample_of_all_keys - own_block);",
       .suspects = {"sampled keys of the block are added again", "keys are drawn with replacement",
                    "the hashes of queries and keys differ"},
       .culprit = 0,
       .hidden = "The estimate is random, so no single result looks wrong. The excess is the share of the own block, "
                 "which is small where there are many blocks and large scores are elsewhere.",
       .happened =
           "insuhan/hyper-attn, models/attention/hyper_attn.py: without CUDA a block_mask leaves these keys out, "
           "with CUDA it is not passed on. The estimate is that of Han et al. (ICLR 2024).",
       .lesson = "28",
       .show = counted_twice},
  };
}

}  // namespace heed::museum
