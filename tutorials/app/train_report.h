// report.html of a training run, from the records in its folder alone: whoever has the folder can draw it.
#pragma once

#include "nn/train/run_folder.h"

namespace heed::app {

// Needs config.json and at least one epoch in metrics.jsonl and samples.jsonl; without one it writes nothing.
void write_train_report(const nn::RunFolder& folder);

}  // namespace heed::app
