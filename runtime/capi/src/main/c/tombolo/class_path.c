/* SPDX-License-Identifier: Apache-2.0 */
#include "class_path.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

#define OPTION "-Djava.class.path="

/* Folders of jars, from the one that libtombolo.so is in: an installation, a Python package, target/dist/lib. */
static const char* const folders[] = {"tombolo", "jars", "."};

struct text {
  char* start;
  size_t length;
};

static bool append(struct text* text, const char* more) {
  size_t length = strlen(more);
  char* grown = realloc(text->start, text->length + length + 1);
  if (grown == NULL) {
    return false;
  }
  memcpy(grown + text->length, more, length + 1);
  text->start = grown;
  text->length += length;
  return true;
}

static int is_jar(const struct dirent* entry) {
  size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".jar") == 0;
}

static int is_our_jar(const struct dirent* entry) {
  return is_jar(entry) && strncmp(entry->d_name, "tombolo-capi", sizeof "tombolo-capi" - 1) == 0;
}

static int count(const char* folder, int (*which)(const struct dirent*)) {
  struct dirent** entries = NULL;
  int found = scandir(folder, &entries, which, NULL);
  for (int i = 0; i < found; i++) {
    free(entries[i]);
  }
  free(entries);
  return found;
}

static bool append_jars(struct text* text, const char* folder) {
  struct dirent** jars = NULL;
  int found = scandir(folder, &jars, is_jar, alphasort);
  bool appended = true;
  for (int i = 0; i < found; i++) {
    appended = appended && append(text, i == 0 ? "" : ":") && append(text, folder) && append(text, "/") &&
               append(text, jars[i]->d_name);
    free(jars[i]);
  }
  free(jars);
  return appended;
}

/* The folder that this library is in, "" if the loader does not say. */
static void own_folder(char* folder, size_t size) {
  Dl_info info;
  char path[PATH_MAX];
  folder[0] = 0;
  if (dladdr((void*)(size_t)&find_class_path, &info) != 0 && realpath(info.dli_fname, path) != NULL) {
    char* slash = strrchr(path, '/');
    *slash = 0;
    (void)snprintf(folder, size, "%s", path);
  }
}

static tombolo_status made(const struct text* text, bool complete, char** option) {
  if (!complete) {
    free(text->start);
    return fail(TOMBOLO_RESOURCE, "no memory for the class path");
  }
  *option = text->start;
  return TOMBOLO_OK;
}

static tombolo_status as_given(const char* given, char** option) {
  struct text text = {NULL, 0};
  return made(&text, append(&text, OPTION) && append(&text, given), option);
}

tombolo_status find_class_path(const char* given, char** option) {
  *option = NULL;
  if (given == NULL) {
    given = getenv("TOMBOLO_CLASS_PATH");
  }
  if (given != NULL && *given != 0) {
    return as_given(given, option);
  }
  char own[PATH_MAX];
  own_folder(own, sizeof own);
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    char folder[PATH_MAX + 64];
    (void)snprintf(folder, sizeof folder, "%s/%s", own, folders[i]);
    if (count(folder, is_our_jar) > 0) {
      struct text text = {NULL, 0};
      return made(&text, append(&text, OPTION) && append_jars(&text, folder), option);
    }
  }
  return fail(TOMBOLO_NO_JAVA,
              "no tombolo-capi*.jar in tombolo/ or jars/ beside %s/libtombolo.so, nor in that folder; set "
              "TOMBOLO_CLASS_PATH to all jars of the installation, separated by colons",
              own);
}
