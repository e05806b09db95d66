/* SPDX-License-Identifier: Apache-2.0 */
/* Where a Java virtual machine is on this machine. Starts nothing. */
#ifndef FIND_JAVA_H
#define FIND_JAVA_H

#include "tombolo.h"

enum { PATH_BYTES = 4096, OLDEST_JAVA = 17 };

struct java_place {
  char library[PATH_BYTES]; /* libjvm.so */
  int release;              /* 17; 0 if nobody says */
};

/* The JVM in `home`, or, if that is NULL, in $JAVA_HOME, where `java` on the PATH leads, or the newest under
 * `usual` (/usr/lib/jvm). TOMBOLO_NO_JAVA says all places that were looked at, and what to install. */
tombolo_status find_java(const char* home, const char* usual, struct java_place* place);

#endif
