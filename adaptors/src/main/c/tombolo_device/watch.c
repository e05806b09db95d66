// SPDX-License-Identifier: Apache-2.0
#include "watch.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { EAGER_ROUNDS = 1000, REST_NS = 20000, WATCHES_A_STREAM = 2 }; /* a wait and a write */

typedef enum duty { WRITES, HOLDS, PASSES } duty;

/* A word to look after. Gate and events outlive their use: they are taken again for the same device. */
typedef struct watch {
  duty duty;
  device on;
  void* stream;
  _Atomic uint64_t* word;
  uint64_t value;
  bool has_gate;
  gate at;
  void* before; /* recorded before the gate, where the word is to be written; NULL if it never was */
  void* behind; /* recorded behind the gate */
  struct watch* next;
} watch;

/* How many watches there are for the streams of a device. */
typedef struct stock {
  device on;
  int streams;
  int watches;
  struct stock* next;
} stock;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static stock* stocks;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER;
static watch* pending;
static watch** last = &pending;
static watch* idle;
static bool running;

static bool is_success(const watch* of, int code) { return code == of->on.driver->constant[SUCCESS]; }

/* As CUDA's waits do, so that counters may wrap. */
static bool is_reached(const watch* of) {
  return (int64_t)(atomic_load_explicit(of->word, memory_order_acquire) - of->value) >= 0;
}

static bool is_of(const device* one, const device* other) {
  return one->driver == other->driver && one->ordinal == other->ordinal;
}

/* NULL without memory. */
static stock* stock_of(const device* on) {
  stock* found = stocks;
  while (found != NULL && !is_of(&found->on, on)) {
    found = found->next;
  }
  if (found == NULL && (found = calloc(1, sizeof *found)) != NULL) {
    found->on = *on;
    found->next = stocks;
    stocks = found;
  }
  return found;
}

static watch* make(const device* on) {
  stock* in = stock_of(on);
  watch* made = in == NULL ? NULL : calloc(1, sizeof *made);
  if (made != NULL) {
    made->on = *on;
    in->watches++;
  }
  return made;
}

static void discard(watch* gone) {
  stock_of(&gone->on)->watches--;
  free(gone);
}

static void give_back(watch* done) {
  done->next = idle;
  idle = done;
}

static int make_current(const watch* of) { return of->on.driver->calls.set_current(&of->on); }

typedef enum outcome { NOT_YET, STEPPED, ENDED, BROKEN } outcome;

static outcome let_pass(watch* of) {
  const driver* by = of->on.driver;
  of->duty = PASSES;
  return is_success(of, make_current(of)) && is_success(of, by->calls.open_gate(by, &of->at)) ? STEPPED : BROKEN;
}

/* Whether the stream has got to `event`, which then leads to `next`. */
static outcome when_done(watch* of, void* event, outcome next) {
  const driver* by = of->on.driver;
  int code = make_current(of);
  code = is_success(of, code) ? by->calls.query(by, EVENT_QUERY, event) : code;
  return code == by->constant[NOT_READY] ? NOT_YET : is_success(of, code) ? next : BROKEN;
}

static outcome look_after(watch* of) {
  outcome found = NOT_YET;
  switch (of->duty) {
    case HOLDS: return is_reached(of) ? let_pass(of) : NOT_YET;
    case WRITES:
      found = when_done(of, of->before, STEPPED);
      if (found == STEPPED) {
        atomic_store_explicit(of->word, of->value, memory_order_release);
        found = let_pass(of);
      }
      return found;
    default: return when_done(of, of->behind, ENDED);
  }
}

static void take_out(watch** link) {
  watch* gone = *link;
  *link = gone->next;
  if (gone->next == NULL) {
    last = link;
  }
}

/* One look at every word. What a vendor fails at is left alone: whoever asks the stream, which has failed, is told. */
static bool look_round(void) {
  bool any = false;
  for (watch** link = &pending; *link != NULL;) {
    watch* at = *link;
    outcome found = look_after(at);
    any = any || found != NOT_YET;
    if (found == ENDED || found == BROKEN) {
      take_out(link);
    } else {
      link = &at->next;
    }
    if (found == ENDED) {
      give_back(at);
    } else if (found == BROKEN) {
      discard(at);
    }
  }
  return any;
}

static void rest(unsigned* rounds) {
  if (++*rounds < EAGER_ROUNDS) {
    (void)sched_yield();
  } else {
    (void)nanosleep(&(struct timespec){0, REST_NS}, NULL);
  }
}

static void* run(void* unused) {
  (void)unused;
  unsigned rounds = 0;
  while (true) {
    (void)pthread_mutex_lock(&lock);
    while (pending == NULL) {
      rounds = 0;
      (void)pthread_cond_wait(&wanted, &lock);
    }
    bool any = look_round();
    (void)pthread_mutex_unlock(&lock);
    rounds = any ? 0 : rounds;
    rest(&rounds);
  }
  return NULL;
}

static bool is_started(void) {
  pthread_t thread;
  if (!running && pthread_create(&thread, NULL, run, NULL) == 0) {
    (void)pthread_detach(thread);
    running = true;
  }
  return running;
}

/* An idle watch of the same device, or a new one; NULL without memory, or without a thread to look after it. */
static watch* take(const device* on) {
  (void)pthread_mutex_lock(&lock);
  watch** link = &idle;
  while (*link != NULL && !is_of(&(*link)->on, on)) {
    link = &(*link)->next;
  }
  watch* taken = is_started() ? *link : NULL;
  if (taken != NULL) {
    *link = taken->next;
  } else if (running) {
    taken = make(on);
  }
  (void)pthread_mutex_unlock(&lock);
  if (taken != NULL) {
    taken->next = NULL;
  }
  return taken;
}

static void look_after_it(watch* made) {
  (void)pthread_mutex_lock(&lock);
  *last = made;
  last = &made->next;
  (void)pthread_cond_signal(&wanted);
  (void)pthread_mutex_unlock(&lock);
}

/* Nobody will look after it. If its gate is on a stream, which may not have come there yet, nobody will use it again. */
static void drop(watch* unused) {
  (void)pthread_mutex_lock(&lock);
  if (unused->duty == PASSES) {
    discard(unused);
  } else {
    give_back(unused);
  }
  (void)pthread_mutex_unlock(&lock);
}

static int equip_before(watch* made) {
  const driver* by = made->on.driver;
  return made->before == NULL ? by->calls.new_event(by, &made->before) : (int)by->constant[SUCCESS];
}

static int record_before(watch* made) {
  const driver* by = made->on.driver;
  int code = equip_before(made);
  return is_success(made, code) ? by->calls.record(by, made->before, made->stream) : code;
}

static int equip(watch* made) {
  const driver* by = made->on.driver;
  int code = made->behind == NULL ? by->calls.new_event(by, &made->behind) : (int)by->constant[SUCCESS];
  if (is_success(made, code) && !made->has_gate) {
    code = by->calls.new_gate(by, &made->at);
    made->has_gate = is_success(made, code);
  }
  return code;
}

static int queue(watch* made) {
  const driver* by = made->on.driver;
  int code = equip(made);
  code = is_success(made, code) && made->duty == WRITES ? record_before(made) : code;
  code = is_success(made, code) ? by->calls.wait_gate(by, made->stream, &made->at) : code;
  if (!is_success(made, code)) {
    return code;
  }
  code = by->calls.record(by, made->behind, made->stream);
  if (!is_success(made, code)) {
    (void)by->calls.open_gate(by, &made->at); /* the record's failure is the one to report */
    made->duty = PASSES;
  }
  return code;
}

static int watched(duty duty, const device* on, void* stream, uint64_t word, uint64_t value) {
  watch* made = take(on);
  if (made == NULL) {
    return (int)on->driver->constant[OUT_OF_MEMORY];
  }
  made->duty = duty;
  made->stream = stream;
  made->word = (_Atomic uint64_t*)(uintptr_t)word;
  made->value = value;
  int code = queue(made);
  if (is_success(made, code)) {
    look_after_it(made);
  } else {
    drop(made);
  }
  return code;
}

int watched_wait(const device* on, void* stream, uint64_t word, uint64_t value) {
  return watched(HOLDS, on, stream, word, value);
}

int watched_write(const device* on, void* stream, uint64_t word, uint64_t value) {
  return watched(WRITES, on, stream, word, value);
}

/* A wait whose word has its value already goes on; any other keeps its gate and events, which nobody will use again. */
void watch_forget(uint64_t address, uint64_t size) {
  (void)pthread_mutex_lock(&lock);
  for (watch** link = &pending; *link != NULL;) {
    watch* at = *link;
    uint64_t word = (uint64_t)(uintptr_t)at->word;
    bool concerned = at->duty != PASSES && word >= address && word - address < size;
    if (!concerned || (at->duty == HOLDS && is_reached(at) && let_pass(at) == STEPPED)) {
      link = &at->next;
    } else {
      take_out(link);
      discard(at);
    }
  }
  (void)pthread_mutex_unlock(&lock);
}

int watch_try(const device* on) {
  watch* spare = take(on);
  if (spare == NULL) {
    return (int)on->driver->constant[OUT_OF_MEMORY];
  }
  int code = equip(spare);
  code = is_success(spare, code) ? on->driver->calls.open_gate(on->driver, &spare->at) : code;
  spare->duty = HOLDS; /* at no stream */
  drop(spare);
  return code;
}

static watch* missing(const device* on) {
  (void)pthread_mutex_lock(&lock);
  stock* of = stock_of(on);
  watch* made = of == NULL || of->watches >= WATCHES_A_STREAM * of->streams ? NULL : make(on);
  (void)pthread_mutex_unlock(&lock);
  return made;
}

int watch_reserve(const device* on) {
  int code = (int)on->driver->constant[SUCCESS];
  (void)pthread_mutex_lock(&lock);
  stock* of = stock_of(on);
  if (of != NULL) {
    of->streams++;
  }
  (void)pthread_mutex_unlock(&lock);
  watch* made = NULL;
  while (code == on->driver->constant[SUCCESS] && (made = missing(on)) != NULL) {
    code = equip(made);
    code = is_success(made, code) ? equip_before(made) : code;
    drop(made);
  }
  return of == NULL ? (int)on->driver->constant[OUT_OF_MEMORY] : code;
}

void watch_release(const device* on) {
  (void)pthread_mutex_lock(&lock);
  stock* of = stock_of(on);
  if (of != NULL) {
    of->streams--;
  }
  (void)pthread_mutex_unlock(&lock);
}
