// From one vector per word to one vector per sentence, x [B, S, D] -> [B, D], without parameters. n is the number of
// words of the sentence, and i runs over them from 1; k <= D (position_encoding: Sukhbaatar et al., section 4.1).
//
// All except max and position_encoding are sums with weights that depend only on the padding mask; position_encoding
// has a weight for each entry of a word, which falls from the first word to the last in the first entries and rises in
// the last. The weights count words, not positions, so padding changes nothing, whether it is after the words or before
// them. Without words: 0 and no gradient.
#pragma once

#include <string>
#include "nn/about.h"

#include "autograd/variable.h"

namespace heed::nn {

inline constexpr About kAboutLasttoken{
    .names = {"I1", "lasttoken", "last state"},
    .formula = "x_n",
    .paper = {"Sutskever, Vinyals and Le, NIPS 2014", 2014, 1},
    .idea =
        "The vector of the last real word represents the sentence. In a recurrent encoder that reads forwards it is "
        "the final state. What was read first has passed through every later step.",
    .wrong = "With padding on the right the last position of the row is not the last word.",
    .shapes = "x [B, S, D] -> [B, D]",
    .cost = "D copies",
    .own = {"means_of_three_words"},
    .cases = "pool",
};

inline constexpr About kAboutCls{
    .names = {"I2", "cls", "[CLS]"},
    .formula = "x_1",
    .paper = {"Devlin et al. (BERT), NAACL 2019", 2019, 1},
    .idea =
        "A special word is put before the sentence, and its vector is taken. The model learns to collect there what "
        "the task needs. Without such training it is no better than any other word.",
    .wrong = "The first position is useful only if the model was trained to put the sentence there.",
    .shapes = "x [B, S, D] -> [B, D]",
    .cost = "D copies",
    .own = {"means_of_three_words"},
    .cases = "pool",
};

inline constexpr About kAboutMean{
    .names = {"I3", "mean", "average"},
    .formula = "sum_i x_i / n",
    .paper = {"Reimers and Gurevych, EMNLP 2019", 2019, 1},
    .idea =
        "The vectors of all real words are averaged. Every word counts the same. It was the best of the three poolings "
        "that were compared in Sentence-BERT.",
    .wrong = "The sum is divided by the number of real words, not by the padded length.",
    .shapes = "x [B, S, D] -> [B, D]",
    .cost = "S D sums; no parameters",
    .own = {"means_of_three_words"},
    .cases = "pool",
};

inline constexpr About kAboutMax{
    .names = {"I4", "max", "max over time"},
    .formula = "max_i x_i, for each entry",
    .paper = {"Reimers and Gurevych, EMNLP 2019", 2019, 1},
    .idea =
        "For each entry the largest number of all words is taken. One word in which a feature is large is enough. Only "
        "the winning word of each entry receives its gradient.",
    .wrong =
        "Padding must be masked with minus infinity. If it is set to zero instead, it wins over all negative entries.",
    .shapes = "x [B, S, D] -> [B, D]",
    .cost = "S D comparisons",
    .own = {"at_least_the_mean"},
    .cases = "pool",
};

inline constexpr About kAboutMeanSqrtLenTokens{
    .names = {"I5", "mean_sqrt_len_tokens"},
    .formula = "sum_i x_i / sqrt(n)",
    .paper = {"Cer et al. (Universal Sentence Encoder), 2018", 2018, 1},
    .idea =
        "The sum of all words is divided by the root of their number. Random vectors then give a result of the same "
        "size for every length. It lies between the sum and the mean.",
    .wrong = "The divisor is the root of the number of words. The result is not the root of the mean.",
    .shapes = "x [B, S, D] -> [B, D]",
    .cost = "S D sums; no parameters",
    .own = {"means_of_three_words"},
    .cases = "pool",
};

inline constexpr About kAboutWeightedmean{
    .names = {"I6", "weightedmean", "position-weighted mean"},
    .formula = "sum_i i x_i / sum_i i",
    .paper = {"Muennighoff (SGPT), 2022", 2022, 1},
    .idea =
        "Later words count more, in proportion to their position. In a causal model later words have attended to more "
        "of the sentence, so they know more. It was proposed for sentence vectors of causal language models (SGPT).",
    .wrong = "The weights count real words. With padding on the left the first real word still has the weight one.",
    .shapes = "x [B, S, D] -> [B, D]",
    .cost = "S D sums; no parameters",
    .own = {"means_of_three_words"},
    .cases = "pool",
};

inline constexpr About kAboutSum{
    .names = {"I11", "sum", "bag of vectors"},
    .formula = "sum_i x_i",
    .paper = {"Mitchell and Lapata, ACL 2008", 2008, 1},
    .idea =
        "The vectors of all words are added up. The sum shows how often something occurs, which a mean does not. It is "
        "the simplest way to make one vector of a sentence.",
    .wrong = "The result grows with the number of words. A cosine does not change with it, but a dot product does.",
    .shapes = "x [B, S, D] -> [B, D]",
    .cost = "S D sums; no parameters",
    .own = {"means_of_three_words"},
    .cases = "pool",
};

inline constexpr About kAboutPositionEncoding{
    .names = {"F14", "position_encoding", "position encoding of memory networks"},
    .formula = "sum_j l_j * x_j,  l_jk = (1 - j/n) - (k/D) (1 - 2j/n)",
    .paper = {"Sukhbaatar et al., NIPS 2015", 2015, 1},
    .idea =
        "The vectors of the words are added up, and each entry of each word has a weight of its own. In the first "
        "entries early words weigh more, in the last entries late ones. So the sum of a sentence tells its order, "
        "which a plain sum does not.",
    .wrong = "The weights depend on the number of words, so padding must not be counted.",
    .shapes = "x [B, S, D] -> [B, D]",
    .cost = "S D sums; no parameters",
    .own = {"order_of_words_counts"},
    .exempt = {{"one_word_is_itself", "entry k of the only word has the weight k / D"}},
    .cases = "pool",
};

// `words` is the padding mask: bool [B, S], false for padding; undefined: no padding. ValueError for an unknown name.
Variable pool(const std::string& name, const Variable& x, const Tensor& words = {});
// The weights of a pooling by name, except max and position_encoding: words bool [B, S] -> [B, S]
Tensor pooling_weights(const std::string& name, const Tensor& words, DType dtype = DType::f32);

}  // namespace heed::nn
