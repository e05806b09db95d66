// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operation.h"

#include <torch/csrc/distributed/c10d/Work.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace tombolo {

// What a caller holds of a call: one operation, or several that were coalesced. Dropping it changes nothing.
class TomboloWork : public c10d::Work {
 public:
  TomboloWork(
      int rank,
      c10d::OpType type,
      const char* title,
      const std::vector<at::Tensor>& inputs,
      std::vector<at::Tensor> outputs);
  ~TomboloWork() override;

  // The operation that was submitted for it. `device` is set where the caller's stream waits instead of the caller.
  void attach(std::shared_ptr<Operation> operation, std::optional<at::Device> device);

  // The operations of a coalesced group.
  void attach(const TomboloWork& other);

  // The rank that a message comes from, TOMBOLO_ANY_RANK for any, which is known at the end.
  void setSource(int rank) {
    source_ = rank;
  }
  // Of what had ended when its call returned, and has no operation.
  void setDuration(std::chrono::nanoseconds duration) {
    durationMs_ = static_cast<float>(duration.count()) / 1e6F;
  }
  void setSequence(uint64_t number) {
    sequence_ = number;
  }

  bool isCompleted() override;
  bool isSuccess() const override;
  std::exception_ptr exception() const override;
  int sourceRank() const override;
  std::vector<at::Tensor> result() override;
  void synchronize() override;
  bool wait(std::chrono::milliseconds timeout) override;
  void blockCurrentStream() override;
  void abort() override;
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;
  c10::intrusive_ptr<c10::ivalue::Future> getFutureResult() override;
  float getDuration() const override;
  uint64_t getSequencenumber() const override;
  uint64_t getCompletionKey() const TOMBOLO_SINCE_TORCH_2_15;

 private:
  // Marks the end for torch's profiler; once.
  void endProfile();

  std::vector<std::shared_ptr<Operation>> operations_;
  std::vector<at::Tensor> outputs_;
  std::optional<at::Device> device_;
  bool hostWaits_; // on a device, too
  int source_ = -1;
  float durationMs_ = 0;
  uint64_t sequence_ = 0;
  std::mutex futureMutex_;
  c10::intrusive_ptr<c10::ivalue::Future> future_;
};

} // namespace tombolo
