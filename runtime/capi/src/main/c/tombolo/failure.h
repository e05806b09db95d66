/* SPDX-License-Identifier: Apache-2.0 */
/* How functions of this library fail: with a status, and a text for the thread. */
#ifndef FAILURE_H
#define FAILURE_H

#include <stddef.h>

#include "tombolo.h"

/* Keeps a text for tombolo_last_error, formatted as by printf; returns `status`. */
tombolo_status fail(tombolo_status status, const char* format, ...) __attribute__((format(printf, 2, 3)));

/* The same with `length` bytes of UTF-8. */
tombolo_status fail_with(tombolo_status status, const char* text, size_t length);

#endif
