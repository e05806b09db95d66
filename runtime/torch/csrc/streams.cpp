// SPDX-License-Identifier: Apache-2.0
#include "streams.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace tombolo {

c10::Stream streamOf(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

void* currentStream(c10::Device device) {
  return streamOf(device).native_handle();
}

} // namespace tombolo
