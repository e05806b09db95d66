/* SPDX-License-Identifier: Apache-2.0 */
/* Where a JVM finds our classes parsed and verified, so that it starts in half the time: an archive in the user's cache
 * folder, which an earlier process has had made (ClassData.java). Makes nothing. */
#ifndef CLASS_DATA_H
#define CLASS_DATA_H

#include <limits.h>
#include <stdbool.h>

struct class_data {
  char path[PATH_MAX]; /* of this JVM and these jars as they are now; empty where there cannot be one */
  bool is_there;
};

/* For the JVM in `library`, with the jars in `class_path`, separated by colons. There cannot be one if
 * TOMBOLO_CLASS_DATA=off, without a folder that belongs to this user alone, and for classes that are not in jars. */
struct class_data find_class_data(const char* library, const char* class_path);

#endif
