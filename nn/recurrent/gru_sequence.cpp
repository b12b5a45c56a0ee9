// GRU over a sequence: the engine with the GRU's arithmetic. The decoder (nn/models/attention_decoder.h) uses it too.
#include "nn/recurrent/gru_rule.h"
#include "nn/recurrent/sequence_engine.h"

namespace heed::nn {

SequenceStates gru_sequence(const SequenceInputs& inputs) { return run_sequence<GRURule>(inputs); }

}  // namespace heed::nn
