// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <memory>
#include <utility>
#include <vector>

namespace tombolo {

// The memory of one operation: every tensor of it as one block of contiguous elements on the communicator's device.
// A tensor that is not (a view with strides, a lazy conjugate, memory of another device) gets a block of its own,
// which results are copied from when the operation has ended.
class Buffers {
 public:
  explicit Buffers(at::Device device) : device_(device) {}

  // A block to read from.
  at::Tensor in(const at::Tensor& tensor);
  // A block to write all of.
  at::Tensor out(const at::Tensor& tensor);
  // A block to read from and to write to.
  at::Tensor inOut(const at::Tensor& tensor);

  std::vector<at::Tensor> ins(const std::vector<at::Tensor>& tensors);
  std::vector<at::Tensor> outs(const std::vector<at::Tensor>& tensors);

  // Copies results to where they belong; once. On a device with streams the current one does so: others wait for the
  // event, which is nullptr where there is nothing to wait for.
  std::shared_ptr<c10::Event> copyBack();

 private:
  bool isBlock(const at::Tensor& tensor) const;
  at::Tensor keep(at::Tensor block);

  at::Device device_;
  std::vector<at::Tensor> kept_;
  std::vector<std::pair<at::Tensor, at::Tensor>> results_; // tensor, block
};

// Blocks anywhere in memory, as the library's "v" calls take them: counts and offsets in elements of `type`.
struct Blocks {
  void* base = nullptr;
  std::vector<int64_t> counts;
  std::vector<int64_t> offsets;
};
Blocks blocksOf(const std::vector<at::Tensor>& blocks, const ElementType& type);

} // namespace tombolo
