// The small decoder that `heed generate` trains if it is given no model. It is a Llama, learns from one text, and is
// trained as `heed train --new llama` does (tune.h). So its folder has the published layout and opens as any other.
//
//   const Writer writer = train_writer({.text = "notes.txt", .out = "mine"});
//   auto model = nn::published::open(writer.folder);
//
// The number of steps is fixed, not the time, so that a seed gives the same model everywhere. Its loss on the held-out
// end of the text is divided by letters, not by tokens: then it can be compared with a count of pairs of letters
// (nn/text/letter_pairs.h) and with a model that has other tokens.
//
//   bits per letter = (sum over the tokens of -log2 p(token | those before it in its window)) / letters
//
// Of a long text the loss is measured on kValidWindows windows of the held-out end (tune_setup.h), evenly spread and
// the same after every round, and so is that of the pairs of letters, which reads these windows as one text.
#pragma once

#include <string>
#include <vector>

#include "tutorials/app/tune_run.h"

namespace heed::app {

struct WriterOptions {
  std::string text = {};  // a file; empty: the chapters of this course
  std::string out = {};   // empty: kWriterFolder
  int64_t steps = 960;    // two minutes on two cores; rounded up to a multiple of kWriterRounds
  int64_t seed = 1;
};
inline constexpr const char* kWriterFolder = "out/generate";
inline constexpr int64_t kWriterRounds = 8;  // after each of them a sample, and a loss

struct WriterRound {
  int64_t step = 0;
  double bits = 0;             // per letter of the held-out text
  std::string prompt, sample;  // what the model has written after the prompt
};
struct Writer {
  std::string folder, text;  // text: its name
  std::vector<WriterRound> rounds;
  int64_t best_step = 0;  // of the model that is kept: that of the round with the smallest loss
  int64_t letters = 0, held_out = 0, measured = 0;  // of the text: to learn from, the end, and those that are measured
  int64_t parameters = 0, tokens = 0;
  double bits = 0, pair_bits = 0;  // per letter of the held-out text: of the model in the folder, of pairs of letters
  double seconds = 0;              // of training
  bool interrupted = false;
};

// Trains, with samples on standard error, or goes on with an interrupted training, or takes the model that has been
// trained with these options on this text. InputError for a text that cannot be used, and for a folder `out` that holds
// anything else; what heed generate has left in kWriterFolder is replaced.
Writer train_writer(const WriterOptions& options);
void tell(const Writer& writer);

// The folder of a model that can write: kWriterFolder if it has one, else trained now.
std::string small_writer();

}  // namespace heed::app
