// SPDX-License-Identifier: Apache-2.0
/*
 * The device that is current on the calling thread. Threads are the program's: whoever else is in it, as a framework is, has
 * a device of its own current there, and allocates on it. What a call of ours changes of that, it changes back:
 *
 *   uint64_t before = 0;
 *   int code = current_take(on, &before);
 *   ...
 *   current_give_back(on->driver, before);
 */
#ifndef TOMBOLO_CURRENT_H
#define TOMBOLO_CURRENT_H

#include "driver.h"

/*
 * Makes the device current; returns the vendor's code. `before` is 0 where nothing is to be given back: the device was
 * current, or the runtime does not tell what was.
 */
int current_take(const device* on, uint64_t* before);

/* Makes current what was so before. That it cannot be is nothing that the call between has to do with. */
void current_give_back(const driver* by, uint64_t before);

#endif
