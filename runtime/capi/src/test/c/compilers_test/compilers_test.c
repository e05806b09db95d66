/* SPDX-License-Identifier: Apache-2.0 */
/* Which compilers are chosen in each environment of a table. CompilersTest reads the same table for Java's version. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../main/c/tombolo/compilers.h"

static const struct {
  const char* compilers; /* first, all */
  const char* variables; /* separated by blanks */
} ROWS[] = {
#include "environments.inc"
};

static void set(const char* variables) {
  char text[1024];
  char* rest = NULL;
  assert(clearenv() == 0 && strlen(variables) < sizeof text);
  memcpy(text, variables, strlen(variables) + 1);
  for (char* word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    char* value = strchr(word, '=');
    assert(value != NULL);
    *value++ = 0;
    assert(setenv(word, value, 1) == 0);
  }
}

static void expect_of(const struct known_job* job, bool is_first_enough, const char* what) {
  if (is_first_compiler_enough(job) != is_first_enough) {
    (void)fprintf(stderr, "expected %s with %s\n", is_first_enough ? "first" : "all", what);
    abort();
  }
}

static void expect(bool is_first_enough, const char* what) {
  const struct known_job nothing = {0, 0, NULL};
  expect_of(&nothing, is_first_enough, what);
}

static void should_decide_as_java_does(void) {
  for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
    set(ROWS[i].variables);
    expect(strcmp(ROWS[i].compilers, "first") == 0, ROWS[i].variables);
  }
}

/* Java refuses these later, with an error that says why. */
static void should_not_guess_from_what_makes_no_sense(void) {
  static const char* const sizes[] = {"x", "2x", "-2", "99999999999999999999", " "};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    set("RANK=0 WORLD_SIZE=4");
    assert(setenv("LOCAL_WORLD_SIZE", sizes[i], 1) == 0);
    expect(true, sizes[i]);
  }
}

static void should_skip_blanks(void) {
  set("RANK=0 WORLD_SIZE=4");
  assert(setenv("LOCAL_WORLD_SIZE", " 2 ", 1) == 0);
  expect(false, "blanks around a number");
  set("");
  assert(setenv("TOMBOLO_FABRICS", " shm , udp ", 1) == 0);
  expect(false, "blanks around a fabric");
}

/* What a program says itself, in environments that say something else, or nothing. */
static void should_believe_the_program_first(void) {
  static const struct {
    struct known_job job;
    const char* compilers;
    const char* variables;
  } rows[] = {
    {{4, 2, NULL}, "all", ""},
    {{4, 4, NULL}, "first", ""},
    {{4, 0, NULL}, "first", ""},
    {{4, 2, NULL}, "all", "RANK=0 WORLD_SIZE=4 LOCAL_WORLD_SIZE=4"},
    {{2, 2, NULL}, "first", "RANK=0 WORLD_SIZE=4 LOCAL_WORLD_SIZE=2"},
    {{4, 0, NULL}, "all", "RANK=0 WORLD_SIZE=4 LOCAL_WORLD_SIZE=2"},
    {{2, 0, NULL}, "first", "RANK=0 WORLD_SIZE=4 LOCAL_WORLD_SIZE=2"},
    {{4, 0, NULL}, "all", "SLURM_STEP_ID=0 SLURM_NTASKS=4 SLURM_NNODES=2"},
    {{2, 0, NULL}, "first", "SLURM_STEP_ID=0 SLURM_NTASKS=4 SLURM_NNODES=2"},
    {{0, 2, NULL}, "all", "RANK=0 WORLD_SIZE=4"},
    {{0, 4, NULL}, "first", "RANK=0 WORLD_SIZE=4 LOCAL_WORLD_SIZE=2"},
    {{0, 0, "udp"}, "all", ""},
    {{0, 0, "shm, ud"}, "all", "TOMBOLO_FABRICS=tcp"},
    {{0, 0, "tcp"}, "first", "TOMBOLO_FABRICS=udp"},
    {{4, 2, "tcp"}, "all", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char what[256];
    const struct known_job* job = &rows[i].job;
    (void)snprintf(what, sizeof what, "%d of %d ranks here, fabrics %s, and '%s'", (int)job->local_ranks,
                   (int)job->ranks, job->fabrics == NULL ? "not said" : job->fabrics, rows[i].variables);
    set(rows[i].variables);
    expect_of(job, strcmp(rows[i].compilers, "first") == 0, what);
  }
}

int main(void) {
  should_decide_as_java_does();
  should_not_guess_from_what_makes_no_sense();
  should_skip_blanks();
  should_believe_the_program_first();
  return 0;
}
