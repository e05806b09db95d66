// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tombolo.h>

#include <string>

namespace tombolo {

// Throws c10::DistBackendError with the library's text unless the call went well. `what` is the operation.
void check(tombolo_status status, const std::string& what);

// The error that check() would throw, from the texts that tombolo_on_end hands over.
[[noreturn]] void fail(tombolo_status status, const std::string& what, const std::string& text);

} // namespace tombolo
