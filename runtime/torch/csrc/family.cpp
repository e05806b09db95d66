// SPDX-License-Identifier: Apache-2.0
#include "family.h"

#include <algorithm>

namespace tombolo {

void Family::add(const c10::intrusive_ptr<c10d::Backend>& group) {
  std::lock_guard<std::mutex> lock(mutex_);
  groups_.erase(
      std::remove_if(groups_.begin(), groups_.end(), [](const auto& each) { return each.expired(); }), groups_.end());
  groups_.emplace_back(group);
}

std::vector<c10::intrusive_ptr<c10d::Backend>> Family::groups() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<c10::intrusive_ptr<c10d::Backend>> living;
  for (const auto& each : groups_) {
    if (auto group = each.lock()) {
      living.push_back(std::move(group));
    }
  }
  return living;
}

} // namespace tombolo
