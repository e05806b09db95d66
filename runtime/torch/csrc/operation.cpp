// SPDX-License-Identifier: Apache-2.0
#include "operation.h"

#include "engine.h"
#include "interrupts.h"
#include "streams.h"
#include "workers.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <optional>

namespace tombolo {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Keys of Works without an operation are addresses.
constexpr uint64_t kHandle = uint64_t{1} << 63;

tombolo_work_info query(tombolo_work work) {
  tombolo_work_info info{};
  info.size = sizeof(info);
  if (tombolo_work_query(work, &info) != TOMBOLO_OK) {
    info.buffers_released = 0;
  }
  return info;
}

// A step on the way from the library's thread to a worker.
struct Ending {
  std::shared_ptr<Operation> operation;
  std::function<void(std::exception_ptr)> then;
};

void endedOnLibrarysThread(void* context, tombolo_status, const char*) {
  Workers::instance().run([ending = std::shared_ptr<Ending>(static_cast<Ending*>(context))] {
    std::exception_ptr error;
    try {
      ending->operation->wait(milliseconds(0)); // puts the results in place
    } catch (...) {
      error = std::current_exception();
    }
    ending->then(error);
  });
}

} // namespace

Operation::Operation(std::string name, tombolo_work work, Buffers buffers, std::shared_ptr<Observers> observers)
    : name_(std::move(name)), work_(work), observers_(std::move(observers)), buffers_(std::move(buffers)) {}

Operation::~Operation() {
  if (work_ == 0) {
    return;
  }
  if (query(work_).buffers_released == 0) {
    new Buffers(std::move(buffers_)); // a library that nobody can stop may still use them: they are never freed
  }
  tombolo_release(work_); // fails in a forked child alone, where it means nothing
}

bool Operation::ended() {
  if (work_ == 0) {
    return true;
  }
  int ended = 0;
  tombolo_status status = tombolo_test(work_, &ended);
  if (ended == 0 && status == TOMBOLO_OK) {
    return false;
  }
  return land(status, status == TOMBOLO_OK ? "" : tombolo_last_error());
}

bool Operation::land(tombolo_status status, const std::string& text) {
  std::exception_ptr failure;
  std::optional<Buffers> done; // freed without the lock
  if (status != TOMBOLO_OK) {
    try {
      fail(status, name_, text);
    } catch (...) {
      failure = std::current_exception();
    }
  } else if (!deliver()) {
    return false;
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (landed_) {
      return true;
    }
    landed_ = true;
    timedOut_ = status == TOMBOLO_DEADLINE;
    error_ = error_ ? error_ : failure;
    failure = error_;
    if (status == TOMBOLO_OK) {
      done.emplace(std::move(buffers_));
    }
  }
  if (!failure) {
    observers_->completed(key(), durationMs());
  }
  return true;
}

bool Operation::deliver() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (delivery_ != Delivery::kAwaited) {
      return delivery_ == Delivery::kDone;
    }
    delivery_ = Delivery::kUnderWay;
  }
  std::exception_ptr failure;
  std::shared_ptr<c10::Event> copied;
  try {
    copied = buffers_.copyBack();
  } catch (...) {
    failure = std::current_exception();
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    delivery_ = Delivery::kDone;
    error_ = error_ ? error_ : failure;
    copied_ = copied;
  }
  delivered_.notify_all();
  return true;
}

std::exception_ptr Operation::error() {
  std::lock_guard<std::mutex> lock(mutex_);
  return error_;
}

bool Operation::timedOut() {
  std::lock_guard<std::mutex> lock(mutex_);
  return timedOut_;
}

void Operation::wait(milliseconds limit) {
  const auto start = steady_clock::now();
  while (!ended()) {
    auto slice = kGlance;
    if (limit.count() > 0) {
      auto left = std::chrono::duration_cast<milliseconds>(start + limit - steady_clock::now());
      if (left.count() <= 0) {
        fail(
            TOMBOLO_IN_PROGRESS,
            name_,
            "not done within the " + std::to_string(limit.count()) + " ms of wait(); it goes on");
      }
      slice = std::min(slice, left);
    }
    tombolo_status status = tombolo_wait(work_, slice.count());
    if (status == TOMBOLO_IN_PROGRESS || status == TOMBOLO_DEADLINE) { // the latter of this wait or of the operation
      checkInterrupts();
    } else if (!land(status, status == TOMBOLO_OK ? "" : tombolo_last_error())) {
      std::unique_lock<std::mutex> lock(mutex_);
      delivered_.wait_for(lock, slice, [this] { return delivery_ == Delivery::kDone; });
    }
  }
  if (auto failure = error()) {
    observers_->failed();
    std::rethrow_exception(failure);
  }
}

void Operation::waitOnStream(at::Device device) {
  check(tombolo_make_wait(work_, currentStream(device)), name_);
  deliver(); // behind the operation, on the same stream
  std::unique_lock<std::mutex> lock(mutex_);
  delivered_.wait(lock, [this] { return delivery_ == Delivery::kDone; });
  if (copied_) {
    copied_->block(streamOf(device)); // another stream may have copied
  }
  if (error_) {
    std::rethrow_exception(error_);
  }
}

void Operation::whenEnded(std::function<void(std::exception_ptr)> then) {
  if (ended()) {
    then(error());
    return;
  }
  auto ending = std::make_unique<Ending>(Ending{shared_from_this(), std::move(then)});
  check(tombolo_on_end(work_, endedOnLibrarysThread, ending.get()), name_);
  ending.release(); // the callback owns it
}

uint64_t Operation::key() const {
  return kHandle | work_;
}

float Operation::durationMs() {
  return static_cast<float>(query(work_).duration_ns) / 1e6F;
}

int Operation::source() {
  return query(work_).source;
}

uint64_t Operation::sequence() {
  return query(work_).sequence;
}

} // namespace tombolo
