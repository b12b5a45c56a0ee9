// Options and parts that several papers share. B batch, S source words, n target words, E embedding, A width of an
// encoder output, C width of the source as one vector, N hidden, I width of the decoder's input, Q width of a query.
#pragma once

#include "nn/attention/structures/output_memory.h"
#include "nn/models/paper.h"
#include "nn/pooling/pooling.h"

namespace heed::nn {

struct WordOptions {
  int64_t vocabulary = 0;  // comes from the data; no option sets it
  int64_t width = 64;      // E
  void fields(OptionFields& f) { f("embedding", width, "size of the word vectors", {1, 16384}); }
};
struct EncoderOptions {
  std::string cell = "gru";
  int64_t hidden = 128, layers = 1;  // N of each direction
  bool bidirectional = true;
  int64_t tape = 0;  // of an lstmn: number of most recent states that it attends to; 0: all
  void fields(OptionFields& f);
  int64_t width() const { return bidirectional ? 2 * hidden : hidden; }  // A
};
struct DecoderOptions {
  std::string cell = "gru";
  int64_t hidden = 128, layers = 1;  // N
  int64_t tape = 0;                  // as in EncoderOptions
  // The decoder's memory of its own outputs: "key_value:parts=2" (nn/attention/structures/). Empty: none.
  std::string memory = "";
  void fields(OptionFields& f);
};
Embedding::Options embedding_of(const WordOptions& o);
AnyRecurrent::Options recurrent_of(const EncoderOptions& o, int64_t input, double dropout);
AnyRecurrent::Options recurrent_of(const DecoderOptions& o, int64_t input, double dropout);

// The vector before the output layer: tanh(W_r o), or o itself if the width is kDirect.
struct Readout : Module {
  static constexpr int64_t kDirect = -1;
  struct Options {
    int64_t in, width;
  };
  Readout(const Options& options, Generator& rng);
  Variable operator()(const Variable& o) const {
    Call call(*this);
    return linear ? call.result("output", tanh((*linear)(o))) : o;
  }
  int64_t width() const { return linear ? options.width : options.in; }
  void visit(Visitor& v) {
    if (linear) v.child("", *linear);
  }
  Options options;
  std::optional<Linear> linear;  // W_r
};
void readout_fields(int64_t& width, OptionFields& f);

// The decoder's first state s_0 = tanh(W_s x + b_s), for all of its layers, where x is
//   first_backward   the backward direction's state at the first word, after it has read the whole source
//   last             the last state of each direction
//   mean             the mean of the encoder outputs
//   pooled           the pooled encoder outputs; needs a pooling
//   zeros            none: s_0 = 0
struct FirstState : Module {
  struct Options {
    std::string from, pooling;
    EncoderOptions encoder = {};
    DecoderOptions decoder = {};
  };
  FirstState(const Options& options, Generator& rng);  // ValueError for what does not go together
  struct Result {
    States state;      // s_0, [B, N] each
    Variable summary;  // the source as one vector [B, C]: the pooled encoder outputs, or without a pooling `last`
  };
  // h [B, S, A], lengths [B] i64, last [B, A]: the encoder's last states of both directions
  Result operator()(const Variable& h, const Tensor& lengths, const Variable& last) const;
  int64_t width() const { return pooling ? pooling->width() : options.encoder.width(); }  // C
  void visit(Visitor& v) {
    if (linear) v.child("", *linear);
  }
  Options options;
  std::optional<Linear> linear;    // W_s
  std::optional<Pooling> pooling;  // visited by the model
};
// The start, or if it is "" a default: pooled if there is a pooling, else first_backward if the paper asks for it, else
// last.
std::string completed_start(const std::string& start, const std::string& pooling, bool first_backward);
// For papers whose steps do not read the pooled vector: ValueError for a pooling that the first state ignores, too.
void require_pooling_is_read(const std::string& pooling, const std::string& start);
void start_fields(std::string& start, std::string& pooling, OptionFields& f);

// A decoder's attention to the source. Its result is the weighted mean of the encoder outputs, or what a reader makes
// of them by the weights (nn/attention/readers/).
struct SourceAttention : Attention {
  struct Options {
    AttentionOptions stages;
    std::string reader = "";
  };
  SourceAttention(const Options& options, Generator& rng);
  Variable context(const Variable& query, const Source& source, DecoderState& state) const;  // [B, Q] -> [B, A]
  Attended all(const Variable& queries, const Source& source, DecoderState& state) const;    // [B, n, Q] -> [B, n, A]
  std::unique_ptr<Reader> reader;                                                            // visited by the model
};
void attention_fields(AttentionOptions& o, OptionFields& f);
void reader_field(std::string& reader, OptionFields& f);
// The same with the widths of query and key. ValueError for stages that need all queries at once: a decoder has one
// query per step.
AttentionOptions completed_attention(AttentionOptions o, int64_t query, int64_t key, const std::string& reader);
// The largest number of source words that attention can tell apart, as EncoderDecoder::max_positions.
int64_t most_source_words(const Pipeline& attention, DType dtype);

// The cell of a decoder, with its memory.
struct RecurrentDecoder : AnyRecurrent {
  struct Options {
    DecoderOptions decoder;
    int64_t input;
    double dropout;
  };
  RecurrentDecoder(const Options& options, Generator& rng);
  int64_t width() const { return memory ? memory->width() : AnyRecurrent::options.hidden; }  // of `output`
  const Variable& top(const DecoderState& s) const { return AnyRecurrent::top(s.cell); }
  // x [B, I] -> s_t [B, N] of the last layer, where `state` becomes the one after it; `added`: as in AnyRecurrent
  Variable step(const Variable& x, DecoderState& state, const Variable& added = {}) const;
  Variable steps(const Variable& x, DecoderState& state) const;  // x [B, n, I] -> s_1 .. s_n [B, n, N]
  // What the readout reads: s_t, or what the memory computes from s_t and the outputs before it.
  Variable output(const Variable& s, DecoderState& state) const { return memory ? memory->step(s, state.past) : s; }
  Variable outputs_of(const Variable& s) const { return memory ? memory->sequence(s) : s; }  // of s_1 .. s_n
  std::unique_ptr<OutputMemory> memory;                                                      // visited by the model
};

}  // namespace heed::nn
