// SPDX-License-Identifier: Apache-2.0
#include "backend.h"

#include "engine.h"
#include "streams.h"

#include <pybind11/pybind11.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include <algorithm>
#include <optional>

namespace tombolo {

using c10d::Work;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {
// torch.distributed's SHRINK_ABORT, which C++ has no name for.
constexpr int kShrinkAbort = 1;
} // namespace

c10::intrusive_ptr<TomboloBackend> TomboloBackend::join(const Membership& membership, std::shared_ptr<Family> family) {
  auto group = c10::make_intrusive<TomboloBackend>(membership, family);
  family->add(group);
  return group;
}

TomboloBackend::TomboloBackend(Membership membership, std::shared_ptr<Family> family)
    : Backend(membership.rank, membership.size),
      membership_(std::move(membership)),
      family_(std::move(family)),
      communicator_(std::make_unique<Communicator>(membership_)),
      observers_(std::make_shared<Observers>(communicator_->handle())) {}

TomboloBackend::~TomboloBackend() {
  end();
}

// Where its family lives, torch calls this in place of the destructor, which comes once the family has forgotten it.
void TomboloBackend::release_resources() {
  end();
  family_.reset(); // which the last of its groups ends
}

void TomboloBackend::end() noexcept {
  std::optional<pybind11::gil_scoped_release> unlocked; // of who collects garbage: a store, or a hook, may be Python's
  if (!leaving_ && Py_IsInitialized() != 0 && PyGILState_Check() != 0) {
    unlocked.emplace();
  }
  try {
    shutdown();
  } catch (...) { // hooks are C++ of others, too, and may throw what is no std::exception
    // what was under way has failed, and its Work says so
  }
}

c10::intrusive_ptr<c10d::Backend::Options> TomboloBackend::getBackendOptions() {
  auto options = c10::make_intrusive<Options>(getBackendName(), membership_.timeout);
  options->group_name = membership_.name;
  return options;
}

void TomboloBackend::setTimeout(milliseconds timeout) {
  membership_.timeout = timeout;
  check(tombolo_comm_set_timeout(comm(), timeout.count()), "set_timeout");
}

uint64_t TomboloBackend::getSequenceNumberForGroup() {
  return sequence_;
}

c10d::ErrorType TomboloBackend::getError() {
  switch (tombolo_comm_error(comm())) {
    case TOMBOLO_OK: return c10d::ErrorType::SUCCESS;
    case TOMBOLO_DEADLINE: return c10d::ErrorType::TIMEOUT;
    case TOMBOLO_PEER_FAILED: return c10d::ErrorType::REMOTE_ERROR;
    default: return c10d::ErrorType::COMM_ERROR;
  }
}

void TomboloBackend::eagerConnectSingleDevice(at::Device device) {
  TORCH_CHECK_VALUE(
      !communicator().hasStreams() || device == communicator().device(),
      "process group ",
      membership_.name,
      " is on ",
      communicator().device(),
      ", the current device when it was made, and device_id says ",
      device,
      ": call torch.accelerator.set_device_index(",
      static_cast<int>(device.index()),
      ") before init_process_group");
}

void TomboloBackend::registerCompletionHook(int64_t id, CompletionHook hook) {
  observers_->onCompletion(id, std::move(hook));
}

void TomboloBackend::unregisterCompletionHook(int64_t id) {
  observers_->forgetCompletion(id);
}

void TomboloBackend::registerAbortHook(int64_t id, AbortHook hook) {
  observers_->onFailure(id, [pending = pending_, hook = std::move(hook)] {
    pending->look(); // what has ended well is no part of the failure
    hook();
  });
}

void TomboloBackend::unregisterAbortHook(int64_t id) {
  observers_->forgetFailure(id);
}

void TomboloBackend::abort() {
  observers_->aborting();
  tombolo_status status = tombolo_comm_abort(communicator_->handle());
  if (!leaving_) { // what has been left meanwhile needs no abort
    check(status, "abort");
  }
}

void TomboloBackend::shutdown() {
  if (leaving_.exchange(true)) {
    return;
  }
  std::exception_ptr interrupt;
  const auto end = steady_clock::now() + membership_.timeout; // of all of them together
  try {
    for (auto& operation : pending_->take()) {
      auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
      operation->wait(std::max(left, milliseconds(1)));
    }
  } catch (const pybind11::error_already_set&) { // Ctrl-C: nobody wants to wait any longer
    interrupt = std::current_exception();
    tombolo_comm_abort(communicator_->handle()); // if it fails, leaving says no more
  } catch (const std::exception&) {
    // The group has failed: nothing is left to wait for, and the Works say why.
  }
  communicator_->leave();
  if (interrupt) {
    std::rethrow_exception(interrupt);
  }
}

Communicator& TomboloBackend::communicator() const {
  TORCH_CHECK(!leaving_, "process group ", membership_.name, " has been shut down");
  return *communicator_;
}

c10::intrusive_ptr<c10d::Backend> TomboloBackend::split(
    const c10::intrusive_ptr<c10d::Store>& store,
    const std::vector<int>& ranks,
    const c10::intrusive_ptr<Options>& opts) {
  auto found = std::find(ranks.begin(), ranks.end(), rank_);
  if (found == ranks.end()) {
    return nullptr;
  }
  return merge(store, opts, static_cast<int>(found - ranks.begin()), static_cast<int>(ranks.size()));
}

c10::intrusive_ptr<c10d::Backend> TomboloBackend::merge(
    const c10::intrusive_ptr<c10d::Store>& store,
    const c10::intrusive_ptr<Options>& opts,
    const int& rank,
    const int& size) {
  auto membership = membership_;
  membership.store = store;
  membership.rank = rank;
  membership.size = size;
  if (opts) {
    membership.timeout = opts->timeout;
    membership.name = opts->group_name;
  }
  return join(membership, family_);
}

c10::intrusive_ptr<c10d::Backend> TomboloBackend::shrink(
    const std::vector<int64_t>& ranksToExclude,
    int flags,
    const c10::intrusive_ptr<Options>& opts) {
  if ((flags & kShrinkAbort) != 0) {
    abort();
  }
  std::vector<int> left;
  std::string without;
  for (int rank = 0; rank < size_; rank++) {
    if (std::find(ranksToExclude.begin(), ranksToExclude.end(), rank) == ranksToExclude.end()) {
      left.push_back(rank);
    } else {
      without += "-" + std::to_string(rank);
    }
  }
  auto store = c10::make_intrusive<c10d::PrefixStore>("without" + without, membership_.store);
  return split(store, left, opts);
}

void TomboloBackend::startCoalescing() {
  auto coalesced = c10::make_intrusive<TomboloWork>(
      rank_, c10d::OpType::COALESCED, nullptr, std::vector<at::Tensor>{}, std::vector<at::Tensor>{});
  std::lock_guard<std::mutex> lock(coalescing_);
  // In place of one that was never ended: torch's manager does not, if something is raised in it.
  coalesced.swap(coalesced_);
}

c10::intrusive_ptr<Work> TomboloBackend::endCoalescing() {
  std::lock_guard<std::mutex> lock(coalescing_);
  TORCH_CHECK(coalesced_, "coalescing has not been started");
  return std::move(coalesced_);
}

void TomboloBackend::coalesce(const TomboloWork& work) {
  std::lock_guard<std::mutex> lock(coalescing_);
  if (coalesced_) {
    coalesced_->attach(work);
  }
}

c10::intrusive_ptr<Work> TomboloBackend::collective(Call call, Buffers buffers, const Submission& submission) {
  c10::intrusive_ptr<TomboloWork> work;
  {
    std::lock_guard<std::mutex> turn(collectives_);
    work = submit(call, buffers, *pending_, submission);
    work->setSequence(++sequence_);
  }
  buffers.copyBack(); // of what has ended
  return work;
}

c10::intrusive_ptr<Work> TomboloBackend::group(
    Call call,
    Buffers buffers,
    const std::vector<Submission>& submissions) {
  c10::intrusive_ptr<TomboloWork> work;
  {
    std::lock_guard<std::mutex> turn(collectives_);
    std::lock_guard<std::mutex> alone(submissions_);
    tombolo_call plain = TOMBOLO_CALL_INIT;
    plain.factor = call.factor;
    work = submit(call, buffers, *pending_, [&](const tombolo_call* how, tombolo_work* made) {
      check(tombolo_group_start(comm()), call.title);
      for (const auto& submission : submissions) {
        tombolo_status status = submission(&plain, nullptr);
        if (status != TOMBOLO_OK) {
          std::string text = tombolo_last_error();
          tombolo_group_cancel(comm());
          fail(status, call.title, text);
        }
      }
      return tombolo_group_end(comm(), how, made);
    });
    work->setSequence(++sequence_);
  }
  buffers.copyBack(); // of what has ended
  return work;
}

c10::intrusive_ptr<Work> TomboloBackend::message(
    Call call,
    Buffers buffers,
    int source,
    Pending& pending,
    const Submission& submission) {
  std::lock_guard<std::mutex> alone(submissions_);
  auto work = submit(call, buffers, pending, submission);
  work->setSource(source);
  return work;
}

c10::intrusive_ptr<TomboloWork> TomboloBackend::submit(
    const Call& call,
    Buffers& buffers,
    Pending& pending,
    const Submission& submission) {
  pending.reap();
  auto work = c10::make_intrusive<TomboloWork>(rank_, call.type, call.title, call.inputs, call.outputs);
  tombolo_call how = TOMBOLO_CALL_INIT;
  how.flags = call.asyncOp ? TOMBOLO_ASYNC : 0;
  how.timeout_ms = call.timeout == c10d::kUnsetTimeout ? 0 : call.timeout.count();
  how.factor = call.factor;
  std::optional<at::Device> device;
  if (communicator().hasStreams()) {
    device = communicator().device();
    how.stream = currentStream(*device);
  } else if (!call.asyncOp) {
    how.flags = TOMBOLO_BRIEFLY;
  }
  const bool isOfGroup = &pending == pending_.get(); // no message to another job
  tombolo_work handle = 0;
  const auto start = steady_clock::now();
  tombolo_status status = submission(&how, &handle);
  if (status != TOMBOLO_OK) {
    std::string text = tombolo_last_error();
    observers_->failed();
    fail(status, call.title, text);
  }
  if (handle == 0) {
    work->setDuration(steady_clock::now() - start);
    if (isOfGroup) {
      coalesce(*work);
    }
    return work;
  }
  auto operation = std::make_shared<Operation>(call.title, handle, std::move(buffers), observers_);
  work->attach(operation, device);
  if (device && !call.asyncOp) {
    operation->waitOnStream(*device); // results that lie elsewhere
  }
  if (isOfGroup) {
    coalesce(*work);
  }
  pending.add(std::move(operation));
  return work;
}

const at::Tensor& TomboloBackend::single(const std::vector<at::Tensor>& tensors, const char* what) const {
  TORCH_CHECK_VALUE(tensors.size() == 1, what, " takes one tensor, not ", tensors.size());
  return tensors[0];
}

std::string TomboloBackend::describe() {
  return communicator().text(TOMBOLO_CLUSTERS) + "\n" + communicator().text(TOMBOLO_ROUTES);
}

} // namespace tombolo
