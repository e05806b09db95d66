// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import io.tombolo.base.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * What posting and polling cost through JNI: the same work as post_poll.c does in C, see
 * bench/verbs/run. Its arguments are the size of a write, how many of them, and {@code flushed} or
 * {@code connected}. Prints, for each size of a batch: the batch, and in ns for one request the
 * median post, the median poll, and the time that a write takes from its post to its completion.
 *
 * <p>Writes are timed on a connected pair. Posts and polls are so too, or on a pair in the error
 * state, where requests complete at once, as flushed: nothing is sent, and no thread of the
 * emulated NIC has a part in it. Soft-RoCE flushes but one request for each call that posts some.
 */
public final class PostPollBench {
  private static final int MOST = 32;
  private static final int[] BATCHES = {1, 8, MOST};
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final TwoEnds ends;
  private final SendRequests requests;
  private final WorkCompletions done;
  private final int sizeBytes;
  private final int flags;
  private final int count;
  private final Samples posts;
  private final Samples polls;

  private PostPollBench(
      TwoEnds ends, SendRequests requests, WorkCompletions done, int sizeBytes, int count) {
    this.ends = ends;
    this.requests = requests;
    this.done = done;
    this.sizeBytes = sizeBytes;
    this.count = count;
    posts = new Samples(count + MOST);
    polls = new Samples(count + MOST);
    int inline = sizeBytes <= ends.left.pair.inlineBytes() ? SendRequests.INLINE : 0;
    flags = SendRequests.SIGNALLED | inline;
  }

  public static void main(String[] arguments) {
    try (TwoEnds ends = new TwoEnds(PairType.RC, false);
        SendRequests requests = new SendRequests(MOST);
        WorkCompletions done = new WorkCompletions(MOST)) {
      PostPollBench bench =
          new PostPollBench(
              ends, requests, done, Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
      if (arguments[2].equals("connected")) {
        bench.connected();
      } else {
        bench.flushed();
      }
    }
  }

  private void connected() {
    for (int batch : BATCHES) {
      double writeNs = measure(batch, WorkCompletions.SUCCESS);
      System.out.println(line(batch, writeNs));
    }
  }

  private void flushed() {
    double[] writesNs =
        Arrays.stream(BATCHES).mapToDouble(b -> measure(b, WorkCompletions.SUCCESS)).toArray();
    ends.left.pair.abort();
    for (int i = 0; i < BATCHES.length; i++) {
      measure(BATCHES[i], WorkCompletions.FLUSHED);
      System.out.println(line(BATCHES[i], writesNs[i]));
    }
  }

  private String line(int batch, double writeNs) {
    return String.format(
        Locale.ROOT, "%d %.1f %.1f %.1f", batch, posts.median(), polls.median(), writeNs);
  }

  /** Posts and polls; ns for one request, all in all. */
  private double measure(int batch, int expected) {
    Deadline deadline = Deadline.after(LIMIT);
    repeat(batch, expected, deadline);
    long begin = System.nanoTime();
    repeat(batch, expected, deadline);
    return (double) (System.nanoTime() - begin) / count;
  }

  private void repeat(int batch, int expected, Deadline deadline) {
    posts.clear();
    polls.clear();
    for (int i = 0; i < count; i += batch) {
      post(batch);
      pollAll(batch, expected, deadline);
    }
  }

  private void post(int batch) {
    long from = ends.left.memory.address();
    int localKey = ends.left.region.localKey();
    long to = ends.right.region.remoteAddress();
    int remoteKey = ends.rightKey();
    long before = System.nanoTime();
    for (int i = 0; i < batch; i++) {
      requests.add(SendRequests.WRITE, i, from, sizeBytes, localKey).to(to, remoteKey).with(flags);
    }
    ends.left.pair.post(requests);
    posts.add((double) (System.nanoTime() - before) / batch);
  }

  private void pollAll(int batch, int expected, Deadline deadline) {
    for (int left = batch; left > 0; ) {
      long before = System.nanoTime();
      int found = ends.left.poll(done);
      long after = System.nanoTime();
      for (int i = 0; i < found; i++) {
        if (done.status(i) != expected) {
          throw new AssertionError("request " + done.id(i) + " ended with " + done.status(i));
        }
      }
      if (found > 0) {
        polls.add((double) (after - before) / found);
      } else if (deadline.isExpired()) {
        throw new AssertionError(left + " requests have not completed within " + deadline);
      }
      left -= found;
    }
  }

  /** Times of calls, each divided by what it did. */
  private static final class Samples {
    private final double[] ns;
    private int count;

    Samples(int most) {
      ns = new double[most];
    }

    void clear() {
      count = 0;
    }

    void add(double sample) {
      ns[count++] = sample;
    }

    double median() {
      Arrays.sort(ns, 0, count);
      return ns[count / 2];
    }
  }
}
