// Two early checks. Before any data is read, a small model with the same options runs once. Before memory for a model
// is allocated, its options are compared with the shapes in its file.
#pragma once

#include "nn/models/deep_fusion.h"
#include "nn/transformer/transformer.h"

namespace heed::nn {

inline constexpr int64_t kTrialWords = 8;  // the vocabulary of a trial, of both languages

// One sentence forward, backward, and word by word.
void run_once(const EncoderDecoder& model);

TransformerOptions small_model(const TransformerOptions& options);

void shrink(WordOptions& source, WordOptions& target, EncoderOptions& encoder, DecoderOptions& decoder,
            std::string& pooling, int64_t& readout);
template <class Options>  // of a recurrent paper
Options small_model(Options o) {
  if constexpr (requires { o.check(); }) o.check();  // before the sizes shrink, so that an error names the given ones
  if constexpr (requires { o.attention; }) {         // likewise
    Generator rng(1);
    const bool deep = std::is_same_v<Options, DeepFusion::Options>;
    Attention(completed_attention(o.attention, o.decoder.hidden + (deep ? o.target.width : 0), o.encoder.width(), ""),
              rng);
  }
  std::string pooling;
  int64_t readout = 0;
  if constexpr (requires { o.pooling; }) pooling = o.pooling;
  if constexpr (requires { o.readout; }) readout = o.readout;
  shrink(o.source, o.target, o.encoder, o.decoder, pooling, readout);
  if constexpr (requires { o.pooling; }) o.pooling = pooling;
  if constexpr (requires { o.readout; }) o.readout = readout;
  return o;
}

// Whether the largest parameters in a file have the sizes that the options give. A pointer has no output matrix.
bool fits(const WordOptions& source, const WordOptions& target, const EncoderOptions& encoder,
          const DecoderOptions& decoder, int64_t readout, bool writes_words, const io::SafeTensors& file);
template <class Options>
bool fits(const Options& o, bool writes_words, const io::SafeTensors& file) {
  int64_t readout = Readout::kDirect;
  if constexpr (requires { o.readout; }) readout = o.readout;
  return fits(o.source, o.target, o.encoder, o.decoder, readout, writes_words, file);
}
bool fits(const TransformerOptions& o, bool, const io::SafeTensors& file);

}  // namespace heed::nn
