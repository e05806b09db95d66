// SPDX-License-Identifier: Apache-2.0
// The operations on one tensor, or on a pair of them.
#include "backend.h"
#include "engine.h"
#include "interrupts.h"

#include <torch/csrc/distributed/c10d/Utils.hpp>

#include <regex>

namespace tombolo {

using c10d::OpType;
using c10d::Work;

namespace {

uint64_t elements(const at::Tensor& tensor, const ElementType& type) {
  return static_cast<uint64_t>(tensor.numel() * type.perElement);
}

void requireSameType(const at::Tensor& output, const at::Tensor& input, const char* what) {
  TORCH_CHECK_TYPE(
      output.scalar_type() == input.scalar_type(),
      what,
      ": the output has elements of ",
      output.scalar_type(),
      ", the input of ",
      input.scalar_type());
}

// An output that holds `ranks` inputs.
void requireRoomForAll(const at::Tensor& whole, const at::Tensor& part, int ranks, const char* what) {
  TORCH_CHECK_VALUE(
      whole.numel() == part.numel() * ranks,
      what,
      ": one tensor has ",
      whole.numel(),
      " elements, which is not ",
      ranks,
      " times the ",
      part.numel(),
      " of the other");
}

void requirePairs(const std::vector<at::Tensor>& outputs, const std::vector<at::Tensor>& inputs, const char* what) {
  TORCH_CHECK_VALUE(
      outputs.size() == inputs.size() && !inputs.empty(),
      what,
      " takes as many outputs as inputs, not ",
      outputs.size(),
      " and ",
      inputs.size());
}

// How a meeting has ended, with the error's text.
struct Met {
  tombolo_status status;
  std::string text;
};

// What Gloo says when a monitored barrier fails: programs look for it. The library's `text` names who did not come.
std::string gloosWords(int rank, const std::string& text) {
  if (rank != 0) {
    return "Rank " + std::to_string(rank) +
        " successfully reached monitoredBarrier, but received errors while waiting for send/recv from rank 0";
  }
  std::smatch absent;
  std::string words = "Rank 0 timed out in monitoredBarrier";
  if (std::regex_search(text, absent, std::regex(" ms: r(anks? [0-9, ]+)\\."))) {
    words += ", R" + absent[1].str() + " failed to pass monitoredBarrier";
  }
  return words;
}

} // namespace

c10::intrusive_ptr<Work> TomboloBackend::broadcast(
    std::vector<at::Tensor>& tensors,
    const c10d::BroadcastOptions& opts) {
  const auto& tensor = single(tensors, "broadcast");
  auto type = typeToMove(tensor.scalar_type());
  auto memory = buffers();
  auto block = opts.rootRank == rank_ ? memory.in(tensor) : memory.out(tensor);
  return collective(
      {OpType::BROADCAST, "tombolo:broadcast", opts.timeout, opts.asyncOp, tensors, tensors},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_broadcast(
            comm(),
            block.data_ptr(),
            block.data_ptr(),
            elements(block, type),
            type.type,
            static_cast<int32_t>(opts.rootRank),
            how,
            work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::allreduce(
    std::vector<at::Tensor>& tensors,
    const c10d::AllreduceOptions& opts) {
  const auto& tensor = single(tensors, "all_reduce");
  if (tensor.is_sparse()) {
    return allreduce_sparse(tensors, opts);
  }
  auto type = typeToReduce(tensor.scalar_type(), opts.reduceOp);
  auto op = operatorOf(opts.reduceOp);
  auto memory = buffers();
  auto block = memory.inOut(tensor);
  return collective(
      {OpType::ALLREDUCE, "tombolo:all_reduce", opts.timeout, opts.asyncOp, tensors, tensors, op.factor},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_all_reduce(
            comm(), block.data_ptr(), block.data_ptr(), elements(block, type), type.type, op.op, how, work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::allreduce_coalesced(
    std::vector<at::Tensor>& tensors,
    const c10d::AllreduceCoalescedOptions& opts) {
  TORCH_CHECK_VALUE(!tensors.empty(), "all_reduce_coalesced takes at least one tensor");
  auto op = operatorOf(opts.reduceOp);
  auto memory = buffers();
  std::vector<Submission> submissions;
  for (const auto& tensor : tensors) {
    auto type = typeToReduce(tensor.scalar_type(), opts.reduceOp);
    auto block = memory.inOut(tensor);
    submissions.emplace_back([this, block, type, op](auto* how, auto* work) {
      return tombolo_all_reduce(
          comm(), block.data_ptr(), block.data_ptr(), elements(block, type), type.type, op.op, how, work);
    });
  }
  return group(
      {OpType::ALLREDUCE_COALESCED,
       "tombolo:allreduce_coalesced",
       opts.timeout,
       opts.asyncOp,
       tensors,
       tensors,
       op.factor},
      std::move(memory),
      submissions);
}

c10::intrusive_ptr<Work> TomboloBackend::reduce(std::vector<at::Tensor>& tensors, const c10d::ReduceOptions& opts) {
  const auto& tensor = single(tensors, "reduce");
  auto type = typeToReduce(tensor.scalar_type(), opts.reduceOp);
  auto op = operatorOf(opts.reduceOp);
  auto memory = buffers();
  auto block = opts.rootRank == rank_ ? memory.inOut(tensor) : memory.in(tensor);
  return collective(
      {OpType::REDUCE, "tombolo:reduce", opts.timeout, opts.asyncOp, tensors, tensors, op.factor},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_reduce(
            comm(),
            block.data_ptr(),
            opts.rootRank == rank_ ? block.data_ptr() : nullptr,
            elements(block, type),
            type.type,
            op.op,
            static_cast<int32_t>(opts.rootRank),
            how,
            work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::_allgather_base(
    at::Tensor& output,
    at::Tensor& input,
    const c10d::AllgatherOptions& opts) {
  requireSameType(output, input, "all_gather_into_tensor");
  requireRoomForAll(output, input, size_, "all_gather_into_tensor");
  auto type = typeToMove(input.scalar_type());
  auto memory = buffers();
  auto from = memory.in(input);
  auto to = memory.out(output);
  return collective(
      {OpType::_ALLGATHER_BASE, "tombolo:_all_gather_base", opts.timeout, opts.asyncOp, {input}, {output}},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_all_gather(comm(), from.data_ptr(), to.data_ptr(), elements(from, type), type.type, how, work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::allgather_into_tensor_coalesced(
    std::vector<at::Tensor>& outputs,
    std::vector<at::Tensor>& inputs,
    const c10d::AllgatherOptions& opts) {
  requirePairs(outputs, inputs, "all_gather_into_tensor_coalesced");
  auto memory = buffers();
  std::vector<Submission> submissions;
  for (size_t i = 0; i < inputs.size(); i++) {
    requireSameType(outputs[i], inputs[i], "all_gather_into_tensor_coalesced");
    requireRoomForAll(outputs[i], inputs[i], size_, "all_gather_into_tensor_coalesced");
    auto type = typeToMove(inputs[i].scalar_type());
    auto from = memory.in(inputs[i]);
    auto to = memory.out(outputs[i]);
    submissions.emplace_back([this, from, to, type](auto* how, auto* work) {
      return tombolo_all_gather(comm(), from.data_ptr(), to.data_ptr(), elements(from, type), type.type, how, work);
    });
  }
  return group(
      {kAllgatherIntoTensorCoalesced,
       "tombolo:all_gather_into_tensor_coalesced",
       opts.timeout,
       opts.asyncOp,
       inputs,
       outputs},
      std::move(memory),
      submissions);
}

c10::intrusive_ptr<Work> TomboloBackend::_reduce_scatter_base(
    at::Tensor& output,
    at::Tensor& input,
    const c10d::ReduceScatterOptions& opts) {
  requireSameType(output, input, "reduce_scatter_tensor");
  requireRoomForAll(input, output, size_, "reduce_scatter_tensor");
  auto type = typeToReduce(input.scalar_type(), opts.reduceOp);
  auto op = operatorOf(opts.reduceOp);
  auto memory = buffers();
  auto from = memory.in(input);
  auto to = memory.out(output);
  return collective(
      {OpType::_REDUCE_SCATTER_BASE,
       "tombolo:_reduce_scatter_base",
       opts.timeout,
       opts.asyncOp,
       {input},
       {output},
       op.factor},
      std::move(memory),
      [&](auto* how, auto* work) {
        return tombolo_reduce_scatter(
            comm(), from.data_ptr(), to.data_ptr(), elements(to, type), type.type, op.op, how, work);
      });
}

c10::intrusive_ptr<Work> TomboloBackend::reduce_scatter_tensor_coalesced(
    std::vector<at::Tensor>& outputs,
    std::vector<at::Tensor>& inputs,
    const c10d::ReduceScatterOptions& opts) {
  requirePairs(outputs, inputs, "reduce_scatter_tensor_coalesced");
  auto op = operatorOf(opts.reduceOp);
  auto memory = buffers();
  std::vector<Submission> submissions;
  for (size_t i = 0; i < inputs.size(); i++) {
    requireSameType(outputs[i], inputs[i], "reduce_scatter_tensor_coalesced");
    requireRoomForAll(inputs[i], outputs[i], size_, "reduce_scatter_tensor_coalesced");
    auto type = typeToReduce(inputs[i].scalar_type(), opts.reduceOp);
    auto from = memory.in(inputs[i]);
    auto to = memory.out(outputs[i]);
    submissions.emplace_back([this, from, to, type, op](auto* how, auto* work) {
      return tombolo_reduce_scatter(
          comm(), from.data_ptr(), to.data_ptr(), elements(to, type), type.type, op.op, how, work);
    });
  }
  return group(
      {kReduceScatterTensorCoalesced,
       "tombolo:reduce_scatter_tensor_coalesced",
       opts.timeout,
       opts.asyncOp,
       inputs,
       outputs,
       op.factor},
      std::move(memory),
      submissions);
}

c10::intrusive_ptr<Work> TomboloBackend::alltoall_base(
    at::Tensor& output,
    at::Tensor& input,
    std::vector<int64_t>& outputSplits,
    std::vector<int64_t>& inputSplits,
    const c10d::AllToAllOptions& opts) {
  requireSameType(output, input, "all_to_all_single");
  c10d::checkSplitSizes(inputSplits, input, size_);
  c10d::checkSplitSizes(outputSplits, output, size_);
  auto type = typeToMove(input.scalar_type());
  auto memory = buffers();
  auto from = memory.in(input);
  auto to = memory.out(output);
  Call call{OpType::ALLTOALL_BASE, "tombolo:all_to_all", opts.timeout, opts.asyncOp, {input}, {output}};
  if (inputSplits.empty() && outputSplits.empty()) {
    TORCH_CHECK_VALUE(
        output.numel() == input.numel(),
        "all_to_all_single without split sizes takes tensors of one size, not ",
        output.numel(),
        " and ",
        input.numel());
    return collective(std::move(call), std::move(memory), [&](auto* how, auto* work) {
      return tombolo_all_to_all(
          comm(), from.data_ptr(), to.data_ptr(), elements(from, type) / size_, type.type, how, work);
    });
  }
  auto parts = [&](const std::vector<int64_t>& splits, const at::Tensor& tensor) {
    Blocks blocks{tensor.data_ptr(), std::vector<int64_t>(size_), std::vector<int64_t>(size_)};
    c10d::computeLengthsAndOffsets(splits, tensor, &blocks.counts, &blocks.offsets);
    for (int rank = 0; rank < size_; rank++) {
      blocks.counts[rank] *= type.perElement;
      blocks.offsets[rank] *= type.perElement;
    }
    return blocks;
  };
  auto sent = parts(inputSplits, from);
  auto received = parts(outputSplits, to);
  return collective(std::move(call), std::move(memory), [&](auto* how, auto* work) {
    return tombolo_all_to_all_v(
        comm(),
        sent.base,
        sent.counts.data(),
        sent.offsets.data(),
        received.base,
        received.counts.data(),
        received.offsets.data(),
        type.type,
        how,
        work);
  });
}

c10::intrusive_ptr<Work> TomboloBackend::barrier(const c10d::BarrierOptions& opts) {
  return collective(
      {OpType::BARRIER, "tombolo:all_reduce_barrier", opts.timeout, opts.asyncOp, {}, {}},
      buffers(),
      [&](auto* how, auto* work) { return tombolo_barrier(comm(), how, work); });
}

void TomboloBackend::monitoredBarrier(const c10d::BarrierOptions& opts, bool /* waitAllRanks: all are named anyway */) {
  auto limit = opts.timeout == c10d::kUnsetTimeout ? membership_.timeout : opts.timeout;
  auto [status, text] = interruptibly<Met>([comm = comm(), limit] {
    tombolo_status status = tombolo_comm_meet(comm, limit.count());
    return Met{status, status == TOMBOLO_OK ? "" : tombolo_last_error()};
  });
  if (status == TOMBOLO_DEADLINE) {
    fail(status, "monitored_barrier: " + gloosWords(rank_, text), text);
  }
  if (status != TOMBOLO_OK) {
    fail(status, "monitored_barrier", text);
  }
}

} // namespace tombolo
