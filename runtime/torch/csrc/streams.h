// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

namespace tombolo {

// The vendor's handle (cudaStream_t, ...) of the stream that torch uses now on `device`.
void* currentStream(c10::Device device);

} // namespace tombolo
