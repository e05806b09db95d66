/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for class data in folders made for it. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../main/c/tombolo/class_data.h"

static char root[64];
static char library[128];
static char jars[256];
static char folder[128];

static void write_file(const char* path, const char* text, mode_t mode) {
  int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0);
  assert(chmod(path, mode) == 0);
}

static void make_files(void) {
  (void)snprintf(library, sizeof library, "%s/libjvm.so", root);
  (void)snprintf(jars, sizeof jars, "%s/a.jar:%s/b.jar", root, root);
  (void)snprintf(folder, sizeof folder, "%s/class-data", root);
  write_file(library, "", 0600);
  char path[128];
  (void)snprintf(path, sizeof path, "%s/a.jar", root);
  write_file(path, "a", 0600);
  (void)snprintf(path, sizeof path, "%s/b.jar", root);
  write_file(path, "b", 0600);
  assert(setenv("TOMBOLO_CACHE", root, 1) == 0);
}

static void should_be_wanted_in_the_folder_until_it_is_there(void) {
  struct class_data wanted = find_class_data(library, jars);
  assert(strncmp(wanted.path, folder, strlen(folder)) == 0 && strstr(wanted.path, ".jsa") != NULL);
  assert(!wanted.is_there);
  assert(mkdir(folder, 0700) == 0);
  write_file(wanted.path, "", 0400);
  struct class_data found = find_class_data(library, jars);
  assert(found.is_there && strcmp(found.path, wanted.path) == 0);
}

static void should_be_another_for_other_files(void) {
  struct class_data before = find_class_data(library, jars);
  char path[128];
  (void)snprintf(path, sizeof path, "%s/b.jar", root);
  assert(strcmp(find_class_data(library, path).path, before.path) != 0);
  write_file(path, "longer", 0600);
  struct class_data after = find_class_data(library, jars);
  assert(strcmp(after.path, before.path) != 0 && !after.is_there);
}

static void should_not_be_wanted_for_what_is_in_no_jar(void) {
  char path[512];
  (void)snprintf(path, sizeof path, "%s:%s", jars, root);
  assert(find_class_data(library, path).path[0] == 0);
  (void)snprintf(path, sizeof path, "%s:%s/nowhere.jar", jars, root);
  assert(find_class_data(library, path).path[0] == 0);
  assert(chdir(root) == 0);
  assert(find_class_data(library, "a.jar").path[0] == 0);
}

static void should_take_none_that_others_could_have_written(void) {
  struct class_data data = find_class_data(library, jars);
  write_file(data.path, "", 0620);
  assert(!find_class_data(library, jars).is_there);
  assert(chmod(data.path, 0600) == 0);
  assert(find_class_data(library, jars).is_there);
  assert(chmod(folder, 0777) == 0);
  assert(find_class_data(library, jars).path[0] == 0);
  assert(chmod(folder, 0700) == 0);
}

static void should_be_left_out_if_told_so(void) {
  assert(setenv("TOMBOLO_CLASS_DATA", "off", 1) == 0);
  assert(find_class_data(library, jars).path[0] == 0);
  assert(unsetenv("TOMBOLO_CLASS_DATA") == 0);
}

static void should_be_in_the_users_cache(void) {
  char home[128];
  assert(unsetenv("TOMBOLO_CACHE") == 0 && setenv("XDG_CACHE_HOME", root, 1) == 0);
  (void)snprintf(home, sizeof home, "%s/tombolo/class-data/", root);
  assert(strncmp(find_class_data(library, jars).path, home, strlen(home)) == 0);
  assert(unsetenv("XDG_CACHE_HOME") == 0 && setenv("HOME", root, 1) == 0);
  (void)snprintf(home, sizeof home, "%s/.cache/tombolo/class-data/", root);
  assert(strncmp(find_class_data(library, jars).path, home, strlen(home)) == 0);
  assert(unsetenv("HOME") == 0);
  assert(find_class_data(library, jars).path[0] == 0);
}

int main(void) {
  (void)snprintf(root, sizeof root, "/tmp/tombolo-class-data-XXXXXX");
  assert(mkdtemp(root) != NULL);
  make_files();
  should_be_wanted_in_the_folder_until_it_is_there();
  should_be_another_for_other_files();
  should_not_be_wanted_for_what_is_in_no_jar();
  should_take_none_that_others_could_have_written();
  should_be_left_out_if_told_so();
  should_be_in_the_users_cache();
  char command[128];
  (void)snprintf(command, sizeof command, "/bin/rm -rf %s", root);
  return system(command);
}
