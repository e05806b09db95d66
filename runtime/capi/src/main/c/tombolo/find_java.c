/* SPDX-License-Identifier: Apache-2.0 */
#include "find_java.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"

#define INSTALL "install a JDK of release 17 or later (apt-get install openjdk-17-jdk-headless), or set JAVA_HOME"

static bool join_path(char* path, const char* folder, const char* name) {
  int length = snprintf(path, PATH_BYTES, "%s/%s", folder, name);
  return length > 0 && length < PATH_BYTES;
}

/* The feature release that the file "release" tells, which every JDK has since 8: JAVA_VERSION="17.0.2". */
static int release_of(const char* home) {
  static const char mark[] = "JAVA_VERSION=\"";
  char path[PATH_BYTES];
  FILE* file = join_path(path, home, "release") ? fopen(path, "re") : NULL;
  if (file == NULL) {
    return 0;
  }
  int release = 0;
  char line[512];
  while (release == 0 && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, mark, sizeof mark - 1) == 0) {
      long first = strtol(line + sizeof mark - 1, NULL, 10);
      release = first > 0 && first < 1000 ? (int)first : 0; /* 1 is that of 1.8 */
    }
  }
  (void)fclose(file);
  return release;
}

/* Whether `home` has a JVM that will do. */
static bool is_usable(const char* home, struct java_place* place) {
  place->release = release_of(home);
  return join_path(place->library, home, "lib/server/libjvm.so") && access(place->library, R_OK) == 0 &&
         (place->release == 0 || place->release >= OLDEST_JAVA);
}

/* The home of the `java` that a shell would find. */
static bool home_on_path(char* home) {
  const char* path = getenv("PATH");
  char folder[PATH_BYTES];
  while (path != NULL && *path != 0) {
    size_t length = strcspn(path, ":");
    char program[PATH_BYTES];
    char resolved[PATH_MAX];
    int written = snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    if (length > 0 && written > 0 && written < PATH_BYTES && join_path(program, folder, "java") &&
        access(program, X_OK) == 0 && realpath(program, resolved) != NULL) {
      char* end = strstr(resolved, "/bin/java");
      if (end != NULL && end[sizeof "/bin/java" - 1] == 0 && end - resolved < PATH_BYTES) {
        *end = 0;
        strcpy(home, resolved);
        return true;
      }
    }
    path += length + (path[length] == ':');
  }
  return false;
}

/* The newest in a folder of JDKs; of one release the last by name. */
static bool newest_under(const char* folder, struct java_place* newest) {
  DIR* entries = opendir(folder);
  if (entries == NULL) {
    return false;
  }
  bool found = false;
  char best[PATH_BYTES] = "";
  for (struct dirent* entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    char home[PATH_BYTES];
    struct java_place place;
    if (entry->d_name[0] == '.' || !join_path(home, folder, entry->d_name) || !is_usable(home, &place)) {
      continue;
    }
    if (!found || place.release > newest->release ||
        (place.release == newest->release && strcmp(entry->d_name, best) > 0)) {
      *newest = place;
      (void)snprintf(best, sizeof best, "%s", entry->d_name);
      found = true;
    }
  }
  (void)closedir(entries);
  return found;
}

tombolo_status find_java(const char* home, const char* usual, struct java_place* place) {
  if (home != NULL) {
    return is_usable(home, place)
               ? TOMBOLO_OK
               : fail(TOMBOLO_NO_JAVA, "%s (tombolo_java.java_home) has no lib/server/libjvm.so of release 17 or later; "
                      INSTALL, home);
  }
  const char* told = getenv("JAVA_HOME");
  if (told != NULL && *told != 0 && is_usable(told, place)) {
    return TOMBOLO_OK;
  }
  char found[PATH_BYTES];
  bool on_path = home_on_path(found);
  if (on_path && is_usable(found, place)) {
    return TOMBOLO_OK;
  }
  if (newest_under(usual, place)) {
    return TOMBOLO_OK;
  }
  return fail(TOMBOLO_NO_JAVA,
              "no Java virtual machine of release 17 or later: JAVA_HOME is %s%s, java on the PATH is %s%s, and nothing "
              "usable is under %s; " INSTALL,
              told == NULL || *told == 0 ? "not set" : told, told == NULL || *told == 0 ? "" : " (not usable)",
              on_path ? found : "not there", on_path ? " (not usable)" : "", usual);
}
