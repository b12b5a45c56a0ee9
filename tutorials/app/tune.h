// `heed train --from DIR` and `--new KIND`: a published model is trained on, or a new one begun, and saved as published
// models are, so that it opens wherever they do.
//
// clang-format off
//   heed train --from DIR --labels F --out OUT        an encoder learns to put texts into classes
//   heed train --from DIR --text F --out OUT          goes on with a text: masked or next words
//   heed train --new bert|llama --text F --out OUT    from nothing, with its own tokenizer
// clang-format on
//
//   OUT/config.json model.safetensors tokenizer.json ..   the model with the best validation, for published::open
//   OUT/adapter.safetensors                               with --lora: the adapters apart (nn/lora.h)
//   OUT/training/                                         the run: records, report, state to resume (train_loop.h)
#pragma once

#include "nn/ranks.h"

namespace heed::app {

bool asks_to_tune(int argc, char** argv);  // --from, --new, or --resume with such a run in the folder
int train_published(nn::Ranks& ranks, int argc, char** argv);

}  // namespace heed::app
