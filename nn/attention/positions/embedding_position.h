// Position schemes outside attention: they are added to the embeddings, once, before the first layer.
//
//   x'_t = x_t + p(place of t)                  x [B, T, D]
//
// The registry's rows with an `embedding_position` are of this kind (all.cpp), those with a
// `position` act inside the heads (head_position.h). To add a scheme: one file in this folder, and its line there. B
// batch, T words, D width.
#pragma once

#include <memory>
#include <string>

#include "nn/module.h"

namespace heed::nn {

struct EmbeddingPositionOptions {
  std::string name;       // a row of the registry
  int64_t width;          // D
  int64_t max_positions;  // rows of a table, where the scheme has one
};

struct EmbeddingPosition : Module {
  using Stage = EmbeddingPosition;
  virtual ~EmbeddingPosition() = default;
  EmbeddingPosition() = default;
  EmbeddingPosition(EmbeddingPosition&&) = default;
  EmbeddingPosition& operator=(EmbeddingPosition&&) = default;

  virtual Variable operator()(const Variable& x, int64_t first = 0) const = 0;     // places first, first + 1, ..
  virtual Variable operator()(const Variable& x, const Tensor& places) const = 0;  // [B, T] i64: a place for each word
  virtual int64_t limit() const { return 0; }  // it has the places 0 .. limit - 1; 0: any number of them
  virtual void visit(Visitor&) {}
};

// Null for a position that is not added to the embedding.
std::unique_ptr<EmbeddingPosition> make_embedding_position(const EmbeddingPositionOptions& options, Generator& rng);
// What such a scheme has, without making its table. 0 for other positions.
int64_t embedding_position_parameters(const EmbeddingPositionOptions& options);
// The largest number of words that a sentence may have with it; 0: any number.
int64_t embedding_position_limit(EmbeddingPositionOptions options);
void require_sequence(const char* who, const Variable& x, int64_t width);  // ShapeError unless x is [B, T, width]

}  // namespace heed::nn
