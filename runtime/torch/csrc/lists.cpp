// SPDX-License-Identifier: Apache-2.0
// The operations on lists of tensors, which may lie anywhere: nothing is flattened.
#include "backend.h"

namespace tombolo {

using c10d::OpType;
using c10d::Work;

namespace {

using Tensors = std::vector<at::Tensor>;

// The list of a call, of one tensor per rank and of one type.
const Tensors& listOf(const std::vector<Tensors>& lists, int ranks, at::ScalarType type, const char* what) {
  TORCH_CHECK_VALUE(lists.size() == 1, what, " takes one list of tensors, not ", lists.size());
  TORCH_CHECK_VALUE(
      lists[0].size() == static_cast<size_t>(ranks),
      what,
      " takes one tensor for each of ",
      ranks,
      " ranks, not ",
      lists[0].size());
  for (const auto& tensor : lists[0]) {
    TORCH_CHECK_TYPE(
        tensor.scalar_type() == type,
        what,
        ": tensors of ",
        tensor.scalar_type(),
        " and of ",
        type,
        " do not go together");
  }
  return lists[0];
}

void requireSize(const at::Tensor& one, const at::Tensor& other, const char* what) {
  TORCH_CHECK_VALUE(
      one.numel() == other.numel(),
      what,
      ": a tensor of ",
      other.numel(),
      " elements does not fit one of ",
      one.numel());
}

} // namespace

c10::intrusive_ptr<Work> TomboloBackend::allgather(
    std::vector<Tensors>& outputs,
    Tensors& inputs,
    const c10d::AllgatherOptions& opts) {
  const auto& input = single(inputs, "all_gather");
  const auto& list = listOf(outputs, size_, input.scalar_type(), "all_gather");
  requireSize(list[rank_], input, "all_gather");
  auto type = typeToMove(input.scalar_type());
  auto memory = buffers();
  auto from = memory.in(input);
  auto to = blocksOf(memory.outs(list), type);
  return collective(
      {OpType::ALLGATHER, "tombolo:all_gather", opts.timeout, opts.asyncOp, inputs, list},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_all_gather_v(
            comm(), from.data_ptr(), to.base, to.counts.data(), to.offsets.data(), type.type, how, work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::allgather_coalesced(
    std::vector<Tensors>& outputs,
    Tensors& inputs,
    const c10d::AllgatherOptions& opts) {
  TORCH_CHECK_VALUE(
      outputs.size() == static_cast<size_t>(size_) && !inputs.empty(),
      "all_gather_coalesced takes one list of outputs for each rank");
  auto memory = buffers();
  std::vector<Submission> submissions;
  Tensors all;
  for (size_t i = 0; i < inputs.size(); i++) {
    Tensors column;
    for (const auto& list : outputs) {
      TORCH_CHECK_VALUE(list.size() == inputs.size(), "all_gather_coalesced takes as many outputs of a rank as inputs");
      column.push_back(list[i]);
    }
    listOf({column}, size_, inputs[i].scalar_type(), "all_gather_coalesced");
    requireSize(column[rank_], inputs[i], "all_gather_coalesced");
    all.insert(all.end(), column.begin(), column.end());
    auto type = typeToMove(inputs[i].scalar_type());
    auto from = memory.in(inputs[i]);
    auto to = blocksOf(memory.outs(column), type);
    submissions.emplace_back([this, from, to, type](auto* how, auto* work) {
      return tombolo_all_gather_v(
          comm(), from.data_ptr(), to.base, to.counts.data(), to.offsets.data(), type.type, how, work);
    });
  }
  return group(
      {OpType::ALLGATHER_COALESCED, "tombolo:all_gather_coalesced", opts.timeout, opts.asyncOp, inputs, all},
      std::move(memory),
      submissions);
}

c10::intrusive_ptr<Work> TomboloBackend::gather(
    std::vector<Tensors>& outputs,
    Tensors& inputs,
    const c10d::GatherOptions& opts) {
  const auto& input = single(inputs, "gather");
  auto type = typeToMove(input.scalar_type());
  auto memory = buffers();
  auto from = memory.in(input);
  Blocks to{nullptr, std::vector<int64_t>(size_, from.numel() * type.perElement), std::vector<int64_t>(size_)};
  Tensors list;
  if (opts.rootRank == rank_) {
    list = listOf(outputs, size_, input.scalar_type(), "gather");
    for (const auto& output : list) {
      requireSize(output, input, "gather");
    }
    to = blocksOf(memory.outs(list), type);
  } else {
    TORCH_CHECK_VALUE(outputs.empty() || outputs[0].empty(), "gather takes outputs on the root alone");
  }
  return collective(
      {OpType::GATHER, "tombolo:gather", opts.timeout, opts.asyncOp, inputs, list},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_gather_v(
            comm(),
            from.data_ptr(),
            to.base,
            to.counts.data(),
            to.offsets.data(),
            type.type,
            static_cast<int32_t>(opts.rootRank),
            how,
            work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::gather_into_tensor(
    at::Tensor& output,
    at::Tensor& input,
    const c10d::GatherOptions& opts) {
  auto type = typeToMove(input.scalar_type());
  auto memory = buffers();
  auto from = memory.in(input);
  void* to = nullptr;
  if (opts.rootRank == rank_) {
    TORCH_CHECK_VALUE(
        output.scalar_type() == input.scalar_type() && output.numel() == input.numel() * size_,
        "gather_into_tensor: the output must hold ",
        size_,
        " inputs");
    to = memory.out(output).data_ptr();
  }
  return collective(
      {OpType::GATHER, "tombolo:gather_single", opts.timeout, opts.asyncOp, {input}, {output}},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_gather(
            comm(),
            from.data_ptr(),
            to,
            static_cast<uint64_t>(from.numel() * type.perElement),
            type.type,
            static_cast<int32_t>(opts.rootRank),
            how,
            work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::scatter(
    Tensors& outputs,
    std::vector<Tensors>& inputs,
    const c10d::ScatterOptions& opts) {
  const auto& output = single(outputs, "scatter");
  auto type = typeToMove(output.scalar_type());
  auto memory = buffers();
  auto to = memory.out(output);
  Blocks from{nullptr, std::vector<int64_t>(size_, to.numel() * type.perElement), std::vector<int64_t>(size_)};
  Tensors list;
  if (opts.rootRank == rank_) {
    list = listOf(inputs, size_, output.scalar_type(), "scatter");
    for (const auto& input : list) {
      requireSize(output, input, "scatter");
    }
    from = blocksOf(memory.ins(list), type);
  } else {
    TORCH_CHECK_VALUE(inputs.empty() || inputs[0].empty(), "scatter takes inputs on the root alone");
  }
  return collective(
      {OpType::SCATTER, "tombolo:scatter", opts.timeout, opts.asyncOp, list, outputs},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_scatter_v(
            comm(),
            from.base,
            to.data_ptr(),
            from.counts.data(),
            from.offsets.data(),
            type.type,
            static_cast<int32_t>(opts.rootRank),
            how,
            work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::reduce_scatter(
    Tensors& outputs,
    std::vector<Tensors>& inputs,
    const c10d::ReduceScatterOptions& opts) {
  const auto& output = single(outputs, "reduce_scatter");
  const auto& list = listOf(inputs, size_, output.scalar_type(), "reduce_scatter");
  requireSize(output, list[rank_], "reduce_scatter");
  auto type = typeToReduce(output.scalar_type(), opts.reduceOp);
  auto op = operatorOf(opts.reduceOp);
  auto memory = buffers();
  auto from = blocksOf(memory.ins(list), type);
  auto to = memory.out(output);
  return collective(
      {OpType::REDUCE_SCATTER,
       "tombolo:reduce_scatter",
       opts.timeout,
       opts.asyncOp,
       list,
       outputs,
       op.factor},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_reduce_scatter_v(
            comm(),
            from.base,
            to.data_ptr(),
            from.counts.data(),
            from.offsets.data(),
            type.type,
            op.op,
            how,
            work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::alltoall(
    Tensors& outputs,
    Tensors& inputs,
    const c10d::AllToAllOptions& opts) {
  TORCH_CHECK_VALUE(!inputs.empty(), "all_to_all takes one tensor for each rank");
  auto scalar = inputs[0].scalar_type();
  listOf({inputs}, size_, scalar, "all_to_all");
  listOf({outputs}, size_, scalar, "all_to_all");
  auto type = typeToMove(scalar);
  auto memory = buffers();
  auto from = blocksOf(memory.ins(inputs), type);
  auto to = blocksOf(memory.outs(outputs), type);
  return collective(
      {OpType::ALLTOALL, "tombolo:all_to_all", opts.timeout, opts.asyncOp, inputs, outputs},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_all_to_all_v(
            comm(),
            from.base,
            from.counts.data(),
            from.offsets.data(),
            to.base,
            to.counts.data(),
            to.offsets.data(),
            type.type,
            how,
            work);
      });
}

} // namespace tombolo
