// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.faulty;

import com.google.common.base.Splitter;
import io.tombolo.base.ByteSizes;
import io.tombolo.base.errors.UsageException;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * What shall go wrong on purpose, in words: {@code
 * loss=1%,burst=8,reorder=5%:1ms,spray=4:20us,duplicate=1%,delay=50us,rate=1Gbit,queue=4MB,
 * clog=0.1%:5ms,seed=42}. Each word may be left out.
 *
 * @param plan what may go wrong with a packet
 * @param seed of everything that chance decides
 */
public record Faults(FaultPlan plan, long seed) {
  /** The option of a fabric that goes wrong on purpose where it is asked to. */
  public static final String OPTION = "faults";

  private static final long DEFAULT_QUEUE_BYTES = 4L << 20;
  private static final String GRAMMAR =
      "say loss=1%,burst=8,reorder=5%:1ms,spray=4:20us,duplicate=1%,delay=50us,rate=1Gbit,"
          + "queue=4MB,clog=0.1%:5ms,partition=0.01%:20ms,seed=42, each if wanted";

  /**
   * Those that {@code settings} say under the name {@value #OPTION}, if any.
   *
   * @throws UsageException if they say something else
   */
  public static Optional<Faults> in(Map<String, String> settings) {
    return Optional.ofNullable(settings.get(OPTION)).filter(s -> !s.isBlank()).map(Faults::parse);
  }

  /**
   * The faults that {@code text} names.
   *
   * @throws UsageException if it says something else
   */
  public static Faults parse(String text) {
    Map<String, String> words = words(text);
    long delayNs = Quantities.durationNs(words.getOrDefault("delay", "0"));
    FaultPlanBuilder plan = FaultPlan.calm(delayNs).toBuilder();
    long seed = 42;
    for (Map.Entry<String, String> word : words.entrySet()) {
      String value = word.getValue();
      switch (word.getKey()) {
        case "loss" -> plan.loss(Quantities.probability(value));
        case "burst" -> plan.burst((double) Quantities.number(value));
        case "spray" -> plan.spray((int) Quantities.number(first(value)), lasting(value, delayNs));
        case "duplicate" -> plan.replay(Quantities.probability(value));
        case "reorder" -> plan.reorder(likely(value), lasting(value, Math.max(delayNs, 200_000)));
        case "clog" -> plan.clog(likely(value), lasting(value, 1_000_000));
        case "partition" -> plan.partition(likely(value), lasting(value, 10_000_000));
        case "rate" ->
            plan.rate(
                Quantities.bytesPerSecond(value),
                words.containsKey("queue")
                    ? ByteSizes.parse(words.get("queue"))
                    : DEFAULT_QUEUE_BYTES);
        case "seed" -> seed = Quantities.number(value);
        case "delay", "queue" -> {
          // part of the plan already
        }
        default ->
            throw new UsageException("no fault is called '" + word.getKey() + "'; " + GRAMMAR);
      }
    }
    return new Faults(plan.build(), seed);
  }

  /**
   * These faults in words that {@link #parse} understands. What only the simulation knows, such as
   * clocks that run apart, has no words.
   */
  public String text() {
    StringJoiner words = new StringJoiner(",");
    words.add("delay=" + plan.oneWayDelayMeanNs() + "ns");
    words.add("loss=" + plain(plan.lossProbability()));
    if (plan.lossBurstPackets() > 1) {
      words.add("burst=" + (long) plan.lossBurstPackets());
    }
    if (plan.paths() > 1) {
      words.add("spray=" + plan.paths() + ":" + plan.pathSpreadNs() + "ns");
    }
    words.add("duplicate=" + plain(plan.replayProbability()));
    words.add("reorder=" + lasting(plan.reorderProbability(), plan.reorderDelayNs()));
    words.add("clog=" + lasting(plan.clogProbability(), plan.clogMeanNs()));
    words.add("partition=" + lasting(plan.partitionProbability(), plan.partitionMeanNs()));
    if (plan.rateBytesPerSecond() > 0) {
      words.add("rate=" + BigDecimal.valueOf(plan.rateBytesPerSecond(), 3).toPlainString() + "kB");
      words.add("queue=" + plan.queueBytes());
    }
    return words.add("seed=" + seed).toString();
  }

  private static String lasting(double probability, long timeNs) {
    return plain(probability) + ":" + timeNs + "ns";
  }

  /** Without an exponent, and exactly. */
  private static String plain(double probability) {
    return new BigDecimal(probability).toPlainString();
  }

  private static Map<String, String> words(String text) {
    Map<String, String> words = new LinkedHashMap<>();
    for (String word : Splitter.on(',').trimResults().omitEmptyStrings().split(text)) {
      List<String> parts = Splitter.on('=').trimResults().splitToList(word);
      if (parts.size() != 2 || words.put(parts.get(0), parts.get(1)) != null) {
        throw new UsageException("'" + word + "' is no fault, or a second one; " + GRAMMAR);
      }
    }
    return words;
  }

  /** {@code 5%} of {@code 5%:1ms}. */
  private static double likely(String value) {
    return Quantities.probability(first(value));
  }

  private static String first(String value) {
    return Splitter.on(':').limit(2).splitToList(value).get(0);
  }

  private static long lasting(String value, long otherwiseNs) {
    List<String> parts = Splitter.on(':').limit(2).splitToList(value);
    return parts.size() < 2 ? otherwiseNs : Quantities.durationNs(parts.get(1));
  }
}
