// SPDX-License-Identifier: Apache-2.0
/* Keeps vendors' libraries from taking the process's signals, whose handlers are the JVM's or the program's. */
#ifndef TOMBOLO_SIGNALS_H
#define TOMBOLO_SIGNALS_H

#include <stdbool.h>

/*
 * From now on `library`, opened by dlopen, can read but not change what signals do to this process; false where it cannot be
 * kept from it.
 */
bool signals_keep(void* library);

/* The same of it and of all that it was linked with. */
bool signals_keep_all(void* library);

#endif
