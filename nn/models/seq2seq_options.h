// What kind of encoder-decoder: nn/models/seq2seq.h has the models, this their choices. Stages are chosen by their
// names.
#pragma once

#include <string>

#include "nn/attention/attention.h"
#include "nn/io/json.h"
#include "nn/options.h"

namespace heed::nn {

struct Seq2SeqOptions {
  static constexpr int64_t kDirect = -1;
  int64_t source_vocabulary, target_vocabulary;
  int64_t embedding = 64, hidden = 128;  // hidden: of the decoder, and of each direction of the encoder
  std::string cell = "gru";              // rnn, gru, lstm, lstmn
  int64_t tape = 0;                      // of lstmn: number of most recent states that it attends to; 0: all
  // What the decoder knows of the source:
  //   attention       a context of its own at each step (Bahdanau, Cho and Bengio, ICLR 2015)
  //   initial_state   its first state and no more (Sutskever, Vinyals and Le, NIPS 2014)
  //   every_step      one vector, the same at each step (Cho et al., EMNLP 2014)
  std::string context = "attention";
  AttentionOptions attention = {};  // the widths of query and key are filled in
  // When it looks:
  //   bahdanau   before the cell: c_t answers s_{t-1}, and the cell reads it
  //   luong      behind the cell: c_t answers s_t, and only the readout reads it (Luong, Pham and Manning, EMNLP 2015)
  //   deep       inside the cell: a gate adds what it found to the memory cell. Deep fusion, for the cell lstmn with an
  //              encoder of one direction (nn/attention/structures/lstmn_decoder.h). Shallow fusion is bahdanau
  std::string order = "bahdanau";
  bool input_feeding = false;  // luong: the cell also reads the readout of the step before (ibid., section 3.3)
  // Where the decoder begins; all but zeros pass through tanh(W .):
  //   first_backward   the backward reader's state at the first word (Bahdanau et al.)
  //   last             the last state of each direction
  //   mean             the mean of the annotations
  //   pooled           the pooled encoder outputs; needs `pooling`
  //   zeros            nothing of the source
  // Empty: pooled if there is a pooling, first_backward for attention over a bidirectional encoder, else last.
  std::string start = "";
  // One or more poolings of the encoder outputs, "structured:rows=4" or "mean,max" (nn/pooling/pooling.h). The result
  // is the vector of every_step and of the start pooled. Empty: the encoder's last states.
  std::string pooling = "";
  // What reads the values, given the attention weights: "hard" draws one (nn/attention/readers/). Empty: the weighted
  // mean. A reader that draws adds a term to the loss among the penalties of training (nn/penalties.h).
  std::string reader = "";
  // The decoder's memory of its own outputs: "key_value:parts=2" (nn/attention/structures/). Empty: none.
  std::string memory = "";
  int64_t readout = 0;  // width before the output layer; 0: as hidden; kDirect: none, softmax(W_o [..]) at once
  // What the output chooses from (nn/output_heads/): softmax, pointer_generator, pointer, copynet. All but
  // softmax copy words of the source, for which they need attention and one vocabulary of both sides; a pointer reads
  // no readout.
  std::string output = "softmax";
  // The weight of the coverage loss (nn/attention/coverage.h) among the penalties of training (nn/penalties.h).
  double coverage_loss = 0;
  // The weights of further penalties of attention (nn/attention/regularisers.h) there: no source word is read more or
  // less than once; rows are sharp; steps do not look at the same words; the alignment is near the diagonal.
  double doubly_stochastic = 0, attention_entropy = 0, attention_overlap = 0, guided_attention = 0;
  int64_t layers = 1;  // of the encoder
  int64_t decoder_layers = 1;
  bool bidirectional = true;  // the encoder
  double dropout = 0.1;       // of embeddings, annotations and the readout, and between layers

  // All but the vocabularies' sizes: the JSON of a model's file, its checks, and the options of heed train are made of
  // this list.
  void fields(OptionFields& f);
};

// The options with all defaults filled in. ValueError for a name that is not known, or for two that do not go together.
Seq2SeqOptions completed(Seq2SeqOptions options);

// As they stand in a model's file, without the vocabularies' sizes. IoError for a value that cannot be, or a key that
// is neither an option nor among the `others`, which the file has for itself.
io::Json to_json(const Seq2SeqOptions& options);
Seq2SeqOptions seq2seq_options_from(const io::Json& json, const std::vector<std::string>& others = {});

}  // namespace heed::nn
