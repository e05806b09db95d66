// SPDX-License-Identifier: Apache-2.0
#include "streams.h"

#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace tombolo {

void* currentStream(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device).native_handle();
}

} // namespace tombolo
