// SPDX-License-Identifier: Apache-2.0
#include "other_job.h"

#include "engine.h"
#include "interrupts.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <utility>

namespace tombolo {

namespace {

using c10d::Work;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

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

  tombolo_jobs handle() const {
    return handle_;
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
    std::optional<milliseconds> timeout) {
  const bool accepts = role == Role::kAccepts;
  auto met = interruptibly<Met>([comm = group->comm(), accepts, address, token, timeout] {
    tombolo_jobs jobs = 0;
    auto meet = accepts ? tombolo_comm_accept : tombolo_comm_connect;
    check(
        meet(comm, address.c_str(), token ? token->c_str() : nullptr, timeout ? timeout->count() : 0, &jobs),
        (accepts ? "accepting another job at " : "connecting to another job at ") + address);
    return Met(jobs);
  });
  int32_t size = 0;
  check(tombolo_jobs_remote_size(met.handle(), &size), "asking for the other job's size");
  return std::make_shared<OtherJob>(group, met.take(), size);
}

OtherJob::OtherJob(c10::intrusive_ptr<TomboloBackend> group, tombolo_jobs handle, int size)
    : group_(std::move(group)), size_(size), handle_(handle) {}

OtherJob::~OtherJob() {
  std::optional<pybind11::gil_scoped_release> unlocked; // pybind11 keeps it
  if (PyGILState_Check()) {
    unlocked.emplace();
  }
  Met(handle_.exchange(0));
}

tombolo_jobs OtherJob::open() const {
  const tombolo_jobs handle = handle_;
  TORCH_CHECK(
      handle != 0, "the connection to the other job was closed: meet it again, by tombolo.accept and tombolo.connect");
  return handle;
}

c10::intrusive_ptr<Work> OtherJob::send(const at::Tensor& tensor, int peer, int tag) {
  std::vector<at::Tensor> tensors{tensor};
  return group_->send(
      "tombolo:send", tensors, pending_, [&](void* block, uint64_t count, tombolo_type type, auto* how, auto* work) {
        return tombolo_jobs_send(open(), block, count, type, peer, tag, how, work);
      });
}

c10::intrusive_ptr<Work> OtherJob::receive(const at::Tensor& tensor, int peer, int tag) {
  std::vector<at::Tensor> tensors{tensor};
  return group_->receive(
      "tombolo:recv",
      tensors,
      peer,
      pending_,
      [&](void* block, uint64_t count, tombolo_type type, auto* how, auto* work) {
        return tombolo_jobs_receive(open(), block, count, type, peer, tag, how, work);
      });
}

void OtherJob::failure() {
  check(tombolo_jobs_error(open()), "the connection to the other job");
}

void OtherJob::abort() {
  if (const tombolo_jobs handle = handle_) {
    tombolo_status status = tombolo_jobs_abort(handle);
    if (handle_ != 0 && status != TOMBOLO_USAGE) { // what was closed meanwhile, or ended with its group, needs no abort
      check(status, "giving the other job up");
    }
  }
}

void OtherJob::close() {
  std::lock_guard<std::mutex> turn(closing_);
  if (handle_ == 0) {
    return;
  }
  std::exception_ptr interrupt;
  try {
    finish(group_->getBackendOptions()->timeout);
  } catch (const pybind11::error_already_set&) { // Ctrl-C: nobody wants to wait any longer
    interrupt = std::current_exception();
    tombolo_jobs_abort(handle_); // if it fails, closing says no more
  }
  const tombolo_jobs handle = handle_.exchange(0);
  interruptibly<tombolo_status>([handle] { return tombolo_jobs_close(handle); }); // a failure is that of a message
  if (interrupt) {
    std::rethrow_exception(interrupt);
  }
}

void OtherJob::finish(milliseconds limit) {
  const auto end = steady_clock::now() + limit;
  for (auto& operation : pending_.take()) {
    try {
      auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
      operation->wait(std::max(left, milliseconds(1)));
    } catch (const c10::Error&) {
      // its Work says so
    }
  }
}

} // namespace tombolo
