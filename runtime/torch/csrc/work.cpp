// SPDX-License-Identifier: Apache-2.0
#include "work.h"

#include <ATen/core/ivalue.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>

namespace tombolo {

namespace {

using c10::ivalue::Future;

c10::intrusive_ptr<Future> futureOfTensors(std::vector<at::Device> devices) {
  return c10::make_intrusive<Future>(c10::ListType::create(c10::TensorType::get()), std::move(devices));
}

} // namespace

TomboloWork::TomboloWork(
    int rank,
    c10d::OpType type,
    const char* title,
    const std::vector<at::Tensor>& inputs,
    std::vector<at::Tensor> outputs)
    : Work(rank, type, title, inputs),
      outputs_(std::move(outputs)),
      hostWaits_(type == c10d::OpType::BARRIER) {} // what a program does after a barrier need not be on a stream

TomboloWork::~TomboloWork() {
  endProfile();
}

void TomboloWork::attach(std::shared_ptr<Operation> operation, std::optional<at::Device> device) {
  operations_.push_back(std::move(operation));
  device_ = device;
}

void TomboloWork::attach(const TomboloWork& other) {
  operations_.insert(operations_.end(), other.operations_.begin(), other.operations_.end());
  outputs_.insert(outputs_.end(), other.outputs_.begin(), other.outputs_.end());
  device_ = other.device_;
  hostWaits_ = hostWaits_ || other.hostWaits_;
  durationMs_ = std::max(durationMs_, other.durationMs_);
}

void TomboloWork::endProfile() {
  std::function<void()> end;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    end.swap(recordFunctionEndCallback_);
  }
  if (end) {
    end();
  }
}

bool TomboloWork::isCompleted() {
  bool all = std::all_of(operations_.begin(), operations_.end(), [](auto& operation) { return operation->ended(); });
  if (all) {
    endProfile();
  }
  return all;
}

bool TomboloWork::isSuccess() const {
  auto* self = const_cast<TomboloWork*>(this); // torch's declaration is const, asking the library is not
  return self->isCompleted() && exception() == nullptr;
}

std::exception_ptr TomboloWork::exception() const {
  for (const auto& operation : operations_) {
    if (operation->ended() && operation->error()) {
      return operation->error();
    }
  }
  return nullptr;
}

int TomboloWork::sourceRank() const {
  if (source_ >= 0 || opType_ != c10d::OpType::RECV || operations_.empty()) {
    return source_;
  }
  std::optional<pybind11::gil_scoped_release> unlocked; // torch's binding keeps it
  if (PyGILState_Check()) {
    unlocked.emplace();
  }
  const auto& operation = operations_.front();
  operation->wait(kNoTimeout); // wait() may have had a stream wait
  return operation->source();
}

std::vector<at::Tensor> TomboloWork::result() {
  return outputs_;
}

void TomboloWork::synchronize() {
  if (device_) {
    for (auto& operation : operations_) {
      operation->waitOnStream(*device_);
    }
  }
}

bool TomboloWork::wait(std::chrono::milliseconds timeout) {
  if (device_ && timeout == kNoTimeout && !hostWaits_) {
    synchronize();
  } else {
    for (auto& operation : operations_) {
      operation->wait(timeout);
    }
    synchronize(); // another stream may have copied the results
  }
  endProfile();
  return true;
}

void TomboloWork::blockCurrentStream() {
  if (device_) {
    synchronize();
  } else {
    wait(kNoTimeout);
  }
}

void TomboloWork::abort() {
  TORCH_CHECK(
      false,
      "one operation cannot be aborted, as other ranks are in it; abort the group: "
      "torch.distributed.distributed_c10d._abort_process_group()");
}

c10::intrusive_ptr<Future> TomboloWork::getFuture() {
  std::lock_guard<std::mutex> lock(futureMutex_);
  if (future_) {
    return future_;
  }
  if (device_) { // as NCCL's: complete at once, and whoever waits has their stream wait
    future_ = futureOfTensors({*device_});
    c10::StreamGuard guard(c10::impl::VirtualGuardImpl(device_->type()).getStreamFromGlobalPool(*device_));
    synchronize();
    future_->markCompleted(c10::IValue(outputs_));
    return future_;
  }
  future_ = futureOfTensors({});
  auto left = std::make_shared<std::atomic<size_t>>(operations_.size());
  auto outputs = outputs_;
  auto future = future_;
  if (operations_.empty()) {
    future->markCompleted(c10::IValue(outputs));
  }
  for (auto& operation : operations_) {
    operation->whenEnded([future, left, outputs](std::exception_ptr error) {
      if (error) {
        if (!future->completed()) {
          future->setErrorIfNeeded(error);
        }
      } else if (left->fetch_sub(1) == 1) {
        future->markCompleted(c10::IValue(outputs));
      }
    });
  }
  return future_;
}

c10::intrusive_ptr<Future> TomboloWork::getFutureResult() {
  auto result = c10::make_intrusive<Future>(c10::IntType::get());
  auto left = std::make_shared<std::atomic<size_t>>(operations_.size());
  auto told = std::make_shared<std::atomic<bool>>(false);
  auto tell = [result, told](c10d::WorkResult how) {
    if (!told->exchange(true)) {
      result->markCompleted(c10::IValue(static_cast<int64_t>(how)));
    }
  };
  if (operations_.empty()) {
    tell(c10d::WorkResult::SUCCESS);
  }
  for (auto& operation : operations_) {
    operation->whenEnded([tell, left, operation](std::exception_ptr error) {
      if (error) {
        tell(operation->timedOut() ? c10d::WorkResult::TIMEOUT : c10d::WorkResult::COMM_ERROR);
      } else if (left->fetch_sub(1) == 1) {
        tell(c10d::WorkResult::SUCCESS);
      }
    });
  }
  return result;
}

float TomboloWork::getDuration() const {
  float longest = durationMs_;
  for (const auto& operation : operations_) {
    longest = std::max(longest, operation->durationMs());
  }
  return longest;
}

uint64_t TomboloWork::getSequencenumber() const {
  return sequence_;
}

uint64_t TomboloWork::getCompletionKey() const {
  return operations_.empty() ? reinterpret_cast<uint64_t>(this) : operations_.front()->key();
}

} // namespace tombolo
