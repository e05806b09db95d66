// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <c10/util/Exception.h>

namespace tombolo {

void fail(tombolo_status status, const std::string& what, const std::string& text) {
  std::string why = tombolo_status_name(status);
  if (status == TOMBOLO_DEADLINE) {
    why += ": its timeout is over"; // the word that programs look for, whatever the back end
  }
  C10_THROW_ERROR(DistBackendError, what + ": " + text + " (" + why + ")");
}

void check(tombolo_status status, const std::string& what) {
  if (status != TOMBOLO_OK) {
    fail(status, what, tombolo_last_error());
  }
}

} // namespace tombolo
