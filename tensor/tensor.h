// Tensor: a small handle on shared memory. It holds a storage, a layout (shape and strides), an offset and a dtype.
//
//   Tensor x = Tensor::zeros({2, 3}, DType::f32);   // [2, 3]
//   Tensor t = x.transpose(0, 1);                   // [3, 2], a view: no byte is copied
//
// Copying a Tensor copies the handle, not the elements. transpose, permute, slice, select, expand, squeeze and (where
// the strides allow it) reshape are views. Gradients are not known here; see autograd/variable.h. The operations on
// tensors are free functions in the other headers of this folder.
//
// Threads: handles may be copied and dropped, and elements read, by any thread. Writing elements while another thread
// uses them is a data race.
#pragma once

#include <initializer_list>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/layout.h"
#include "tensor/random.h"
#include "tensor/shape.h"
#include "tensor/storage.h"

namespace heed {

class Tensor {
 public:
  Tensor() = default;  // undefined

  // --- making -------------------------------------------------------------------------------------------------------
  static Tensor empty(const Shape& shape, DType dtype = DType::f32) {  // elements are not initialised
    return row_major(Layout::row_major(shape), dtype);
  }
  static Tensor empty_like(const Tensor& x, DType dtype) {  // the shape of x, without a look-up of the layout
    return x.layout_ && x.is_contiguous() ? row_major(x.layout_, dtype) : empty(x.shape(), dtype);
  }
  // These convert numbers as to(dtype) does: 0.5 becomes 0 in an i64.
  static Tensor zeros(const Shape& shape, DType dtype = DType::f32);
  static Tensor ones(const Shape& shape, DType dtype = DType::f32);
  static Tensor full(const Shape& shape, double value, DType dtype = DType::f32);
  static Tensor scalar(double value, DType dtype = DType::f32);   // shape []
  static Tensor arange(int64_t count, DType dtype = DType::i64);  // 0, 1, ..., count - 1
  // begin, begin + step, ..., without end; with a negative step it counts down.
  static Tensor arange(double begin, double end, double step = 1, DType dtype = DType::f32);
  static Tensor linspace(double begin, double end, int64_t count, DType dtype = DType::f32);  // both ends included
  static Tensor eye(int64_t size, DType dtype = DType::f32);                                  // 1 on the diagonal
  static Tensor from(const std::vector<float>& values, const Shape& shape);
  static Tensor from(const std::vector<double>& values, const Shape& shape);
  static Tensor from(const std::vector<int64_t>& values, const Shape& shape);
  static Tensor from_bools(const std::vector<int>& values, const Shape& shape);
  // Random f32 or f64; uniform in [low, high). Element i depends on rng and i alone, not on the size or the threads.
  static Tensor uniform(const Shape& shape, Generator& rng, double low = 0, double high = 1, DType dtype = DType::f32);
  static Tensor normal(const Shape& shape, Generator& rng, double mean = 0, double std = 1, DType dtype = DType::f32);

  // --- reading ------------------------------------------------------------------------------------------------------
  bool defined() const { return static_cast<bool>(storage_); }
  const Shape& shape() const { return layout().shape; }
  const Strides& strides() const { return layout().strides; }
  int rank() const { return shape().rank(); }
  int64_t size(int64_t axis) const { return shape()[normal_axis("size", axis, rank())]; }
  int64_t count() const { return layout().count; }
  DType dtype() const { return dtype_; }
  int64_t offset() const { return offset_; }
  bool is_contiguous() const { return layout().contiguous; }
  const Layout& layout() const { return layout_ ? *layout_ : kScalarLayout; }
  const LayoutRef& shared_layout() const { return layout_; }  // null if undefined
  Storage& storage() const {
    if (!storage_) refuse_undefined();
    return *storage_;
  }
  uint32_t version() const { return storage().version; }
  // Pointer to the first element. DTypeError if T is not the dtype, ValueError if the tensor is undefined. Code that
  // writes through it calls mark_written afterwards.
  template <class T>
  T* data() const {
    check_type(DTypeOf<T>::value);
    return static_cast<T*>(storage_->data()) + offset_;
  }
  double item() const;                                    // the only element, as a double
  double at(std::initializer_list<int64_t> index) const;  // one element, negative indices from the end; slow
  void set(std::initializer_list<int64_t> index, double value);
  std::vector<double> to_vector() const;     // all elements in row-major order
  void mark_written(const char* operation);  // records an in-place write by `operation`

  // --- views (no element is copied) ---------------------------------------------------------------------------------
  Tensor transpose(int64_t a, int64_t b) const;
  Tensor permute(const Dims& axes) const;
  Tensor expand(const Shape& shape) const;  // repeat axes of size 1, without copying
  Tensor slice(int64_t axis, int64_t begin, int64_t end,
               int64_t step = 1) const;              // end exclusive; negative from the end
  Tensor select(int64_t axis, int64_t index) const;  // slice of one, axis removed
  Tensor squeeze(int64_t axis) const;
  Tensor unsqueeze(int64_t axis) const;
  Tensor view(const Shape& shape) const;  // reshape that never copies (ShapeError)
  Tensor as_strided(const Shape& shape, const Strides& strides, int64_t offset) const;  // checks only the bounds

  // --- copies -------------------------------------------------------------------------------------------------------
  Tensor reshape(const Shape& shape) const;  // a view where strides allow; one size may be -1
  Tensor contiguous() const;                 // the tensor itself if it is contiguous, else a copy
  Tensor clone() const;
  Tensor to(DType dtype) const;  // the tensor itself if it has that dtype

 private:
  void check_type(DType wanted) const {
    if (dtype_ != wanted || !storage_) refuse_type(wanted);
  }
  [[noreturn]] void refuse_type(DType wanted) const;
  [[noreturn]] static void refuse_undefined();
  static Tensor row_major(LayoutRef layout, DType dtype);
  bool viewable_as(const Shape& shape, Strides& strides) const;
  Tensor with(const Shape& shape, const Strides& strides, int64_t offset) const {  // another layout on the storage
    Tensor view = *this;
    view.layout_ = Layout::strided(shape, strides);
    view.offset_ = offset;
    return view;
  }

  Ref<Storage> storage_;
  LayoutRef layout_;
  int64_t offset_ = 0;
  DType dtype_ = DType::f32;
};

// Requires two defined tensors of the same dtype; the ValueError or DTypeError names the operation.
void require_same_dtype(const char* operation, const Tensor& a, const Tensor& b);

}  // namespace heed
