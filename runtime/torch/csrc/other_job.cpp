// SPDX-License-Identifier: Apache-2.0
#include "other_job.h"

#include "engine.h"
#include "interrupts.h"

#include <utility>

namespace tombolo {

namespace {

using c10d::Work;

// A connection until somebody takes it over. That nobody did means that nobody waits for it any more.
class Met {
 public:
  explicit Met(tombolo_jobs handle) : handle_(handle) {}
  Met(Met&& other) noexcept : handle_(other.take()) {}
  Met& operator=(Met&&) = delete;
  ~Met() {
    if (handle_ != 0) {
      tombolo_jobs_abort(handle_);
      tombolo_jobs_close(handle_);
    }
  }

  tombolo_jobs take() {
    return std::exchange(handle_, 0);
  }

 private:
  tombolo_jobs handle_;
};

} // namespace

std::shared_ptr<OtherJob> OtherJob::meet(
    const c10::intrusive_ptr<TomboloBackend>& group,
    Role role,
    const std::string& address,
    const std::optional<std::string>& token,
    std::optional<std::chrono::milliseconds> timeout) {
  const bool accepts = role == Role::kAccepts;
  auto met = interruptibly<Met>([comm = group->comm(), accepts, address, token, timeout] {
    tombolo_jobs jobs = 0;
    auto meet = accepts ? tombolo_comm_accept : tombolo_comm_connect;
    check(
        meet(comm, address.c_str(), token ? token->c_str() : nullptr, timeout ? timeout->count() : 0, &jobs),
        (accepts ? "accepting another job at " : "connecting to another job at ") + address);
    return Met(jobs);
  });
  return std::make_shared<OtherJob>(group, met.take());
}

OtherJob::OtherJob(c10::intrusive_ptr<TomboloBackend> group, tombolo_jobs handle)
    : group_(std::move(group)), handle_(handle) {
  check(tombolo_jobs_remote_size(handle, &size_), "asking for the other job's size");
}

OtherJob::~OtherJob() {
  Met(handle_.exchange(0));
}

c10::intrusive_ptr<Work> OtherJob::send(const at::Tensor& tensor, int peer, int tag) {
  std::vector<at::Tensor> tensors{tensor};
  return group_->send(
      "tombolo:send", tensors, [&](void* block, uint64_t count, tombolo_type type, auto* how, auto* work) {
        return tombolo_jobs_send(handle_, block, count, type, peer, tag, how, work);
      });
}

c10::intrusive_ptr<Work> OtherJob::receive(const at::Tensor& tensor, int peer, int tag) {
  std::vector<at::Tensor> tensors{tensor};
  return group_->receive(
      "tombolo:recv", tensors, peer, [&](void* block, uint64_t count, tombolo_type type, auto* how, auto* work) {
        return tombolo_jobs_receive(handle_, block, count, type, peer, tag, how, work);
      });
}

void OtherJob::failure() {
  check(tombolo_jobs_error(handle_), "the connection to the other job");
}

void OtherJob::abort() {
  check(tombolo_jobs_abort(handle_), "giving the other job up");
}

void OtherJob::close() {
  if (const tombolo_jobs handle = handle_.exchange(0)) {
    interruptibly<tombolo_status>([handle] { return tombolo_jobs_close(handle); });
  }
}

} // namespace tombolo
