// Panels that show a trained attention model at work. The lessons fill these structures with what they recorded
// (tutorials/common/record.h); report.h has a function for each.
//
//   StepperPanel    a translation word by word: state, scores, mask, softmax, context, the likeliest next words
//   ArcsPanel       heads as lines between words, as matrices, and as a grid of layers and heads
//   AblationPanel   the model's prediction with every head, without one or two of them, and without a layer
//   VariantsPanel   several models on one sentence, and the difference of two
//   ModelPanel      the parameters as a tree, and the encoder-decoder unrolled over a sentence
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tutorials/report/matrix.h"

namespace heed::report {

// ---- stepper --------------------------------------------------------------------------------------------------------
struct StepperHead {
  std::vector<double> scores = {}, weights = {};  // one per source word; a score is -infinity where the mask forbids
  std::vector<double> context = {};               // of this head, if the step has none for all
};
struct Candidate {
  std::string word;
  double probability = 0;
};
struct StepperStep {
  std::string word;  // what the decoder writes in this step
  std::vector<double> state = {}, context = {};
  std::vector<StepperHead> heads = {};  // one per name in StepperModel::heads
  std::vector<Candidate> best = {};     // the likeliest words, the likeliest first
  std::optional<std::size_t> key = {};  // the source word whose key was changed in an experiment,
  std::vector<double> changed = {};     // and the weights of the first head after that
};
struct StepperModel {
  std::string name, state_name = "decoder state", context_name = "context";
  std::vector<std::string> source = {}, heads = {};  // without attention: no heads
  bool state_last = false;  // the state is the output of attention (a transformer's), not its query
  std::vector<StepperStep> steps = {};
};
// A question hides the names of the models until the reader has chosen one of them.
struct StepperQuestion {
  std::string text;
  std::size_t right = 0;  // the model that is meant
  std::string answer = {};
};
struct StepperPanel {
  std::string title, text = {};
  std::vector<StepperModel> models = {};
  std::optional<StepperQuestion> question = {};
};

// ---- arcs -----------------------------------------------------------------------------------------------------------
struct ArcsHead {
  std::size_t layer = 0, head = 0;  // counted from 0
  Matrix weights = {};              // [queries, keys]
};
struct ArcsAttention {
  std::string name;  // "encoder", "decoder", "cross-attention"
  std::vector<std::string> queries = {}, keys = {};
  bool self = false;  // queries and keys are the same words: drawn once
  std::vector<ArcsHead> heads = {};
  std::optional<std::size_t> focus = {};  // the query that is chosen at first
};
struct ArcsSentence {
  std::string name;
  std::vector<ArcsAttention> attentions = {};
};
struct ArcsPanel {
  std::string title, text = {};
  std::vector<ArcsSentence> sentences = {};
};

// ---- ablation -------------------------------------------------------------------------------------------------------
struct AblationUnit {  // one head, or all heads of one layer
  std::string attention;
  std::size_t layer = 0, head = 0;
};
struct AblationCase {
  std::string name;
  std::vector<std::string> source = {}, written = {};  // the translation before the word that is predicted
  std::size_t right = 0;                               // of AblationPanel::words
  // Probabilities [words]: with every head; without head i; without layer i; without the heads i < j, in the order
  // (0, 1), (0, 2), .., (1, 2), ..
  std::vector<double> all = {};
  std::vector<std::vector<double>> heads = {}, layers = {}, pairs = {};
};
struct AblationPanel {
  std::string title, text = {};
  std::vector<std::string> words = {};  // "il", "elle"
  std::vector<AblationUnit> heads = {}, layers = {};
  std::vector<AblationCase> cases = {};
};

// ---- variants -------------------------------------------------------------------------------------------------------
struct Variant {
  std::string name;
  std::vector<Matrix> snapshots = {};  // [target, source] each; all variants have the same number
};
struct VariantsPanel {
  std::string title, text = {}, row_title = "target", column_title = "source";
  std::vector<std::string> source = {}, target = {}, labels = {};  // labels of the snapshots
  std::vector<Variant> variants = {};                              // of more than three, two are chosen to be shown
};

// ---- model ----------------------------------------------------------------------------------------------------------
struct ParameterLine {
  std::string path, shape;  // "encoder.weight_ih_l0", "[192, 32]"
  std::int64_t count = 0;
};
struct ModelPanel {
  std::string title, text = {};
  std::vector<ParameterLine> parameters = {};
  std::optional<StepperModel> run = {};  // drawn unrolled: its words and weights
  std::string encoder = "encoder", decoder = "decoder";
  bool both_ways = false, recurrent = true;  // the arrows between the positions
};

}  // namespace heed::report
