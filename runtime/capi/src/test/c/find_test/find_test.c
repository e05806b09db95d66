/* SPDX-License-Identifier: Apache-2.0 */
/* Finds Java and the jars in folders made for it. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../main/c/tombolo/class_path.h"
#include "../../../main/c/tombolo/failure.h"
#include "../../../main/c/tombolo/find_java.h"

static char root[256];

/* A path in the test's own folder. */
static const char* in(const char* name) {
  static char paths[4][512];
  static int turn;
  char* path = paths[turn++ % 4];
  (void)snprintf(path, sizeof paths[0], "%s/%s", root, name);
  return path;
}

static void write_file(const char* path, const char* text, mode_t mode) {
  int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, mode);
  assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0);
}

static void make_folder(const char* name) {
  assert(mkdir(in(name), 0700) == 0);
}

/* A folder that looks like a JDK of `release`. */
static void make_jdk(const char* name, const char* release) {
  static const char* const folders[] = {"", "/bin", "/lib", "/lib/server"};
  char path[300];
  for (int i = 0; i < 4; i++) {
    (void)snprintf(path, sizeof path, "%s%s", name, folders[i]);
    make_folder(path);
  }
  (void)snprintf(path, sizeof path, "%s/lib/server/libjvm.so", name);
  write_file(in(path), "", 0600);
  (void)snprintf(path, sizeof path, "%s/bin/java", name);
  write_file(in(path), "", 0700);
  (void)snprintf(path, sizeof path, "%s/release", name);
  char text[100];
  (void)snprintf(text, sizeof text, "IMPLEMENTOR=\"Somebody\"\nJAVA_VERSION=\"%s\"\n", release);
  write_file(in(path), text, 0600);
}

static void expect(const char* home, const char* name, int release) {
  struct java_place place;
  char library[600];
  (void)snprintf(library, sizeof library, "%s/lib/server/libjvm.so", in(name));
  tombolo_status status = find_java(home, in("usual"), &place);
  if (status != TOMBOLO_OK || strcmp(place.library, library) != 0 || place.release != release) {
    (void)fprintf(stderr, "expected %s of release %d; status %d, %s, %d, %s\n", library, release, status,
                  place.library, place.release, tombolo_last_error());
    abort();
  }
}

static void refuse(const char* home, const char* words) {
  struct java_place place;
  assert(find_java(home, in("usual"), &place) == TOMBOLO_NO_JAVA);
  if (strstr(tombolo_last_error(), words) == NULL || strstr(tombolo_last_error(), "apt-get install") == NULL) {
    (void)fprintf(stderr, "no word of '%s': %s\n", words, tombolo_last_error());
    abort();
  }
}

static void should_say_where_it_looked_and_what_to_install(void) {
  refuse(NULL, "JAVA_HOME is not set, java on the PATH is not there");
  refuse(in("jdk-8"), "jdk-8 (tombolo_java.java_home)");
  assert(setenv("JAVA_HOME", in("jdk-8"), 1) == 0);
  assert(setenv("PATH", in("jdk-8/bin"), 1) == 0);
  refuse(NULL, "jdk-8 (not usable), and nothing usable");
  assert(setenv("JAVA_HOME", "", 1) == 0);
}

static void should_prefer_what_is_said_to_what_is_found(void) {
  make_folder("usual");
  make_jdk("usual/a-21", "21.0.1");
  make_jdk("usual/b-17", "17.0.2");
  make_jdk("usual/c-9", "9.0.4");
  make_jdk("told", "25");
  make_jdk("on-path", "18.0.2");
  expect(NULL, "usual/a-21", 21);
  assert(setenv("PATH", in("nowhere"), 1) == 0);
  expect(NULL, "usual/a-21", 21);
  char path[1100];
  make_folder("bin");
  assert(symlink(in("on-path/bin/java"), in("bin/java")) == 0);
  (void)snprintf(path, sizeof path, "%s::%s", in("nowhere"), in("bin"));
  assert(setenv("PATH", path, 1) == 0);
  expect(NULL, "on-path", 18);
  assert(setenv("JAVA_HOME", in("told"), 1) == 0);
  expect(NULL, "told", 25);
  expect(in("usual/b-17"), "usual/b-17", 17);
}

static void should_find_the_jars_or_say_what_to_set(void) {
  char* option = NULL;
  assert(unsetenv("TOMBOLO_CLASS_PATH") == 0);
  assert(find_class_path(NULL, &option) == TOMBOLO_NO_JAVA && option == NULL);
  assert(strstr(tombolo_last_error(), "TOMBOLO_CLASS_PATH") != NULL);
  assert(setenv("TOMBOLO_CLASS_PATH", "/a.jar:/b.jar", 1) == 0);
  assert(find_class_path(NULL, &option) == TOMBOLO_OK && strcmp(option, "-Djava.class.path=/a.jar:/b.jar") == 0);
  free(option);
  assert(find_class_path("/c.jar", &option) == TOMBOLO_OK && strcmp(option, "-Djava.class.path=/c.jar") == 0);
  free(option);
}

/* The test is where a library would be: the jars are beside it. */
static void should_take_all_jars_beside_it(void) {
  char program[512];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  assert(length > 0);
  program[length] = 0;
  *strrchr(program, '/') = 0;
  char folder[600];
  char jar[700];
  char expected[2000];
  (void)snprintf(folder, sizeof folder, "%s/jars", program);
  assert(mkdir(folder, 0700) == 0);
  const char* const names[] = {"tombolo-capi-1.jar", "guava.jar", "README"};
  for (int i = 0; i < 3; i++) {
    (void)snprintf(jar, sizeof jar, "%s/%s", folder, names[i]);
    write_file(jar, "", 0600);
  }
  char* option = NULL;
  assert(unsetenv("TOMBOLO_CLASS_PATH") == 0);
  assert(find_class_path(NULL, &option) == TOMBOLO_OK);
  (void)snprintf(expected, sizeof expected, "-Djava.class.path=%s/guava.jar:%s/tombolo-capi-1.jar", folder, folder);
  assert(strcmp(option, expected) == 0);
  free(option);
  for (int i = 0; i < 3; i++) {
    (void)snprintf(jar, sizeof jar, "%s/%s", folder, names[i]);
    assert(unlink(jar) == 0);
  }
  assert(rmdir(folder) == 0);
}

static void should_cut_long_texts_between_characters(void) {
  char text[5000];
  for (size_t i = 0; i + 1 < sizeof text; i += 2) {
    memcpy(text + i, "\xC3\xB6", 2);
  }
  assert(fail_with(TOMBOLO_USAGE, text, sizeof text) == TOMBOLO_USAGE);
  assert(strlen(tombolo_last_error()) == 4094);
  assert(fail(TOMBOLO_RESOURCE, "%d of %s", 3, "them") == TOMBOLO_RESOURCE);
  assert(strcmp(tombolo_last_error(), "3 of them") == 0);
}

int main(void) {
  (void)snprintf(root, sizeof root, "/tmp/tombolo-find-XXXXXX");
  assert(mkdtemp(root) != NULL);
  assert(unsetenv("JAVA_HOME") == 0 && setenv("PATH", "", 1) == 0);
  make_jdk("jdk-8", "1.8.0_392");
  should_say_where_it_looked_and_what_to_install();
  should_prefer_what_is_said_to_what_is_found();
  should_find_the_jars_or_say_what_to_set();
  should_take_all_jars_beside_it();
  should_cut_long_texts_between_characters();
  char command[300];
  (void)snprintf(command, sizeof command, "/bin/rm -rf %s", root);
  return system(command);
}
