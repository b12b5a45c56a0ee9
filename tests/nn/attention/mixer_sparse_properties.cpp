// What each mixer holds by itself that reads few of the pairs of words.
#include <numeric>

#include "nn/attention/mixers/clustered.h"
#include "nn/attention/mixers/linformer.h"
#include "nn/attention/mixers/memory_compressed.h"
#include "nn/attention/mixers/native_sparse.h"
#include "nn/attention/mixers/reformer.h"
#include "nn/attention/mixers/routing.h"
#include "nn/attention/mixers/sinkhorn_blocks.h"
#include "tests/nn/attention/mixer_reference.h"

namespace heed::nn_test {
namespace {

constexpr double kClose = 1e-12;
const Tensor kThreeOfFive = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, {2, 5});

// With as many mixtures as words, each of one word, it is multi-head attention: the mixtures are
// the only approximation.
PROPERTY(identity_mixtures_are_attention) {
  Small<nn::LinformerMixer> m("linformer:rank=5,max_source=5");
  Variable x = small_sentences(5);
  CHECK(max_abs_difference(m(x), full_attention(m.mixer.projections, x)) > 1e-3);
  set(m.mixer.E, Tensor::eye(5)), set(m.mixer.F, Tensor::eye(5));
  CHECK(max_abs_difference(m(x), full_attention(m.mixer.projections, x)) < kClose);
}

// --- G14 ---
struct Shared {  // of a Reformer, [B, H, T, K]
  Variable q, k, v;
};
Shared shared(const nn::ReformerMixer& m, const Variable& x) {
  Variable q = nn::split_heads(m.qk_proj(x), m.options.heads);
  return {q, q / sqrt(sum(q * q, {-1}, true)), nn::split_heads(m.v_proj(x), m.options.heads)};
}

// With one bucket it is full attention whose queries are its keys; a word reads itself only where there is no other.
PROPERTY(one_bucket_is_shared_attention) {
  for (const char* text : {"reformer:chunk=6,directions=0,rounds=1", "reformer:chunk=6,directions=0,rounds=3"}) {
    Small<nn::ReformerMixer> m(text);
    Variable x = small_sentences(6);
    Shared s = shared(m.mixer, x);
    Tensor others = equal(Tensor::eye(6), 0);
    Variable expected = m.mixer.out_proj(nn::join_heads(full_attention(s.q, s.k, s.v, others)));
    CHECK(max_abs_difference(m(x), expected.value()) < kClose);
    Variable one = small_sentences(1);  // a word without others sees itself
    CHECK(max_abs_difference(m(one), m.mixer.out_proj(m.mixer.v_proj(one)).value()) < kClose);
  }
}

// Words are sorted by bucket and then by place, and sorting back restores their order.
PROPERTY(sorting_and_back_is_the_identity) {
  Generator rng(3);
  std::vector<int64_t> buckets;
  for (int i = 0; i < 24; ++i) buckets.push_back(rng.below(4));
  Tensor bucket = Tensor::from(buckets, {1, 2, 12}), x = Tensor::arange(24).reshape({1, 2, 12});
  nn::LshRound round = nn::lsh_round(bucket);
  CHECK(bit_equal(gather(gather(x, 2, round.order), 2, round.place), x));
  Tensor sorted = gather(bucket, 2, round.order), word = round.order;
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t i = 1; i < 12; ++i) {
      CHECK(sorted.at({0, h, i - 1}) <= sorted.at({0, h, i}));
      if (sorted.at({0, h, i - 1}) == sorted.at({0, h, i})) CHECK(word.at({0, h, i - 1}) < word.at({0, h, i}));
    }
}

// Several rounds are one softmax over all words that any of them reads, each counted once.
PROPERTY(rounds_are_their_union) {
  constexpr int64_t T = 9, m = 2;
  Small<nn::ReformerMixer> reformer("reformer:chunk=2,directions=1,rounds=3");
  Variable x = small_sentences(T);
  Shared s = shared(reformer.mixer, x);
  Tensor allowed = Tensor::from_bools(std::vector<int>(2 * 2 * T * T, 0), {2, 2, T, T});
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 2; ++h) {
      std::vector<int> others(T, 0);
      for (int64_t r = 0; r < 3; ++r) {
        std::vector<int64_t> bucket(T), order(T), chunk(T);
        for (int64_t t = 0; t < T; ++t) {
          double along = 0;
          for (int64_t k = 0; k < 2; ++k)
            along += s.q.value().at({b, h, t, k}) * reformer.mixer.directions.at({r, h, k, 0});
          bucket[static_cast<size_t>(t)] = along >= 0 ? 0 : 1;
        }
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
          return bucket[static_cast<size_t>(i)] < bucket[static_cast<size_t>(j)];
        });
        for (int64_t i = 0; i < T; ++i) chunk[static_cast<size_t>(order[static_cast<size_t>(i)])] = i / m;
        for (int64_t i = 0; i < T; ++i)
          for (int64_t j = 0; j < T; ++j) {
            int64_t back = chunk[static_cast<size_t>(i)] - chunk[static_cast<size_t>(j)];
            if (i == j || bucket[static_cast<size_t>(i)] != bucket[static_cast<size_t>(j)] || back < 0 || back > 1)
              continue;
            allowed.set({b, h, i, j}, 1), others[static_cast<size_t>(i)] = 1;
          }
      }
      for (int64_t i = 0; i < T; ++i)
        if (!others[static_cast<size_t>(i)]) allowed.set({b, h, i, i}, 1);
    }
  Variable expected = reformer.mixer.out_proj(nn::join_heads(full_attention(s.q, s.k, s.v, allowed)));
  CHECK(max_abs_difference(reformer(x), expected.value()) < kClose);
}

// The seed alone decides the random directions, and a second evaluation gives the same result.
PROPERTY(hashes_are_seeded) {
  auto directions = [](uint64_t seed) {
    Generator rng(seed);
    nn::StageOptions o{.name = "reformer", .query = kWidth, .key = kWidth, .heads = 2};
    return nn::ReformerMixer(o, rng).directions;
  };
  CHECK(bit_equal(directions(1), directions(1)));
  CHECK_FALSE(bit_equal(directions(1), directions(2)));
  Small<nn::ReformerMixer> m("reformer:chunk=2,directions=2");
  CHECK(bit_equal(m(small_sentences(8)), m(small_sentences(8))));
}

// --- C16 ---
// With a stride of one it is multi-head attention: compressing keys and values is all that was added.
PROPERTY(stride_one_is_attention) {
  for (bool causal : {false, true}) {
    Small<nn::MemoryCompressedMixer> m("memory_compressed:stride=1", causal);
    for (nn::Linear* convolution : {&m.mixer.k_conv, &m.mixer.v_conv})
      set(convolution->weight, Tensor::eye(kWidth)), set(convolution->bias, Tensor::zeros({kWidth}));
    Variable x = small_sentences(5);
    CHECK(max_abs_difference(m(x), full_attention(m.mixer.projections, x, causal)) < kClose);
  }
}

// A compressed key is a convolution of its block, and in causal order only complete blocks are read.
PROPERTY(a_block_is_a_convolution) {
  Small<nn::MemoryCompressedMixer> m("memory_compressed:stride=2", true, 1);
  const nn::FourProjections& p = m.mixer.projections;
  Variable x = small_sentences(5), k = p.k_proj(x), v = p.v_proj(x);
  auto block = [&](const nn::Linear& W, const Variable& y, int64_t j) {  // the kernel at offsets 0 and 1
    return linear(slice(y, 1, 2 * j, 2 * j + 1), slice(W.weight, 1, 0, kWidth), W.bias) +
           linear(slice(y, 1, 2 * j + 1, 2 * j + 2), slice(W.weight, 1, kWidth, 2 * kWidth), {});
  };
  Variable keys = concat({block(m.mixer.k_conv, k, 0), block(m.mixer.k_conv, k, 1)}, 1);
  Variable values = concat({block(m.mixer.v_conv, v, 0), block(m.mixer.v_conv, v, 1)}, 1);
  Tensor complete = Tensor::from_bools({0, 0, 1, 0, 1, 0, 1, 1, 1, 1}, {5, 2});  // the fifth word fills no block
  Variable context = full_attention(p.q_proj(x), keys, values, complete);
  CHECK(max_abs_difference(m(x), p.out_proj(context).value()) < kClose);
}

// --- C17 ---
// With one cluster no word is left out: it is attention whose normalised queries are also its keys.
PROPERTY(one_cluster_is_attention) {
  for (bool causal : {false, true}) {
    Small<nn::RoutingMixer> m("routing:clusters=1", causal, 1);
    Variable x = small_sentences(5), q = m.mixer.q_proj(x);
    Variable centred = q - mean(q, {-1}, true);
    Variable routed = centred / sqrt(mean(centred * centred, {-1}, true) + 1e-5);
    Tensor allowed = causal ? lower_triangle(5) : Tensor();
    Variable expected = m.mixer.out_proj(full_attention(routed, routed, m.mixer.v_proj(x), allowed));
    CHECK(max_abs_difference(m(x), expected.value()) < kClose);
  }
}

// A word reads another exactly if both are in the same cluster.
PROPERTY(clusters_are_apart) {
  Small<nn::RoutingMixer> m("routing:clusters=2", false, 1);
  Variable x = small_sentences(8);
  Variable weights = m.mixer(x, {.weights = true}).weights;
  Tensor cluster = m.mixer.clusters(layer_norm(nn::split_heads(m.mixer.q_proj(x), 1)));
  bool both = false;
  for (int64_t t = 0; t < 8; ++t)
    for (int64_t s = 0; s < 8; ++s) {
      bool together = cluster.at({0, 0, t}) == cluster.at({0, 0, s});
      CHECK((weights.value().at({0, 0, t, s}) > 0) == together);
      both |= !together;
    }
  CHECK(both);
}

// Training moves each centroid towards the mean of its words, without padding; evaluation and empty
// clusters change nothing.
PROPERTY(training_moves_centroids) {
  Small<nn::RoutingMixer> m("routing:clusters=1", false, 1);
  Variable x = small_sentences(5);
  Tensor before = m.mixer.centroids.clone();
  m(x);
  CHECK(bit_equal(before, m.mixer.centroids));  // evaluation changes nothing
  nn::set_training(m.mixer, true);
  m(x, kThreeOfFive);
  CHECK(bit_equal(before, m.mixer.centroids));  // a second run of this call, under a checkpoint, needs the same
  m(x, kThreeOfFive);
  Tensor routed = layer_norm(m.mixer.q_proj(x)).value();
  for (int64_t d = 0; d < kWidth; ++d) {
    double total = 0;
    for (int64_t s = 0; s < 8; ++s) total += routed.at({s / 5, s % 5, d});
    CHECK(m.mixer.centroids.at({0, 0, d}) == doctest::Approx(0.999 * before.at({0, 0, d}) + 0.001 * total / 8));
  }
  Small<nn::RoutingMixer> more("routing:clusters=3", false, 1);  // than there are words
  nn::set_training(more.mixer, true);
  Variable two = small_sentences(1);
  const Tensor start = more.mixer.centroids.clone();
  more(two), more(two);
  Tensor cluster = more.mixer.clusters(layer_norm(nn::split_heads(more.mixer.q_proj(two), 1)));
  for (int64_t c = 0; c < 3; ++c) {
    bool empty = cluster.at({0, 0, 0}) != static_cast<double>(c) && cluster.at({1, 0, 0}) != static_cast<double>(c);
    CHECK(bit_equal(more.mixer.centroids.select(1, c).contiguous(), start.select(1, c).contiguous()) == empty);
  }
}

// --- C18 ---
// If all blocks are selected and the other two branches are closed, it is multi-head attention.
PROPERTY(all_blocks_are_attention) {
  for (bool causal : {false, true}) {
    Small<nn::NativeSparseMixer> m("native_sparse:block=2,selected=8,window=1,kv_heads=2", causal);
    set(m.mixer.gates.weight, Tensor::zeros({6, kWidth}));
    set(m.mixer.gates.bias, Tensor::from(std::vector<double>{-1e3, -1e3, 1e3, 1e3, -1e3, -1e3}, {6}));  // (0, 1, 0)
    Variable x = small_sentences(5);
    auto of_selection = [&](const nn::Linear& layer) {
      return nn::split_heads(slice(layer(x), -1, kWidth, 2 * kWidth), 2);
    };
    Variable context = full_attention(nn::split_heads(m.mixer.q_proj(x), 2), of_selection(m.mixer.k_proj),
                                      of_selection(m.mixer.v_proj), causal ? lower_triangle(5) : Tensor());
    CHECK(max_abs_difference(m(x), m.mixer.out_proj(nn::join_heads(context)).value()) < kClose);
  }
}

// The blocks with the largest weights, summed over the heads, are read beside the first, the previous and
// the own block.
PROPERTY(the_best_blocks_are_selected) {
  Small<nn::NativeSparseMixer> m("native_sparse:block=2,selected=4,window=1", true);
  Tensor weights = Tensor::zeros({1, 2, 12, 6}, DType::f64);
  for (int64_t t = 10; t < 12; ++t) {  // the heads do not agree; block 2 has the largest sum of those in question
    weights.set({0, 0, t, 1}, 0.5), weights.set({0, 0, t, 2}, 0.4), weights.set({0, 0, t, 3}, 0.1);
    weights.set({0, 1, t, 1}, 0.1), weights.set({0, 1, t, 2}, 0.4), weights.set({0, 1, t, 3}, 0.3);
  }
  Tensor allowed = m.mixer.selected(weights, {}, 12);
  for (int64_t t = 10; t < 12; ++t)
    for (int64_t s = 0; s < 12; ++s) {
      const int64_t block = s / 2;  // the first, the previous and the own block are read without any weight
      CHECK((allowed.at({0, 0, t, s}) != 0) == (s <= t && block != 1 && block != 3));
    }
}

// --- G15 ---
// If one block holds the sentence, it is multi-head attention, for shorter sentences too.
PROPERTY(one_block_is_attention) {
  Small<nn::SinkhornBlocksMixer> m("sinkhorn_blocks:block=5,max_source=5");
  for (int64_t T : {5, 3}) {  // a short sentence does not fill its block
    Variable x = small_sentences(T);
    CHECK(max_abs_difference(m(x), full_attention(m.mixer.projections, x)) < kClose);
  }
}

// The rows and the columns of the soft permutation sum to 1, and blocks of padding have no part in it.
PROPERTY(sorting_is_doubly_stochastic) {
  Small<nn::SinkhornBlocksMixer> m("sinkhorn_blocks:block=2,iterations=60,max_source=8");
  Tensor words = Tensor::from_bools({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0}, {2, 7});
  Tensor P = m.mixer.permutation(3 * small_sentences(7), words).value();
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t i = 0; i < 4; ++i) {
      double row = 0, column = 0, filled = b == 0 || i < 2 ? 1 : 0;
      for (int64_t j = 0; j < 4; ++j) row += P.at({b, i, j}), column += P.at({b, j, i});
      CHECK(row == doctest::Approx(filled).epsilon(1e-6));
      CHECK(column == doctest::Approx(filled).epsilon(1e-6));
    }
  CHECK(P.at({0, 0, 0}) != doctest::Approx(0.25).epsilon(1e-3));
}

// --- G15b ---
// With a cluster for each word it is multi-head attention: sharing weights in a cluster is the only approximation.
PROPERTY(a_cluster_a_word_is_attention) {
  Small<nn::ClusteredMixer> m("clustered:clusters=5,iterations=2");
  Variable x = small_sentences(5);
  CHECK(max_abs_difference(m(x), full_attention(m.mixer.projections, x)) < kClose);
}

// All words of a cluster read with the weights of its mean query, and an empty cluster does not disturb the others.
PROPERTY(a_cluster_shares_its_weights) {
  Small<nn::ClusteredMixer> m("clustered:clusters=3,iterations=4", false, 1);
  Variable x = small_sentences(7), q = m.mixer.projections.queries(x);
  Tensor of = m.mixer.members(q.value(), Tensor::ones({2, 7}, DType::f64));
  Tensor cluster = argmax(of, -1), weights = m.mixer(x, {.weights = true}).weights.value();
  for (int64_t t = 0; t < 7; ++t) {
    Variable query(Tensor::zeros({1, 1, 1, kWidth}, DType::f64));
    double size = 0;
    for (int64_t s = 0; s < 7; ++s)
      if (cluster.at({0, 0, s}) == cluster.at({0, 0, t})) {
        query = query + reshape(select(select(select(q, 0, 0), 0, 0), 0, s), {1, 1, 1, kWidth});
        size += 1;
      }
    Variable k = slice(m.mixer.projections.keys(x), 0, 0, 1);
    Tensor row = full_attention(query / size, k, Variable(Tensor::eye(7, DType::f64))).value().reshape({7});
    CHECK(max_abs_difference(row, weights.select(0, 0).select(0, 0).select(0, t).contiguous()) < kClose);
  }
  // Two queries alike leave the second cluster empty: its centre stays at 1, the first moves to 5/6.
  Small<nn::ClusteredMixer> two("clustered:clusters=2,iterations=2", false, 1);
  Tensor alike = Tensor::from(std::vector<double>{1, 1, 0.5}, {1, 1, 3, 1});
  Tensor halves = two.mixer.members(alike, Tensor::ones({1, 3}, DType::f64));
  CHECK(halves.to_vector() == std::vector<double>{0, 1, 0, 1, 1, 0});
}

}  // namespace
}  // namespace heed::nn_test
