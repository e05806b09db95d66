/* SPDX-License-Identifier: Apache-2.0 */
/* Where the jars of this project are. */
#ifndef CLASS_PATH_H
#define CLASS_PATH_H

#include "tombolo.h"

/* The class path, as -Djava.class.path=…, to be freed: `given`, or, if that is NULL, as tombolo.h says. */
tombolo_status find_class_path(const char* given, char** option);

#endif
