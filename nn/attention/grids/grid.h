// Mixers of pictures. The words of a sequence are the places of a picture with C columns, row after row: T = R C, and
// place t is row t / C, column t % C. With C = 1, the default, a sentence is a picture of one column.
//
// Pictures of one batch may differ in height. The key padding mask says so: the picture ends with the last row that has
// a word, and rows after it are not there, as if the picture were mixed alone. Padding inside the picture is a black
// place: it is 0, and is read as any other place. So a batch in training is normalised (nn/batch_norm.h) over the
// pictures of one height.
//
// Such a mixer reads all places, so none can be causal. B batch, R rows, C columns, D width, H heads, K = D / H.
#pragma once

#include "nn/attention/mixers/heads.h"
#include "nn/attention/mixers/mixer.h"
#include "nn/layers.h"

namespace heed::nn {

struct GridSettings {
  int64_t columns = 1;
  void fields(OptionFields& f) { f("columns", columns, "C, columns of the picture, which has T / C rows", {1, 1e6}); }
};

inline constexpr const char* kReadsThePicture = "it reads places of a picture in all directions";
inline constexpr Exempt kPlacesReadAll{kLaterWordsAreNotRead, kReadsThePicture};

struct GridMixer : Mixer {
  // Calls `picture` for all pictures of one height at once. ShapeError unless the columns divide T.
  Mixed mix(const Variable& x, const MixerInput& in) const final;
  virtual Variable picture(const Variable& x) const = 0;  // [B, R, C, D] -> [B, R, C, D]
  MixerOptions options;

 protected:
  GridMixer(const MixerOptions& o, const char* name);  // ValueError if causal
};

// The projections of multi-head attention over the places of a picture: [q; k; v] = x W + b, y = [context_h]_h W_o +
// b_o
struct GridHeads : Module {
  struct Read {
    Variable q, k, v;  // [B, H, T, K]
  };
  GridHeads(const MixerOptions& options, Generator& rng);
  Read operator()(const Variable& x) const;                           // [B, R, C, D]
  Variable output(const Variable& context, const Variable& x) const;  // [B, H, T, K] -> the shape of x
  static double scale(const Read& read);                              // 1 / sqrt(K)
  void visit(Visitor& v) { v.child("in_proj", in_proj), v.child("out_proj", out_proj); }
  int64_t heads;
  Linear in_proj, out_proj;  // D -> 3 D, D -> D
};

Variable places_of(const Variable& x);                               // [B, R, C, D] -> [B, R C, D]
Variable rows_of(const Variable& x, int64_t rows, int64_t columns);  // [B, R C, D] -> [B, R, C, D]

}  // namespace heed::nn
