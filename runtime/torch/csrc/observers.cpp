// SPDX-License-Identifier: Apache-2.0
#include "observers.h"

#include <utility>

namespace tombolo {

namespace {

template <typename Hook>
std::shared_ptr<const std::map<int64_t, Hook>> with(const std::map<int64_t, Hook>& hooks, int64_t id, Hook hook) {
  auto more = std::make_shared<std::map<int64_t, Hook>>(hooks);
  more->insert_or_assign(id, std::move(hook));
  return more;
}

template <typename Hook>
std::shared_ptr<const std::map<int64_t, Hook>> without(const std::map<int64_t, Hook>& hooks, int64_t id) {
  auto less = std::make_shared<std::map<int64_t, Hook>>(hooks);
  less->erase(id);
  return less;
}

} // namespace

void Observers::onCompletion(int64_t id, CompletionHook hook) {
  std::lock_guard<std::mutex> lock(mutex_);
  completions_ = with(*completions_, id, std::move(hook));
}

void Observers::onFailure(int64_t id, AbortHook hook) {
  std::lock_guard<std::mutex> lock(mutex_);
  failures_ = with(*failures_, id, std::move(hook));
}

void Observers::forgetCompletion(int64_t id) {
  std::lock_guard<std::mutex> lock(mutex_);
  completions_ = without(*completions_, id);
}

void Observers::forgetFailure(int64_t id) {
  std::lock_guard<std::mutex> lock(mutex_);
  failures_ = without(*failures_, id);
}

void Observers::completed(uint64_t key, float durationMs) {
  Hooks<CompletionHook> hooks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    hooks = completions_;
  }
  for (const auto& [id, hook] : *hooks) {
    hook({key, durationMs});
  }
}

void Observers::failed() {
  tombolo_status status = tombolo_comm_error(comm_);
  if (status != TOMBOLO_OK && status != TOMBOLO_FORKED) {
    tellOfFailure();
  }
}

void Observers::aborting() {
  if (tombolo_comm_error(comm_) != TOMBOLO_FORKED) {
    tellOfFailure();
  }
}

void Observers::tellOfFailure() {
  Hooks<AbortHook> hooks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    hooks = failures_;
  }
  for (const auto& [id, hook] : *hooks) {
    hook();
  }
}

} // namespace tombolo
