// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <c10/util/Exception.h>

namespace tombolo {

void fail(tombolo_status status, const std::string& what, const std::string& text) {
  C10_THROW_ERROR(DistBackendError, what + ": " + text + " (" + tombolo_status_name(status) + ")");
}

void check(tombolo_status status, const std::string& what) {
  if (status != TOMBOLO_OK) {
    fail(status, what, tombolo_last_error());
  }
}

} // namespace tombolo
