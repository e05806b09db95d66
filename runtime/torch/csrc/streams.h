// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

namespace tombolo {

// The stream that torch uses now on `device`.
c10::Stream streamOf(c10::Device device);

// The vendor's handle (cudaStream_t, ...) of the stream that torch uses now on `device`.
void* currentStream(c10::Device device);

} // namespace tombolo
