// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operation.h"

#include <deque>
#include <memory>
#include <mutex>

namespace tombolo {

// Operations of a group in the order of their calls, until somebody sees that they have ended, whoever holds their Works.
// Thread-safe.
class Pending {
 public:
  void add(std::shared_ptr<Operation> operation);

  // Gives back the tensors of what has ended before all else. A Work that was dropped has nobody else to do so.
  void reap();

  // Takes note of all that has ended.
  void look();

  // All of them, which are then this caller's to wait for.
  std::deque<std::shared_ptr<Operation>> take();

 private:
  std::mutex mutex_;
  std::deque<std::shared_ptr<Operation>> operations_;
};

} // namespace tombolo
