// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace tombolo {

// Threads that complete futures. Callbacks on a future may be Python, and may wait for other operations (PowerSGD's
// do), so neither the library's thread nor a fixed number of threads may run them: a task never waits for a thread.
class Workers {
 public:
  // Lives to the end of the process: a callback may run while statics are destroyed.
  static Workers& instance();

  void run(std::function<void()> task);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> tasks_;
  size_t idle_ = 0;
};

} // namespace tombolo
