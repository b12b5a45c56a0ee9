// The weight files of a published folder, and which tensor is which parameter.
#pragma once

#include "nn/io/mapped_file.h"
#include "nn/published/family.h"

namespace heed::nn::published {

// All tensors of model.safetensors, or of the files that model.safetensors.index.json lists.
struct WeightFiles {
  explicit WeightFiles(const std::string& folder, const io::MapOptions& options = {});
  WeightFiles(std::string folder, std::map<std::string, Tensor> tensors);  // that have been read already
  const Tensor* find(const std::string& name) const;
  std::string folder;
  std::map<std::string, Tensor> tensors;  // .gamma and .beta of old files are called .weight and .bias here
  std::vector<std::shared_ptr<const io::MappedFile>> files;
  struct Half {
    io::HalfPlace place;
    std::shared_ptr<const io::MappedFile> file;
  };
  std::map<std::string, Half> halves;  // of `tensors`, those that stay in the file (MapOptions)
};

// Gives every parameter of the model its tensor. IoError if one is missing, left over or of another shape.
void bind(Model& model, const WeightFiles& files, const OpenOptions& options);
// For a model without a file: fills model.stored with the names, prefix included, that its file would have.
void name_all(Model& model);
// The tensors in the layout of the file.
io::SafeTensors unbound(const Model& model);

}  // namespace heed::nn::published
