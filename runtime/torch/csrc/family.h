// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <mutex>
#include <vector>

namespace tombolo {

// A group and those that torch has had made of it (split, merged, shrunk), which others keep alive. A weak reference of
// Python's own ends with Python's object of the group, which some versions of torch drop while the group lives on.
// Thread-safe.
class Family {
 public:
  void add(const c10::intrusive_ptr<c10d::Backend>& group);

  // Those that live.
  std::vector<c10::intrusive_ptr<c10d::Backend>> groups();

 private:
  std::mutex mutex_;
  std::vector<c10::weak_intrusive_ptr<c10d::Backend>> groups_;
};

} // namespace tombolo
