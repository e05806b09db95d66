// SPDX-License-Identifier: Apache-2.0
#include "buffers.h"

#include "streams.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace tombolo {

bool Buffers::isBlock(const at::Tensor& tensor) const {
  return tensor.device() == device_ && tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg();
}

at::Tensor Buffers::keep(at::Tensor block) {
  kept_.push_back(block);
  return block;
}

at::Tensor Buffers::in(const at::Tensor& tensor) {
  TORCH_CHECK_VALUE(tensor.layout() == at::kStrided, "tombolo takes dense tensors, not ", tensor.layout());
  if (isBlock(tensor)) {
    return keep(tensor);
  }
  at::NoGradGuard noGrad;
  return keep(tensor.detach().resolve_conj().resolve_neg().to(device_).contiguous());
}

at::Tensor Buffers::out(const at::Tensor& tensor) {
  TORCH_CHECK_VALUE(tensor.layout() == at::kStrided, "tombolo takes dense tensors, not ", tensor.layout());
  if (isBlock(tensor)) {
    return keep(tensor);
  }
  at::NoGradGuard noGrad;
  auto block = at::empty(tensor.sizes(), tensor.options().device(device_).memory_format(at::MemoryFormat::Contiguous));
  results_.emplace_back(tensor, block);
  return keep(block);
}

at::Tensor Buffers::inOut(const at::Tensor& tensor) {
  auto block = in(tensor);
  if (!isBlock(tensor)) {
    results_.emplace_back(tensor, block);
  }
  return block;
}

std::vector<at::Tensor> Buffers::ins(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> blocks;
  for (const auto& tensor : tensors) {
    blocks.push_back(in(tensor));
  }
  return blocks;
}

std::vector<at::Tensor> Buffers::outs(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> blocks;
  for (const auto& tensor : tensors) {
    blocks.push_back(out(tensor));
  }
  return blocks;
}

std::shared_ptr<c10::Event> Buffers::copyBack() {
  at::NoGradGuard noGrad;
  auto results = std::exchange(results_, {});
  for (auto& [tensor, block] : results) {
    tensor.copy_(block);
  }
  if (results.empty() || device_.is_cpu()) {
    return nullptr;
  }
  auto stream = streamOf(device_);
  for (auto& [tensor, block] : results) {
    block.record_stream(stream); // made on another one
    if (tensor.device() == device_) {
      tensor.record_stream(stream);
    }
  }
  auto copied = std::make_shared<c10::Event>(device_.type());
  copied->record(stream);
  return copied;
}

Blocks blocksOf(const std::vector<at::Tensor>& blocks, const ElementType& type) {
  const int64_t size = static_cast<int64_t>(tombolo_type_size(type.type));
  Blocks found;
  for (const auto& block : blocks) {
    auto* at = static_cast<char*>(block.data_ptr());
    if (block.numel() > 0 && (found.base == nullptr || at < found.base)) {
      found.base = at;
    }
  }
  for (const auto& block : blocks) {
    const int64_t bytes = block.numel() > 0
        ? static_cast<char*>(block.data_ptr()) - static_cast<char*>(found.base)
        : 0;
    TORCH_CHECK_VALUE(bytes % size == 0, "the tensors of a list must lie at multiples of their element size");
    found.counts.push_back(block.numel() * type.perElement);
    found.offsets.push_back(bytes / size);
  }
  return found;
}

} // namespace tombolo
