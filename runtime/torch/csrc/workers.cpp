// SPDX-License-Identifier: Apache-2.0
#include "workers.h"

#include <c10/util/Logging.h>
#include <c10/util/thread_name.h>

#include <chrono>
#include <exception>
#include <thread>

namespace tombolo {

namespace {
constexpr auto kIdleTime = std::chrono::seconds(10);
} // namespace

Workers& Workers::instance() {
  static auto* workers = new Workers();
  return *workers;
}

void Workers::run(std::function<void()> task) {
  std::lock_guard<std::mutex> lock(mutex_);
  tasks_.push_back(std::move(task));
  if (tasks_.size() > idle_) {
    std::thread([this] { serve(); }).detach();
  } else {
    arrived_.notify_one();
  }
}

void Workers::serve() {
  c10::setThreadName("tombolo_future");
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    while (!tasks_.empty()) {
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      try {
        task();
      } catch (const std::exception& error) {
        LOG(ERROR) << "a callback of a future: " << error.what(); // nobody is above it; its future has its own error
      }
      task = nullptr; // what it holds is given back without the lock
      lock.lock();
    }
    idle_++;
    bool more = arrived_.wait_for(lock, kIdleTime, [this] { return !tasks_.empty(); });
    idle_--;
    if (!more) {
      return;
    }
  }
}

} // namespace tombolo
