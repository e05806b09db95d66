// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "communicator.h"
#include "family.h"
#include "observers.h"
#include "pending.h"
#include "work.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <functional>
#include <memory>
#include <mutex>

namespace tombolo {

// A process group of torch over one communicator, whatever the devices of its tensors: those that lie elsewhere than
// on the communicator's device are copied there and back.
//
// collectives.cpp has the operations on one tensor, lists.cpp those on lists, messages.cpp send and recv, sparse.cpp
// the sum of sparse tensors; here is what they share.
class TomboloBackend : public c10d::Backend {
 public:
  // Joins; blocks until all ranks came. The group is one more of `family`.
  static c10::intrusive_ptr<TomboloBackend> join(const Membership& membership, std::shared_ptr<Family> family);
  // For join() alone, which registers it.
  TomboloBackend(Membership membership, std::shared_ptr<Family> family);
  ~TomboloBackend() override;
  // For intrusive_ptr alone, when the last strong reference has gone and weak ones have not.
  void release_resources() override;

  const std::string getBackendName() const override {
    return "tombolo";
  }
  c10::intrusive_ptr<Options> getBackendOptions() override;
  void setTimeout(std::chrono::milliseconds timeout) override;
  uint64_t getSequenceNumberForGroup() override;
  c10d::ErrorType getError() override;
  // Every operation has its time in any case.
  void enableCollectivesTiming() override {}
  // Torch calls it at the end of init_process_group(device_id=...), and names the device nowhere before.
  void eagerConnectSingleDevice(at::Device device) override;
  void abort() override;
  void shutdown() override;
  bool supportsCompletionHooks() const TOMBOLO_SINCE_TORCH_2_15 {
    return true;
  }
  void registerCompletionHook(int64_t id, CompletionHook hook) TOMBOLO_SINCE_TORCH_2_15;
  void unregisterCompletionHook(int64_t id) TOMBOLO_SINCE_TORCH_2_15;
  bool supportsAbortHooks() const TOMBOLO_SINCE_TORCH_2_15 {
    return true;
  }
  void registerAbortHook(int64_t id, AbortHook hook) TOMBOLO_SINCE_TORCH_2_15;
  void unregisterAbortHook(int64_t id) TOMBOLO_SINCE_TORCH_2_15;
  bool supportsSplitting() const override {
    return true;
  }
  c10::intrusive_ptr<Backend> split(
      const c10::intrusive_ptr<c10d::Store>& store,
      const std::vector<int>& ranks,
      const c10::intrusive_ptr<Options>& opts) override;
  c10::intrusive_ptr<Backend> merge(
      const c10::intrusive_ptr<c10d::Store>& store,
      const c10::intrusive_ptr<Options>& opts,
      const int& rank,
      const int& size) override;
  bool supportsShrinking() const override {
    return true;
  }
  c10::intrusive_ptr<Backend> shrink(
      const std::vector<int64_t>& ranksToExclude,
      int flags,
      const c10::intrusive_ptr<Options>& opts) override;
  // Torch asks before batch_isend_irecv, whose messages gain nothing by it here. If a call fails in a group of calls that it
  // has started, it never ends that group, and takes later all_reduces for part of it: they would not be made.
  bool supportsCoalescing() const override {
    return false;
  }
  // For who does not ask: DeviceMesh.abort(), and programs that coalesce by themselves.
  void startCoalescing() override;
  c10::intrusive_ptr<c10d::Work> endCoalescing() override;

  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>&, const c10d::BroadcastOptions&) override;
  c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>&, const c10d::AllreduceOptions&) override;
  c10::intrusive_ptr<c10d::Work> allreduce_sparse(std::vector<at::Tensor>&, const c10d::AllreduceOptions&) override;
  c10::intrusive_ptr<c10d::Work> allreduce_coalesced(
      std::vector<at::Tensor>&,
      const c10d::AllreduceCoalescedOptions&) override;
  c10::intrusive_ptr<c10d::Work> reduce(std::vector<at::Tensor>&, const c10d::ReduceOptions&) override;
  c10::intrusive_ptr<c10d::Work> _allgather_base(at::Tensor&, at::Tensor&, const c10d::AllgatherOptions&) override;
  c10::intrusive_ptr<c10d::Work> allgather_into_tensor_coalesced(
      std::vector<at::Tensor>&,
      std::vector<at::Tensor>&,
      const c10d::AllgatherOptions&) override;
  c10::intrusive_ptr<c10d::Work> _reduce_scatter_base(
      at::Tensor&,
      at::Tensor&,
      const c10d::ReduceScatterOptions&) override;
  c10::intrusive_ptr<c10d::Work> reduce_scatter_tensor_coalesced(
      std::vector<at::Tensor>&,
      std::vector<at::Tensor>&,
      const c10d::ReduceScatterOptions&) override;
  c10::intrusive_ptr<c10d::Work> alltoall_base(
      at::Tensor&,
      at::Tensor&,
      std::vector<int64_t>&,
      std::vector<int64_t>&,
      const c10d::AllToAllOptions&) override;
  c10::intrusive_ptr<c10d::Work> barrier(const c10d::BarrierOptions&) override;
  void monitoredBarrier(const c10d::BarrierOptions&, bool waitAllRanks) override;

  c10::intrusive_ptr<c10d::Work> allgather(
      std::vector<std::vector<at::Tensor>>&,
      std::vector<at::Tensor>&,
      const c10d::AllgatherOptions&) override;
  c10::intrusive_ptr<c10d::Work> allgather_coalesced(
      std::vector<std::vector<at::Tensor>>&,
      std::vector<at::Tensor>&,
      const c10d::AllgatherOptions&) override;
  c10::intrusive_ptr<c10d::Work> gather(
      std::vector<std::vector<at::Tensor>>&,
      std::vector<at::Tensor>&,
      const c10d::GatherOptions&) override;
  c10::intrusive_ptr<c10d::Work> gather_into_tensor(at::Tensor&, at::Tensor&, const c10d::GatherOptions&)
      TOMBOLO_SINCE_TORCH_2_14;
  c10::intrusive_ptr<c10d::Work> scatter(
      std::vector<at::Tensor>&,
      std::vector<std::vector<at::Tensor>>&,
      const c10d::ScatterOptions&) override;
  c10::intrusive_ptr<c10d::Work> reduce_scatter(
      std::vector<at::Tensor>&,
      std::vector<std::vector<at::Tensor>>&,
      const c10d::ReduceScatterOptions&) override;
  c10::intrusive_ptr<c10d::Work> alltoall(
      std::vector<at::Tensor>&,
      std::vector<at::Tensor>&,
      const c10d::AllToAllOptions&) override;

  c10::intrusive_ptr<c10d::Work> send(std::vector<at::Tensor>&, int peer, int tag) override;
  c10::intrusive_ptr<c10d::Work> recv(std::vector<at::Tensor>&, int peer, int tag) override;
  c10::intrusive_ptr<c10d::Work> recvAnysource(std::vector<at::Tensor>&, int tag) override;

  // A call of the library that sends or receives `count` elements of a block.
  using MessageCall =
      std::function<tombolo_status(void*, uint64_t count, tombolo_type, const tombolo_call*, tombolo_work*)>;

  // A message, sent or received by `call`, which is one of `pending` until it has ended; `source` is whose it is.
  c10::intrusive_ptr<c10d::Work> send(
      const char* title,
      std::vector<at::Tensor>&,
      Pending& pending,
      const MessageCall& call);
  c10::intrusive_ptr<c10d::Work> receive(
      const char* title,
      std::vector<at::Tensor>&,
      int source,
      Pending& pending,
      const MessageCall& call);

  // For what is made of the group: a connection to another job.
  tombolo_comm comm() const {
    return communicator().handle();
  }

  // Which ranks belong together and how they are reached, for people.
  std::string describe();

  const std::shared_ptr<Family>& family() const {
    return family_;
  }

 private:
  // What torch is told about a call.
  struct Call {
    c10d::OpType type;
    const char* title; // for the profiler, who keeps a copy: "tombolo:all_reduce"
    std::chrono::milliseconds timeout;
    bool asyncOp;
    std::vector<at::Tensor> inputs;
    std::vector<at::Tensor> outputs;
    double factor = 1;
  };
  using Submission = std::function<tombolo_status(const tombolo_call*, tombolo_work*)>;

  // One call of the library, made in turn with the other collectives.
  c10::intrusive_ptr<c10d::Work> collective(Call call, Buffers buffers, const Submission& submission);

  // Several, as one operation: each submission is made inside a group of the library.
  c10::intrusive_ptr<c10d::Work> group(Call call, Buffers buffers, const std::vector<Submission>& submissions);

  c10::intrusive_ptr<c10d::Work> receiveFrom(int peer, const char* title, std::vector<at::Tensor>&, int tag);
  c10::intrusive_ptr<c10d::Work> message(
      Call call,
      Buffers buffers,
      int source,
      Pending& pending,
      const Submission& submission);

  // Takes the buffers, unless the operation has ended already; until then it is one of `pending`.
  c10::intrusive_ptr<TomboloWork> submit(
      const Call& call,
      Buffers& buffers,
      Pending& pending,
      const Submission& submission);
  // Adds it to what is coalesced, if anything is.
  void coalesce(const TomboloWork& work);

  Buffers buffers() const {
    return Buffers(communicator().device());
  }
  // Shuts down, unless that was done, for want of anybody who could.
  void end() noexcept;
  Communicator& communicator() const;
  const at::Tensor& single(const std::vector<at::Tensor>& tensors, const char* what) const;

  Membership membership_;
  std::shared_ptr<Family> family_;
  std::unique_ptr<Communicator> communicator_;
  std::mutex collectives_; // the library wants one thread at a time
  std::mutex submissions_; // for what a group of the library must not be mixed with
  const std::shared_ptr<Observers> observers_;
  const std::shared_ptr<Pending> pending_ = std::make_shared<Pending>();
  std::atomic<uint64_t> sequence_{0};
  std::atomic<bool> leaving_{false}; // or has left
  std::mutex coalescing_; // for coalesced_, which calls of several threads join
  c10::intrusive_ptr<TomboloWork> coalesced_; // between startCoalescing and endCoalescing
};

} // namespace tombolo
