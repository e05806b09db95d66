// SPDX-License-Identifier: Apache-2.0
#include "pending.h"

#include <utility>

namespace tombolo {

void Pending::add(std::shared_ptr<Operation> operation) {
  std::lock_guard<std::mutex> lock(mutex_);
  operations_.push_back(std::move(operation));
}

void Pending::reap() {
  while (true) {
    std::shared_ptr<Operation> first; // freed without the lock
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (operations_.empty()) {
        return;
      }
      first = operations_.front();
    }
    if (!first->ended()) {
      return;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (!operations_.empty() && operations_.front() == first) {
      operations_.pop_front();
    }
  }
}

void Pending::look() {
  std::deque<std::shared_ptr<Operation>> all;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    all = operations_;
  }
  for (const auto& operation : all) {
    operation->ended();
  }
}

std::deque<std::shared_ptr<Operation>> Pending::take() {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(operations_, {});
}

} // namespace tombolo
