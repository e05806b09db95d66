// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "buffers.h"
#include "observers.h"

#include <c10/core/Event.h>
#include <tombolo.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace tombolo {

// One call of the library on its way, and the only owner of its tensors: they are given back when the library says
// that nothing touches them any more, on a thread of this program, never on one of Java's. Thread-safe.
class Operation : public std::enable_shared_from_this<Operation> {
 public:
  Operation(std::string name, tombolo_work work, Buffers buffers, std::shared_ptr<Observers> observers);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Whether it has ended and its results are in place. Does not block: false while another thread puts them there.
  bool ended();

  // Waits for the end; throws its error, or DistBackendError after `limit` (0: as long as the operation may take).
  void wait(std::chrono::milliseconds limit);

  // Has the current stream of `device` wait in place of the caller.
  void waitOnStream(at::Device device);

  // Its error, if it has ended with one.
  std::exception_ptr error();

  // Whether that is its timeout.
  bool timedOut();

  // Calls `then` on a worker thread when it has ended, with its error or nullptr.
  void whenEnded(std::function<void(std::exception_ptr)> then);

  // What no other operation of the process ever has.
  uint64_t key() const;

  float durationMs();

  // The rank that a receive from any has received from, once it has ended; -1 for all else.
  int source();

  uint64_t sequence();

 private:
  enum class Delivery { kAwaited, kUnderWay, kDone };

  // Takes note of the end; false while another thread puts the results in place.
  bool land(tombolo_status status, const std::string& text);

  // Puts the results in place, once; false while another thread does.
  bool deliver();

  const std::string name_;
  const tombolo_work work_;
  const std::shared_ptr<Observers> observers_;
  Buffers buffers_; // of the thread that delivers, until the delivery is done
  // Never held where a tensor is copied or freed: both may take the GIL, which Work.is_completed holds while it asks.
  std::mutex mutex_;
  std::condition_variable delivered_;
  Delivery delivery_ = Delivery::kAwaited;
  bool landed_ = false;
  bool timedOut_ = false;
  std::exception_ptr error_;
  std::shared_ptr<c10::Event> copied_; // the results are in place on the device
};

} // namespace tombolo
