package io.tombolo.runtime;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.JobEnvironment.StoreKind;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** Makes a {@link JobEnvironment} of environment variables, and names the one that is wrong. */
final class EnvironmentReader {
  static final String PREFIX = "TOMBOLO_";

  private static final ImmutableSet<String> OWN =
      ImmutableSet.of("TOMBOLO_STORE", "TOMBOLO_TOKEN", "TOMBOLO_VENDOR", "TOMBOLO_TIMEOUT_MS");

  /** Set by torchrun (torch.distributed.elastic) for every process it starts. */
  private static final String TORCHRUN = "TORCHELASTIC_RUN_ID";

  private final Map<String, String> environment;

  EnvironmentReader(Map<String, String> environment) {
    this.environment = environment;
  }

  JobEnvironment read() {
    int size = number("WORLD_SIZE", 1, Integer.MAX_VALUE);
    int rank = number("RANK", 0, Integer.MAX_VALUE);
    int localRank = number("LOCAL_RANK", 0, Integer.MAX_VALUE);
    if (environment.containsKey("LOCAL_WORLD_SIZE")) {
      int localSize = number("LOCAL_WORLD_SIZE", 1, size);
      checkBelow("LOCAL_RANK", localRank, "LOCAL_WORLD_SIZE", localSize);
    }
    return new JobEnvironment(
        rank,
        size,
        localRank,
        text("MASTER_ADDR"),
        number("MASTER_PORT", 1, 65_535),
        storeKind(),
        token(),
        text("TOMBOLO_VENDOR"),
        timeout(),
        settings());
  }

  static void checkBelow(String name, int value, String limitName, int limit) {
    if (value < 0 || value >= limit) {
      throw new UsageException(
          "%s is %d and %s is %d: it must be from 0 to %d"
              .formatted(name, value, limitName, limit, limit - 1));
    }
  }

  private StoreKind storeKind() {
    String fallback = environment.containsKey(TORCHRUN) ? "torch" : "tombolo";
    String kind = environment.getOrDefault("TOMBOLO_STORE", fallback);
    return switch (kind) {
      case "tombolo" -> StoreKind.TOMBOLO;
      case "torch" -> StoreKind.TORCH;
      default -> throw wrong("TOMBOLO_STORE", kind, "'tombolo' or 'torch'");
    };
  }

  private JobToken token() {
    String hex = environment.getOrDefault("TOMBOLO_TOKEN", "");
    if (hex.isEmpty()) {
      throw new UsageException(
          environment.containsKey(TORCHRUN)
              ? "TOMBOLO_TOKEN is not set: torchrun makes no job token. Before torchrun, set the same"
                  + " one on every host, made once with: openssl rand -hex 32"
              : "TOMBOLO_TOKEN is not set: start this process with the tombolo launcher, or set one for"
                  + " all ranks, made once with: openssl rand -hex 32");
    }
    try {
      return JobToken.parse(hex);
    } catch (UsageException e) {
      throw new UsageException("TOMBOLO_TOKEN: " + e.getMessage(), e);
    }
  }

  private Duration timeout() {
    return environment.containsKey("TOMBOLO_TIMEOUT_MS")
        ? Duration.ofMillis(number("TOMBOLO_TIMEOUT_MS", 1, Integer.MAX_VALUE))
        : JobEnvironment.DEFAULT_TIMEOUT;
  }

  private ImmutableSortedMap<String, String> settings() {
    ImmutableSortedMap.Builder<String, String> settings = ImmutableSortedMap.naturalOrder();
    environment.forEach(
        (variable, value) -> {
          if (variable.startsWith(PREFIX) && !OWN.contains(variable)) {
            settings.put(variable.substring(PREFIX.length()).toLowerCase(Locale.ROOT), value);
          }
        });
    return settings.buildOrThrow();
  }

  private int number(String name, int least, int most) {
    String text = text(name);
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw wrong(name, text, "a number");
    }
    throw wrong(name, text, "a number from " + least + " to " + most);
  }

  private String text(String name) {
    String text = environment.getOrDefault(name, "");
    if (text.isBlank()) {
      throw new UsageException(
          name
              + " is not set: start this process with the tombolo launcher or torchrun, or set "
              + name
              + " as they do");
    }
    return text;
  }

  private static UsageException wrong(String name, String value, String wanted) {
    return new UsageException(name + " is '" + value + "'; it must be " + wanted);
  }
}
