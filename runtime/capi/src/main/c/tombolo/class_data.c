/* SPDX-License-Identifier: Apache-2.0 */
#include "class_data.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint64_t FNV_OFFSET = 0xcbf29ce484222325u;
static const uint64_t FNV_PRIME = 0x100000001b3u;

static const char* variable(const char* name) {
  const char* value = getenv(name);
  return value != NULL && *value != 0 ? value : NULL;
}

/* As UserFolders.java has it. */
static bool find_folder(char* folder, size_t size) {
  const char* chosen = variable("TOMBOLO_CACHE");
  const char* caches = variable("XDG_CACHE_HOME");
  const char* home = variable("HOME");
  int length = chosen != NULL   ? snprintf(folder, size, "%s/class-data", chosen)
               : caches != NULL ? snprintf(folder, size, "%s/tombolo/class-data", caches)
               : home != NULL   ? snprintf(folder, size, "%s/.cache/tombolo/class-data", home)
                                : -1;
  return length > 0 && (size_t)length < size && folder[0] == '/';
}

/* Whoever can write it could give us other classes. */
static bool is_only_ours(const struct stat* status) {
  return status->st_uid == geteuid() && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* FNV-1a: tells files apart, and is no protection. */
static void add(uint64_t* hash, const void* bytes, size_t length) {
  const unsigned char* next = bytes;
  for (size_t i = 0; i < length; i++) {
    *hash = (*hash ^ next[i]) * FNV_PRIME;
  }
}

/* What a JVM compares, too, before it takes an archive; false for what is no file. */
static bool add_file(uint64_t* hash, const char* path) {
  struct stat status;
  if (path[0] != '/' || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) {
    return false;
  }
  const int64_t facts[] = {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
  add(hash, path, strlen(path) + 1);
  add(hash, facts, sizeof facts);
  return true;
}

static bool add_jars(uint64_t* hash, const char* class_path) {
  char* jars = strdup(class_path);
  char* rest = NULL;
  bool all = jars != NULL;
  for (char* jar = all ? strtok_r(jars, ":", &rest) : NULL; jar != NULL && all; jar = strtok_r(NULL, ":", &rest)) {
    all = add_file(hash, jar);
  }
  free(jars);
  return all;
}

struct class_data find_class_data(const char* library, const char* class_path) {
  struct class_data data = {"", false};
  const char* chosen = variable("TOMBOLO_CLASS_DATA");
  char folder[PATH_MAX - 32];
  uint64_t hash = FNV_OFFSET;
  if ((chosen != NULL && strcmp(chosen, "off") == 0) || !find_folder(folder, sizeof folder) ||
      !add_file(&hash, library) || !add_jars(&hash, class_path)) {
    return data;
  }
  struct stat status;
  if (stat(folder, &status) == 0 ? !is_only_ours(&status) : errno != ENOENT) {
    return data;
  }
  (void)snprintf(data.path, sizeof data.path, "%s/%016llx.jsa", folder, (unsigned long long)hash);
  data.is_there = stat(data.path, &status) == 0 && S_ISREG(status.st_mode) && is_only_ours(&status);
  return data;
}
