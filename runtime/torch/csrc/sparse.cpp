// SPDX-License-Identifier: Apache-2.0
// The sum of sparse tensors: everyone gets everyone's indices and values, and adds them up.
#include "backend.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace tombolo {

using c10d::Work;

namespace {

// One tensor per rank, of the sizes that everyone gave.
std::vector<at::Tensor> roomFor(const at::Tensor& part, const at::Tensor& lengths, int64_t dimension) {
  std::vector<at::Tensor> room;
  for (int64_t rank = 0; rank < lengths.numel(); rank++) {
    auto sizes = part.sizes().vec();
    sizes[dimension] = lengths[rank].item<int64_t>();
    room.push_back(at::empty(sizes, part.options()));
  }
  return room;
}

} // namespace

c10::intrusive_ptr<Work> TomboloBackend::allreduce_sparse(
    std::vector<at::Tensor>& tensors,
    const c10d::AllreduceOptions& opts) {
  at::NoGradGuard noGrad;
  auto tensor = single(tensors, "all_reduce");
  TORCH_CHECK_VALUE(opts.reduceOp == c10d::ReduceOp::SUM, "sparse tensors have no all_reduce but SUM");
  auto own = tensor.coalesce();
  auto gather = [&](at::Tensor part, const std::vector<at::Tensor>& room) {
    std::vector<std::vector<at::Tensor>> outputs{room};
    std::vector<at::Tensor> inputs{std::move(part)};
    allgather(outputs, inputs, {opts.timeout, true})->wait();
  };
  auto longs = at::TensorOptions(at::kLong);
  auto lengths = at::empty({size_}, longs);
  auto length = at::full({1}, own._nnz(), longs);
  _allgather_base(lengths, length, {opts.timeout, true})->wait();
  auto indices = roomFor(own.indices(), lengths, 1);
  auto values = roomFor(own.values(), lengths, 0);
  gather(own.indices().contiguous(), indices);
  gather(own.values().contiguous(), values);
  auto sum = at::sparse_coo_tensor(at::cat(indices, 1), at::cat(values, 0), tensor.sizes(), tensor.options()).coalesce();
  tensor.copy_(sum);
  return c10::make_intrusive<TomboloWork>(
      rank_, c10d::OpType::_ALLREDUCE_SPARSE, nullptr, std::vector<at::Tensor>{}, std::vector<at::Tensor>{tensor});
}

} // namespace tombolo
