// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "versions.h"

#include <tombolo.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace tombolo {

// Whom torch wants to be told how a group's operations end: its flight recorder, above all. Thread-safe. They are called
// without a lock, as they take locks under which they register.
class Observers {
 public:
  explicit Observers(tombolo_comm comm) : comm_(comm) {}

  void onCompletion(int64_t id, CompletionHook hook);
  void onFailure(int64_t id, AbortHook hook);
  void forgetCompletion(int64_t id);
  void forgetFailure(int64_t id);

  // Once for each operation that went well. `key` is its Work's.
  void completed(uint64_t key, float durationMs);

  // An operation has failed; tells of it if its group has, too. Not for who holds the GIL, which an observer may need.
  void failed();

  // The group is about to be given up. Nobody is told in a forked child, which has neither group nor threads.
  void aborting();

 private:
  void tellOfFailure();

  template <typename Hook>
  using Hooks = std::shared_ptr<const std::map<int64_t, Hook>>; // replaced, never changed

  const tombolo_comm comm_;
  std::mutex mutex_;
  Hooks<CompletionHook> completions_ = std::make_shared<std::map<int64_t, CompletionHook>>();
  Hooks<AbortHook> failures_ = std::make_shared<std::map<int64_t, AbortHook>>();
};

} // namespace tombolo
