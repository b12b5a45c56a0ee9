#include "tests/bench/rows.h"

namespace bench {
namespace {

std::string joined(const Sizes& sizes, const char* between) {
  std::string text;
  for (int64_t s : sizes) text += (text.empty() ? "" : between) + std::to_string(s);
  return text;
}

// M x K x N; kind matmul_at: A is used transposed, as in the gradient of a weight; matmul_bt: B is, as in x W^T.
// matmul_bf16 has no peer, and its peak is that of f32. _cold: other matrices each time, as inside a training step.
Row matmul(const Sizes& mkn, int threads, double fraction, const std::string& kind = "matmul") {
  Row r;
  r.id = kind + "_" + joined(mkn, "x") + "_t" + std::to_string(threads);
  r.workload = "matmul " + joined(mkn, " x ");
  for (auto [part, words] : {std::pair{"_at", ", A^T"}, {"_bt", ", B^T"}, {"_bf16", ", bf16"}, {"_cold", ", cold"}})
    if (kind.find(part) != std::string::npos) r.workload += words;
  if (fraction > 0) r.goal_ratio = 1;  // never behind a peer
  r.kind = kind, r.sizes = mkn, r.threads = threads, r.unit = Row::gflops, r.goal_fraction = fraction;
  r.amount = 2.0 * static_cast<double>(mkn[0] * mkn[1] * mkn[2]);
  return r;
}

Row pass(const std::string& kind, int threads, double fraction) {  // over rows of a matrix, read once and written once
  Row r;
  r.id = kind + "_4096x1024_t" + std::to_string(threads);
  r.workload = kind + " 4096 x 1024";
  r.kind = kind, r.sizes = {4096, 1024}, r.threads = threads, r.unit = Row::gigabytes, r.goal_fraction = fraction;
  r.amount = 2.0 * 4 * 4096 * 1024;
  r.goal_ratio = 3;
  return r;
}

Row recorded(int64_t operations) {  // what a chain of operations holds between forward and backward
  Row r;
  r.id = "recorded_" + std::to_string(operations);
  r.workload = "recorded bytes per op of that chain, values included";
  r.kind = "recorded", r.sizes = {operations / 2, 16}, r.unit = Row::bytes, r.goal_bytes = 350;
  r.amount = static_cast<double>(operations);
  return r;
}

Row step(std::string id, std::string workload, std::string kind, Sizes sizes, double goal, bool scaling) {
  Row r;
  r.id = std::move(id), r.workload = std::move(workload), r.kind = std::move(kind), r.sizes = std::move(sizes);
  r.goal_seconds = goal, r.scaling = scaling;
  return r;
}

// The goals that rows of a kind share: how many times as fast as the best peer. `goal` is one in seconds.
Row training(std::string id, std::string workload, std::string kind, Sizes sizes, double goal, bool scaling,
             double fraction = 0) {
  Row r = step(std::move(id), std::move(workload), std::move(kind), std::move(sizes), goal, scaling);
  r.goal_ratio = r.kind == "self_attention" ? 3 : 2.5, r.goal_fraction = fraction;
  return r;
}
Row forward(std::string id, std::string workload, std::string kind, Sizes sizes) {
  Row r = step(std::move(id), std::move(workload), std::move(kind), std::move(sizes), 0, true);
  r.goal_ratio = 1.5, r.also_on_one_thread = true;
  return r;
}

// An encoder of BERT's shape that reads B texts of T words: goal, no slower than ONNX Runtime.
Row published(const std::string& id, const std::string& name, int64_t B, int64_t T,
              const Sizes& model) {  // D, H, layers, F
  Row r = forward(id + "_" + std::to_string(B) + "x" + std::to_string(T),
                  name + " B" + std::to_string(B) + " T" + std::to_string(T), "published_encoder",
                  {B, T, 30522, model[0], model[1], model[2], model[3]});
  r.goal_ratio = 1, r.scaling = false;
  if (B * T > 8192) r.most_turns = 3;
  return r;
}

// A decoder of GPT-2 small's shape after T words. A word reads every weight, key and value once, so the limit of
// `written` is a read of as many bytes, by as many threads and in turns with it.
constexpr int64_t kWords = 50257, kWidth = 768, kLayers = 12, kInner = 3072;
Row written(int64_t T, int64_t bits) {
  Row r = step(
      "published_decode_" + std::to_string(bits),
      "GPT-2 small writes a word after " + std::to_string(T) + " others, weights of " + std::to_string(bits) + " bits",
      "published_decode", {T, kWords, kWidth, 12, kLayers, kInner, bits}, 0, false);
  r.unit = Row::words, r.goal_fraction = 0.8;
  const int64_t weights = kLayers * (4 * kWidth * kWidth + 2 * kWidth * kInner) + kWords * kWidth;
  r.amount = static_cast<double>(weights * bits / 8 + 2 * kLayers * T * kWidth * 4);  // and keys and values
  return r;
}
Row prefill(int64_t T, int64_t bits) {
  Row r = step("published_prefill_" + std::to_string(bits),
               "GPT-2 small reads " + std::to_string(T) + " words, weights of " + std::to_string(bits) + " bits",
               "published_prefill", {T, kWords, kWidth, 12, kLayers, kInner, bits}, 0, true);
  r.goal_fraction = 0.8;
  return r;
}

std::vector<Row> with_one_thread(const std::vector<Row>& rows) {
  std::vector<Row> all;
  for (const Row& r : rows) {
    if (r.also_on_one_thread) {
      Row& one = all.emplace_back(r);
      one.id += "_t1", one.threads = 1, one.scaling = false;
    }
    all.push_back(r);
  }
  return all;
}

}  // namespace

std::vector<Row> rows() {
  return with_one_thread({
      step("add_16", "a + b, 16 elements", "add", {16}, 45e-9, false),
      step("chain_2000", "chain of 2,000 ops, 16 elements, per op", "chain", {1000, 16}, 100e-9, false),
      recorded(2000),
      step("mlp", "MLP 2-16-16-1 B32, SGD", "mlp", {32, 2, 16, 16, 1}, 6e-6, false),
      matmul({1024, 1024, 1024}, 1, 0.93),
      matmul({1024, 1024, 1024}, 2, 0.90),
      matmul({32, 128, 512}, 1, 0.93),
      matmul({32, 128, 512}, 2, 0.75),
      matmul({64, 256, 1024}, 1, 0.93),
      matmul({64, 256, 1024}, 2, 0.90),
      matmul({16, 64, 64}, 1, 0.93),
      matmul({16, 64, 64}, 2, 0.40),
      matmul({768, 256, 1024}, 1, 0.93),
      matmul({768, 256, 1024}, 2, 0.90),
      matmul({2496, 256, 512}, 1, 0.93),
      matmul({2496, 256, 512}, 2, 0.90),
      matmul({2496, 256, 8000}, 1, 0.93),
      matmul({2496, 256, 8000}, 2, 0.90),
      matmul({1024, 1024, 1024}, 1, 0.93, "matmul_at"),
      matmul({1024, 1024, 1024}, 2, 0.90, "matmul_at"),
      matmul({768, 256, 1024}, 1, 0.93, "matmul_at"),
      matmul({768, 256, 1024}, 2, 0.90, "matmul_at"),
      matmul({2496, 256, 512}, 1, 0.93, "matmul_at"),
      matmul({2496, 256, 512}, 2, 0.90, "matmul_at"),
      matmul({2496, 256, 8000}, 1, 0.93, "matmul_at"),
      matmul({2496, 256, 8000}, 2, 0.90, "matmul_at"),
      matmul({1024, 1024, 1024}, 1, 0.93, "matmul_bt"),
      matmul({1024, 1024, 1024}, 2, 0.90, "matmul_bt"),
      matmul({768, 256, 1024}, 1, 0.93, "matmul_bt"),
      matmul({768, 256, 1024}, 2, 0.90, "matmul_bt"),
      matmul({2496, 256, 512}, 1, 0.93, "matmul_bt"),
      matmul({2496, 256, 512}, 2, 0.90, "matmul_bt"),
      matmul({2496, 256, 8000}, 1, 0.93, "matmul_bt"),
      matmul({2496, 256, 8000}, 2, 0.90, "matmul_bt"),
      matmul({2496, 256, 256}, 1, 0, "matmul_cold"),
      matmul({2496, 256, 256}, 2, 0, "matmul_cold"),
      matmul({256, 2496, 256}, 1, 0, "matmul_at_cold"),
      matmul({256, 2496, 256}, 2, 0, "matmul_at_cold"),
      matmul({2496, 256, 256}, 1, 0, "matmul_bt_cold"),
      matmul({2496, 256, 256}, 2, 0, "matmul_bt_cold"),
      matmul({1024, 1024, 1024}, 1, 0, "matmul_bf16"),
      matmul({1024, 1024, 1024}, 2, 0, "matmul_bf16"),
      pass("softmax", 1, 0.6),
      pass("softmax", 2, 0.6),
      pass("layer_norm", 1, 0.8),
      pass("layer_norm", 2, 0.8),
      pass("gelu", 1, 0.5),
      pass("gelu", 2, 0.5),
      pass("tanh", 1, 0.5),
      pass("tanh", 2, 0.5),
      // B, T, E, N
      training("lstm_small", "LSTM B32 T20 E64 N128", "lstm", {32, 20, 64, 128}, 2.5e-3, false),
      training("lstm_medium", "LSTM B32 T20 E128 N256", "lstm", {32, 20, 128, 256}, 9.2e-3, true),
      training("lstm_large", "LSTM B64 T20 E256 N512", "lstm", {64, 20, 256, 512}, 70e-3, true),
      // B, T, S, A: the width of queries, keys and values, and of the hidden layer of additive scores
      training("additive_attention", "additive attention B64 T12 S12 A256", "additive_attention", {64, 12, 12, 256}, 0,
               false),
      training("dot_attention", "dot attention B64 T12 S12 A256", "dot_attention", {64, 12, 12, 256}, 0, false),
      // B, T, D, H
      training("multi_head", "multi-head attention B32 T32 D128 H8", "multi_head", {32, 32, 128, 8}, 0, true),
      // B, T, V, E, N
      training("seq2seq_small", "seq2seq B64 T12 V40 E32 N64", "seq2seq", {64, 12, 40, 32, 64}, 4e-3, false),
      training("seq2seq_medium", "seq2seq B64 T12 V4000 E128 N256", "seq2seq", {64, 12, 4000, 128, 256}, 145e-3, true),
      training("seq2seq_large", "seq2seq B64 T20 V8000 E256 N512", "seq2seq", {64, 20, 8000, 256, 512}, 950e-3, true),
      // B, T, V, D, H, layers of each side, ff
      training("transformer_small", "Transformer B64 T12 V40 D64 H4, 2+2 layers, ff 128", "transformer",
               {64, 12, 40, 64, 4, 2, 128}, 7e-3, false),
      training("transformer_medium", "Transformer B64 T16 V8000 D256 H4, 3+3 layers, ff 1024", "transformer",
               {64, 16, 8000, 256, 4, 3, 1024}, 290e-3, true),
      training("transformer_long", "Transformer B32 T64 V8000 D256 H4, 3+3 layers, ff 1024", "transformer",
               {32, 64, 8000, 256, 4, 3, 1024}, 600e-3, true),
      // Multi30k de-en, multi30k-small: 188 batches of 2,500 padded tokens an epoch; the goal is 120 s for them
      training("multi30k_step", "Multi30k step B156 T16 V8000 D256 H8, 3+3 layers, ff 512, tied, dropout", "translator",
               {156, 16, 8000, 256, 8, 3, 512}, 120.0 / 188, true, 0.8),
      step("multi30k_step_bf16", "Multi30k step in bf16, the same model", "translator_bf16",
           {156, 16, 8000, 256, 8, 3, 512}, 0, true),
      // Forward passes alone. B, T, D, H, layers, ff
      forward("encoder_forward_short", "encoder forward B64 T16 D256 H4, 3 layers, ff 1024", "encoder_forward",
              {64, 16, 256, 4, 3, 1024}),
      forward("encoder_forward_medium", "encoder forward B32 T64 D256 H4, 3 layers, ff 1024", "encoder_forward",
              {32, 64, 256, 4, 3, 1024}),
      forward("encoder_forward_one", "encoder forward B1 T512 D256 H4, 3 layers, ff 1024", "encoder_forward",
              {1, 512, 256, 4, 3, 1024}),
      // B, T, E, N
      forward("lstm_forward", "LSTM forward B64 T20 E256 N512", "lstm_forward", {64, 20, 256, 512}),
      forward("gru_forward", "bidirectional GRU forward B64 T20 E256 N512", "gru_forward", {64, 20, 256, 512}),
      // The model of multi30k_step writes 64 sentences of 16 words, greedily and with a beam: the last number
      forward("decode_greedy", "greedy decoding B64 T16 V8000 D256 H8, 3+3 layers", "decode",
              {64, 16, 8000, 256, 8, 3, 512, 1}),
      step("decode_beam", "beam 5 decoding B64 T16 V8000 D256 H8, 3+3 layers", "decode",
           {64, 16, 8000, 256, 8, 3, 512, 5}, 0, true),
      // Sentences of mixed lengths, as from a file: heed sorts them into batches, which its threads search side by
      // side; libtorch gets the same batches. N, shortest, longest, batch, V, D, H, layers, ff, hypotheses
      step("translate_greedy", "256 sentences of 4 to 20 words, greedy, V8000 D256 H8, 3+3 layers", "translate",
           {256, 4, 20, 128, 8000, 256, 8, 3, 512, 1}, 0, true),
      step("translate_beam", "160 sentences of 4 to 20 words, beam 4, V8000 D256 H8, 3+3 layers", "translate",
           {160, 4, 20, 80, 8000, 256, 8, 3, 512, 4}, 0, true),
      // Published models, by their own forward pass (nn/published/)
      published("minilm", "MiniLM, 6 layers,", 1, 16, {384, 12, 6, 1536}),
      published("minilm", "MiniLM, 6 layers,", 1, 128, {384, 12, 6, 1536}),
      published("minilm", "MiniLM, 6 layers,", 1, 512, {384, 12, 6, 1536}),
      published("minilm", "MiniLM, 6 layers,", 32, 16, {384, 12, 6, 1536}),
      published("minilm", "MiniLM, 6 layers,", 32, 128, {384, 12, 6, 1536}),
      published("minilm", "MiniLM, 6 layers,", 32, 512, {384, 12, 6, 1536}),
      published("bert_base", "BERT-base", 1, 16, {768, 12, 12, 3072}),
      published("bert_base", "BERT-base", 1, 128, {768, 12, 12, 3072}),
      published("bert_base", "BERT-base", 1, 512, {768, 12, 12, 3072}),
      published("bert_base", "BERT-base", 32, 16, {768, 12, 12, 3072}),
      published("bert_base", "BERT-base", 32, 128, {768, 12, 12, 3072}),
      published("bert_base", "BERT-base", 32, 512, {768, 12, 12, 3072}),
      written(128, 32),
      written(128, 16),
      prefill(512, 32),
      prefill(512, 16),
      // B, T, H, K: forward and backward
      training("self_attention_256", "self-attention B1 T256 H4 K64", "self_attention", {1, 256, 4, 64}, 1.5e-3, true),
      training("self_attention_1024", "self-attention B1 T1024 H4 K64", "self_attention", {1, 1024, 4, 64}, 23e-3,
               true),
      training("self_attention_4096", "self-attention B1 T4096 H4 K64", "self_attention", {1, 4096, 4, 64}, 400e-3,
               true),
      // B, T, H, K, keys to each side: no peer has one; compare with the row above
      step("window_attention_4096", "self-attention B1 T4096 H4 K64, 256 keys to each side", "window_attention",
           {1, 4096, 4, 64, 256}, 0, true),
      // T words one by one through one layer of multi-head attention of D and H; the last number is the scope's window,
      // whose ring is all that is kept; 0: all keys are kept. No peer has one
      step("extend_all", "4,096 words one by one through attention D256 H8", "extend", {4096, 256, 8, 0}, 0, false),
      step("extend_ring", "the same with a window of 64 words, kept in a ring", "extend", {4096, 256, 8, 64}, 0, false),
  });
}

std::vector<Row> twin_rows() {
  auto twin = [](const char* kind, const char* workload, Sizes sizes) {
    return step(kind, workload, kind, std::move(sizes), 0, false);
  };
  return {
      twin("linear", "linear 768 x 256 -> 1024", {768, 256, 1024}),
      twin("layer_norm_step", "layer norm 768 x 256", {768, 256}),
      twin("cross_entropy", "cross-entropy 768 x 4000", {768, 4000}),
      twin("additive_score", "additive score B64 T12 S12 A256", {64, 12, 12, 256}),
      twin("attention_256", "causal attention B8 T256 H4 K64", {8, 256, 4, 64}),
      twin("attention_2048", "causal attention B1 T2048 H4 K64", {1, 2048, 4, 64}),
      twin("lstm_sequence", "LSTM T20 B32 I128 N256", {20, 32, 128, 256}),
      twin("attention_decoder", "decoder B64 T12 S12 E128 N256", {64, 12, 12, 128, 256}),
  };
}

}  // namespace bench
