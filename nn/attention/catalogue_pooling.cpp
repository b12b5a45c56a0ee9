// The catalogue's poolings, I1 to I11 and F14: they reduce a matrix of S word vectors to one vector, or to a few.
#include "nn/attention/catalogue.h"
#include "nn/pooling/poolers.h"

namespace heed::nn {
namespace {

struct Row {
  const char *id, *also, *name, *formula, *paper;
  int year;
  const char *shapes, *cost, *own, *cases;
};

}  // namespace

std::vector<CatalogueEntry> pooling_entries() {
  const char *vector = "x [B, S, D] -> [B, D]", *sums = "S D sums; no parameters";
  const char *sbert = "Reimers and Gurevych, EMNLP 2019", *means = "means_of_three_words";
  const std::vector<Row> rows = {
      {"I1", "last state", "lasttoken", "x_n", "Sutskever, Vinyals and Le, NIPS 2014", 2014, vector, "D copies", means,
       "pool"},
      {"I2", "[CLS]", "cls", "x_1", "Devlin et al. (BERT), NAACL 2019", 2019, vector, "D copies", means, "pool"},
      {"I3", "average", "mean", "sum_i x_i / n", sbert, 2019, vector, sums, means, "pool"},
      {"I4", "max over time", "max", "max_i x_i, for each entry", sbert, 2019, vector, "S D comparisons",
       "at_least_the_mean", "pool"},
      {"I5", "", "mean_sqrt_len_tokens", "sum_i x_i / sqrt(n)", "Cer et al. (Universal Sentence Encoder), 2018", 2018,
       vector, sums, means, "pool"},
      {"I6", "position-weighted mean", "weightedmean", "sum_i i x_i / sum_i i", "Muennighoff (SGPT), 2022", 2022,
       vector, sums, means, "pool"},
      {"I7", "learned query", "attention", "w = softmax(u . x_i), sum_i w_i x_i;  u learned", "Yang et al., NAACL 2016",
       2016, vector, "2 S D products; D parameters", "zero_query_is_the_mean", "AttentionPooling"},
      {"I8", "E8", "structured_rows", "M = A H, its R rows", "Lin et al., ICLR 2017", 2017, "h [B, S, D] -> [B, R, D]",
       "S A (D + R) + R S D products; A (D + R) parameters", "one_row_is_attention_pooling", "StructuredEmbedding"},
      {"I9", "PMA", "multi_head_pooling", "norm(H + rows(H)),  H = norm(seeds + multi_head(seeds, x, x))",
       "Lee et al. (Set Transformer), ICML 2019", 2019, "x [B, S, D] -> [B, R, D]",
       "multi-head attention with R queries, plus 2 (S + R) D F products", "a_set_has_no_order", "MultiHeadPooling"},
      {"I10", "several modes", "concatenated", "[pool_1(x); pool_2(x); ..]", sbert, 2019, "x [B, S, D] -> [B, n D]",
       "the sum over its parts", "parts_stand_side_by_side", "Pooling"},
      {"I11", "bag of vectors", "sum", "sum_i x_i", "Mitchell and Lapata, ACL 2008", 2008, vector, sums, means, "pool"},
      {"F14", "position encoding of memory networks", "position_encoding",
       "sum_j l_j * x_j,  l_jk = (1 - j/n) - (k/D) (1 - 2j/n)", "Sukhbaatar et al., NIPS 2015", 2015, vector, sums,
       "order_of_words_counts", "pool"},
  };
  std::vector<CatalogueEntry> entries;
  for (const Row& r : rows) {
    CatalogueEntry entry{.id = r.id,
                         .name = r.name,
                         .kind = Kind::pooling,
                         .family = "poolings",
                         .formula = r.formula,
                         .paper = r.paper,
                         .year = r.year,
                         .tier = 1,
                         .shapes = r.shapes,
                         .cost = r.cost,
                         .own = {r.own},
                         .cases = r.cases};
    if (*r.also) entry.also = {r.also};
    // Those without parameters are the names of nn/pooling/pool.h.
    if (entry.cases == "pool") entry.pooling = pooler_as<FixedPooler>;
    if (entry.id == "I7") entry.pooling = pooler_as<AttentionPooler>;
    if (entry.id == "I8") entry.reached = {"pooling", "structured"};
    if (entry.id == "I9") {
      entry.pooling = pooler_as<MultiHeadPooler>;
      entry.settings = {{"seeds", 1, "R, number of learned queries", 1, 1024},
                        {"heads", 1, "number of heads; must divide the encoder's width", 1, 1024}};
    }
    if (entry.id == "I10") entry.reached = {"pooling", "mean,max"};
    if (entry.id == "I9") entry.exempt["one_word_is_itself"] = "the words are projected and normalised";
    if (entry.id == "I9") entry.exempt["no_words_read_zero"] = "without words the output depends on its seeds alone";
    if (entry.id == "I10") entry.exempt["one_word_is_itself"] = "the output contains the word once for each mode";
    if (entry.id == "F14") entry.exempt["one_word_is_itself"] = "entry k of the only word has the weight k / D";
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace heed::nn
