// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <thread>
#include <utility>

namespace tombolo {

// Lets Python run the handlers of signals that came; throws what they raise (KeyboardInterrupt). Does nothing but on
// the main thread, which is the one that Python delivers signals to. The caller does not hold the GIL.
void checkInterrupts();

// Whether this is the thread that checkInterrupts() does something on.
bool takesInterrupts();

// How often a waiting thread looks for Ctrl-C.
constexpr std::chrono::milliseconds kGlance{200};

// What `body` returns, which blocks and knows nothing of signals. On the main thread it runs on a thread of its own, and goes
// on there when an interrupt ends the wait: so it owns all that it uses, and its result what is to be given back.
template <typename Result>
Result interruptibly(std::function<Result()> body) {
  if (!takesInterrupts()) {
    return body();
  }
  std::packaged_task<Result()> task(std::move(body));
  auto result = task.get_future();
  std::thread(std::move(task)).detach();
  while (result.wait_for(kGlance) != std::future_status::ready) {
    checkInterrupts();
  }
  return result.get();
}

} // namespace tombolo
