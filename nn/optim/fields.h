// Options as data: the name and address of each, so that one loop saves and loads the options of every optimiser and
// schedule. In a file they are metadata, "group0.beta1": "0.9". A number is written as the shortest text that reads
// back to the same bits.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "nn/io/safetensors.h"

namespace heed::nn {

struct Field {
  const char* name;
  std::variant<double*, int64_t*, bool*, std::vector<int64_t>*> place;
};
using Fields = std::vector<Field>;
using FieldValues = std::vector<std::variant<double, int64_t, bool, std::vector<int64_t>>>;

void save_fields(io::SafeTensors& file, const std::string& prefix, const Fields& fields);
// The values in the file, in the order of the fields. IoError that names `what` if one is missing or malformed.
FieldValues read_fields(const io::SafeTensors& file, const std::string& what, const std::string& prefix,
                        const Fields& fields);
FieldValues current_values(const Fields& fields);
void assign(const Fields& fields, const FieldValues& values);

// The text of `key`, or "" if there is none.
std::string metadata_at(const io::SafeTensors& file, const std::string& key);

// Checks that every constructor makes: ValueError "<kind>: the <name> must be ..; got ..". require_fraction expects the
// name with its article, since some names have none (beta1).
void require_positive(const char* kind, const char* name, double value);      // and finite
void require_not_negative(const char* kind, const char* name, double value);  // and finite
void require_fraction(const char* kind, const char* name, double value);      // in [0, 1)
void require_count(const char* kind, const char* name, int64_t n, int64_t least);

}  // namespace heed::nn
