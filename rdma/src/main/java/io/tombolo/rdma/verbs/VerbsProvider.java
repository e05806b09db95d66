// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.collect.ImmutableSet;
import io.tombolo.base.Availability;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.rdma.Fabric;
import io.tombolo.rdma.FabricProvider;
import io.tombolo.rdma.FabricSettings;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the fabrics over RDMA devices have in common. A job that names none uses one of them. */
abstract class VerbsProvider implements FabricProvider {
  private static final Logger log = LoggerFactory.getLogger(VerbsProvider.class);

  @Override
  public final String peers() {
    return "ranks on the same RDMA fabric";
  }

  @Override
  public ImmutableSet<String> options() {
    return VerbsSettings.OPTIONS;
  }

  @Override
  public final Availability availability(Map<String, String> options) {
    VerbsSettings verbs = VerbsSettings.from(options);
    return connects()
        ? VerbsFabrics.availabilityOfConnections(name(), verbs)
        : VerbsFabrics.availability(verbs);
  }

  @Override
  public final Optional<String> reluctance(Map<String, String> options) {
    VerbsSettings verbs = VerbsSettings.from(options);
    try (NicPort nic = NicPort.open(verbs)) {
      if (nic.isEfa() && verbs.device().isEmpty()) {
        return Optional.of("no real EFA was ever tried, and nobody named " + nic);
      }
      return suits(nic) ? Optional.empty() : Optional.of("another one suits " + nic + " better");
    } catch (UsageException e) {
      throw e;
    } catch (UnavailableException e) {
      return Optional.of(e.getMessage());
    } catch (TomboloException e) { // there is a device, but it has no room, or fails
      log.warn("{} is left out: {}", name(), e.getMessage());
      return Optional.of(e.getMessage());
    }
  }

  /** Whether its queue pairs are connected. */
  abstract boolean connects();

  /** Whether this is the best way over {@code nic}. */
  abstract boolean suits(NicPort nic);

  @Override
  public final Fabric open(
      FabricSettings settings, InetSocketAddress bind, Map<String, String> options) {
    return open(settings, VerbsSettings.from(options), bind);
  }

  abstract Fabric open(FabricSettings settings, VerbsSettings verbs, InetSocketAddress bind);
}
