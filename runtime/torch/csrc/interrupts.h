// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tombolo {

// Lets Python run the handlers of signals that came; throws what they raise (KeyboardInterrupt). Does nothing but on
// the main thread, which is the one that Python delivers signals to. The caller does not hold the GIL.
void checkInterrupts();

} // namespace tombolo
