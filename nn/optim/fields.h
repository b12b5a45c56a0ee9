// Options and counts (nn/options.h) in the metadata of a safetensors file: "group0.beta1": "0.9". A number is written
// as the shortest text that reads back to the same bits.
#pragma once

#include <string>
#include <vector>

#include "nn/io/safetensors.h"
#include "nn/options.h"

namespace heed::nn {

void save_fields(io::SafeTensors& file, const std::string& prefix, const std::vector<OptionField>& fields);
// IoError that names `what` if a value is missing or malformed; those before it are then read.
void read_fields(const io::SafeTensors& file, const std::string& what, const std::string& prefix,
                 const std::vector<OptionField>& fields);
// Calls `load`, whose ValueError becomes an IoError that names `what`. If it fails, the fields get their values back.
void load_or_restore(const std::string& what, const std::vector<OptionField>& fields,
                     const std::function<void()>& load);

// The text of `key`, or "" if there is none.
std::string metadata_at(const io::SafeTensors& file, const std::string& key);

}  // namespace heed::nn
