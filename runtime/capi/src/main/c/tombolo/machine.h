/* SPDX-License-Identifier: Apache-2.0 */
/* The Java virtual machine of this process, and this thread's part in it. */
#ifndef MACHINE_H
#define MACHINE_H

#include <jni.h>
#include <stdbool.h>

#include "compilers.h"
#include "tombolo.h"

/* Starts the JVM if none runs; `first` is called then, on a thread of the JVM, and says whether it can be used. It is
 * made for `job`. */
tombolo_status machine_start(const tombolo_java* java, const struct known_job* job,
                             tombolo_status (*first)(JNIEnv* env));

/* Whether it runs, in this very process: a forked child has none. */
bool machine_runs(void);

/* This thread's environment; attaches it if need be. NULL after a failure, whose status is in `status`. Needs a JVM
 * that runs. */
JNIEnv* machine_enter(tombolo_status* status);

#endif
