package io.tombolo.rdma.verbs;

import io.tombolo.base.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * What posting and polling cost through JNI over the emulated HCA: the same work as post_poll.c
 * does in C, see bench/verbs/run. Prints, for each size of a batch: the batch, and in ns for one
 * request the median post, the median poll, and the time that a write takes from its post to its
 * completion.
 *
 * <p>Posts and polls are timed on a pair in the error state, where requests complete at once, as
 * flushed: no thread of the emulated NIC has a part in it. Writes are timed on a connected one.
 */
public final class PostPollBench {
  private static final int REQUESTS = 20_000;
  private static final int WARM_UP = REQUESTS;
  private static final int MOST = 32;
  private static final int[] BATCHES = {1, 8, MOST};
  private static final int SIZE_BYTES = 64;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final TwoEnds ends;
  private final SendRequests requests;
  private final WorkCompletions done;
  private final Samples posts = new Samples();
  private final Samples polls = new Samples();

  private PostPollBench(TwoEnds ends, SendRequests requests, WorkCompletions done) {
    this.ends = ends;
    this.requests = requests;
    this.done = done;
  }

  public static void main(String[] arguments) {
    try (TwoEnds ends = new TwoEnds(PairType.RC, false);
        SendRequests requests = new SendRequests(MOST);
        WorkCompletions done = new WorkCompletions(MOST)) {
      PostPollBench bench = new PostPollBench(ends, requests, done);
      double[] writesNs =
          Arrays.stream(BATCHES)
              .mapToDouble(b -> bench.measure(b, WorkCompletions.SUCCESS))
              .toArray();
      ends.left.pair.abort();
      for (int i = 0; i < BATCHES.length; i++) {
        bench.measure(BATCHES[i], WorkCompletions.FLUSHED);
        System.out.println(bench.line(BATCHES[i], writesNs[i]));
      }
    }
  }

  private String line(int batch, double writeNs) {
    return String.format(
        Locale.ROOT, "%d %.1f %.1f %.1f", batch, posts.median(), polls.median(), writeNs);
  }

  /** Posts and polls; ns for one request, all in all. */
  private double measure(int batch, int expected) {
    Deadline deadline = Deadline.after(LIMIT);
    repeat(WARM_UP, batch, expected, deadline);
    long begin = System.nanoTime();
    repeat(REQUESTS, batch, expected, deadline);
    return (double) (System.nanoTime() - begin) / REQUESTS;
  }

  private void repeat(int count, int batch, int expected, Deadline deadline) {
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
      requests
          .add(SendRequests.WRITE, i, from, SIZE_BYTES, localKey)
          .to(to, remoteKey)
          .with(SendRequests.SIGNALLED | SendRequests.INLINE);
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
    private final double[] ns = new double[REQUESTS + MOST];
    private int count;

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
