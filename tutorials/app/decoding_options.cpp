#include "tutorials/app/decoding_options.h"

#include <fmt/format.h>

#include "nn/text/unicode.h"
#include "tensor/error.h"

namespace heed::app {

void DecodingOptions::fields(nn::OptionFields& f) {
  f("beam", translate.beam, "number of hypotheses in beam search; 1: greedy search", {1, 64});
  nn::OptionField& penalty =
      f("length_penalty", translate.length_penalty, "beam search ranks hypotheses by log p / ((5 + words) / 6)^A");
  penalty.value = "A";
  penalty.needs = nn::Need{"beam", "2 or more", [this] { return translate.beam > 1; }};
  f("n_best", n_best,
    "print the N best translations of each line, each as score TAB log p TAB translation, and an empty line after "
    "them; needs --beam N or more; 1: the best translation alone, without score and empty line",
    {1, 64});
  f("min_length", translate.min_length,
    "no translation is shorter than N tokens, unless --no-repeat-ngram leaves it no word", {0, 1000});
  f("no_repeat_ngram", translate.no_repeat_ngram,
    "no translation contains the same N tokens in a row twice; 0: no rule", {0, 100});
  f("prefix", prefix, "every translation begins with these words");
  f("beam_groups", translate.groups,
    "diverse beam search: the beam is divided into N groups, which avoid each other's words", {1, 64});
  nn::OptionField& diversity =
      f("diversity", translate.diversity,
        "how much a word loses, in log p, for each group that has written it in the same step", {0, 100});
  diversity.value = "X";
  diversity.needs = nn::Need{"beam_groups", "2 or more", [this] { return translate.groups > 1; }};
  f("replace_unk", translate.replace_unknown, "replace <unk> by the source word that received the most attention");
}

void declare(Options& options, DecodingOptions& d) {
  options
      .add("--model", &d.models,
           "translate standard input with the model in DIR, without training; several: an ensemble, whose "
           "probabilities are averaged")
      .placeholder("DIR");
  options.add_all(nn::fields_of(d));
}

void require_possible(const DecodingOptions& d) {
  if (d.n_best > d.translate.beam)
    throw InputError(fmt::format("--n-best: needs a beam of at least as many hypotheses; got {} with --beam {}",
                                 d.n_best, d.translate.beam));
  if (d.translate.beam % d.translate.groups != 0)
    throw InputError(fmt::format("--beam-groups: must divide the beam; got {} groups for --beam {}", d.translate.groups,
                                 d.translate.beam));
}

nn::TranslateOptions decoding_of(const DecodingOptions& d, const nn::Translator& t) {
  nn::TranslateOptions options = d.translate;
  if (const auto bad = text::invalid_utf8(d.prefix))
    throw InputError(fmt::format("--prefix: must be UTF-8; got byte 0x{:02X} at offset {}",
                                 static_cast<unsigned char>(d.prefix[*bad]), *bad));
  options.prefix = t.parts.tokenizers.target.split(d.prefix);
  for (const std::string& word : t.parts.bpe ? t.parts.bpe->segment(options.prefix) : options.prefix)
    if (!t.parts.target.contains(word))
      throw InputError(fmt::format("--prefix: must be made of words that the model can write; got \"{}\"", word));
  return options;
}

}  // namespace heed::app
