// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds fabrics by name or preference, and opens them. Whoever opens one closes it. */
public final class Fabrics {
  private static final Logger log = LoggerFactory.getLogger(Fabrics.class);

  private Fabrics() {}

  /** Every fabric that an artefact on the path contributes, the preferred first. */
  public static ImmutableList<FabricProvider> all() {
    return ServiceLoader.load(FabricProvider.class).stream()
        .map(ServiceLoader.Provider::get)
        .sorted(
            Comparator.comparing(FabricProvider::priority)
                .reversed()
                .thenComparing(FabricProvider::name))
        .collect(toImmutableList());
  }

  /** Their names, the preferred first. */
  public static ImmutableList<String> names() {
    return all().stream().map(FabricProvider::name).collect(toImmutableList());
  }

  /** The fabric called {@code name}; a {@link UsageException} names the choices. */
  public static FabricProvider named(String name) {
    return all().stream()
        .filter(fabric -> fabric.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new UsageException(
                    "no fabric is called '"
                        + name
                        + "'; choose among "
                        + String.join(", ", names())));
  }

  /** Has every fabric {@linkplain FabricProvider#exportDefaults export its defaults}. */
  public static void exportDefaults() {
    all().forEach(FabricProvider::exportDefaults);
  }

  /**
   * Opens the fabrics that a process uses, the preferred first. If one of them {@linkplain
   * FabricProvider#standsIn stands in}, channels {@linkplain FabricSettings#mayBeLeft may} leave
   * the others.
   *
   * @param wanted names in order of preference, separated by commas: these are opened and no
   *     others; blank for all that are not {@linkplain FabricProvider#reluctance reluctant}
   * @param settings what else each is opened with
   * @param bind where those that listen do so, port 0 for any
   * @param options what the user said, by lower-case name
   * @throws UsageException if a name is that of no fabric
   * @throws io.tombolo.base.errors.UnavailableException if one that is named cannot be opened, or
   *     if none can be; of those that nobody named, one that cannot is logged and left out
   */
  public static ImmutableList<Fabric> open(
      String wanted, FabricSettings settings, InetSocketAddress bind, Map<String, String> options) {
    ImmutableList<FabricProvider> chosen = chosen(wanted, settings.rank(), options);
    FabricSettings all = settings.leaving(chosen.stream().anyMatch(FabricProvider::standsIn));
    try (CloseStack stack = new CloseStack()) {
      ImmutableList<Fabric> opened =
          isAnyNamed(wanted)
              ? chosen.stream()
                  .map(fabric -> stack.opened(fabric.open(all, bind, options)))
                  .collect(toImmutableList())
              : openWhatWorks(chosen, stack, all, bind, options);
      stack.keep();
      return opened;
    }
  }

  /** A device that nobody asked for stops no job. */
  private static ImmutableList<Fabric> openWhatWorks(
      List<FabricProvider> chosen,
      CloseStack stack,
      FabricSettings settings,
      InetSocketAddress bind,
      Map<String, String> options) {
    ImmutableList.Builder<Fabric> opened = ImmutableList.builder();
    Optional<TomboloException> problem = Optional.empty();
    for (FabricProvider fabric : chosen) {
      try {
        opened.add(stack.opened(fabric.open(settings, bind, options)));
      } catch (UsageException e) {
        throw e;
      } catch (TomboloException e) {
        problem = Optional.of(e);
        log.warn("rank {} goes without {}: {}", settings.rank(), fabric.name(), e.getMessage());
      }
    }
    ImmutableList<Fabric> working = opened.build();
    if (working.isEmpty() && problem.isPresent()) {
      throw problem.get();
    }
    return working;
  }

  private static boolean isAnyNamed(String wanted) {
    return !wanted.replace(',', ' ').isBlank();
  }

  private static ImmutableList<FabricProvider> chosen(
      String wanted, int rank, Map<String, String> options) {
    List<String> names = Splitter.on(',').trimResults().omitEmptyStrings().splitToList(wanted);
    return names.isEmpty()
        ? all().stream()
            .filter(fabric -> isUsedUnasked(fabric, rank, options))
            .collect(toImmutableList())
        : names.stream().distinct().map(Fabrics::named).collect(toImmutableList());
  }

  private static boolean isUsedUnasked(
      FabricProvider fabric, int rank, Map<String, String> options) {
    Optional<String> reluctance = fabric.reluctance(options);
    reluctance.ifPresent(why -> log.debug("rank {} goes without {}: {}", rank, fabric.name(), why));
    return reluctance.isEmpty();
  }
}
