// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.h"

#include <tombolo.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace tombolo {

// A job that was started apart, whose ranks exchange messages with those of a group of this one. Thread-safe.
class OtherJob {
 public:
  enum class Role { kAccepts, kConnects };

  // Meets it at `address`; blocks until all ranks of both have called this. Without a token, that of TOMBOLO_TOKEN;
  // without a timeout, the group's.
  static std::shared_ptr<OtherJob> meet(
      const c10::intrusive_ptr<TomboloBackend>& group,
      Role role,
      const std::string& address,
      const std::optional<std::string>& token,
      std::optional<std::chrono::milliseconds> timeout);
  OtherJob(c10::intrusive_ptr<TomboloBackend> group, tombolo_jobs handle, int size);
  // Gives the connection up, unless it was closed.
  ~OtherJob();
  OtherJob(const OtherJob&) = delete;
  OtherJob& operator=(const OtherJob&) = delete;

  int size() const {
    return size_;
  }

  // Messages with a rank of the other job.
  c10::intrusive_ptr<c10d::Work> send(const at::Tensor& tensor, int peer, int tag);
  c10::intrusive_ptr<c10d::Work> receive(const at::Tensor& tensor, int peer, int tag);

  // Throws the failure that ended the connection, if one did.
  void failure();

  // Gives it up, on both sides, also while close() waits for messages. Nothing to do once it is closed or
  // its group is left.
  void abort();

  // Waits for the messages under way, and ends it, for which all ranks of both jobs call this. Harmless the second time.
  void close();

 private:
  // Throws if it was closed.
  tombolo_jobs open() const;

  // The rest of what is under way, in `limit`.
  void finish(std::chrono::milliseconds limit);

  const c10::intrusive_ptr<TomboloBackend> group_; // whose device it uses
  const int size_;
  std::atomic<tombolo_jobs> handle_; // 0 once it is closed
  std::mutex closing_;
  Pending pending_; // not the group's: what fails here ends nothing there
};

} // namespace tombolo
