// A mixer that is softmax attention, of which decoding keeps one row of numbers per word: what is needed to make the
// keys and values of all heads of this word.
//
//   rows_of(x)     x [B, n, D] -> [B, n, R]                     kept; an earlier word is never computed again
//   read           the queries of the last n words read all S rows
//
// Places count from the first word of each sentence, so that padding before it changes nothing: the new words are the
// queries of `Places`, and the rows its keys.
//
// B batch, n new words, S words so far, D width of the model, R numbers of a row, H heads, K width of a head.
#pragma once

#include "nn/attention/attend.h"
#include "nn/attention/memories/latent.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct RowsMixer : Mixer {
  Mixed mix(const Variable& x, const MixerInput& in) const final;
  std::unique_ptr<AttentionMemory> memory() const final { return std::make_unique<LatentMemory>(row_width()); }
  Mixed continued(const Variable& x, AttentionMemory& memory, const MixerInput& in) const final;
  MixerOptions options;

 protected:
  RowsMixer(const MixerOptions& o, const char* name);
  static Linear bare_layer(int64_t in, int64_t out, Generator& rng);               // without a bias
  virtual int64_t row_width() const = 0;                                           // R
  virtual Variable rows_of(const Variable& x, const Places& places) const = 0;     // [B, n, D] -> [B, n, R]
  virtual Variable queries_of(const Variable& x, const Places& places) const = 0;  // -> [B, H, n, K], scaled
  virtual HeadMemory keys_of(const Variable& rows) const = 0;      // [B, S, R] -> [B, H or 1, S, K] and values
  virtual Variable output_of(const Variable& contexts) const = 0;  // [B, H, n, K] -> [B, n, D]
  virtual bool reads(int64_t query, int64_t key) const { return !options.causal || key <= query; }  // by their places

 private:
  Mixed read(const Variable& x, const Variable& rows, const Places& places, const MixerInput& in) const;
};

// x [B, n, N K] -> [B, n, N, K]
Variable in_parts(const Variable& x, int64_t parts);
// The places of the new words, one row for all sentences or a row for each: [1 or B, n] i64
Tensor places_of_queries(const Places& places);

}  // namespace heed::nn
