// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.testng.annotations.Test;

/**
 * Holds the direction of dependencies: adaptors and rdma never see each other, nothing sees the
 * commands.
 */
public class ModuleDependencyTest {
  private static final String PREFIX = "io.tombolo.";

  /** Where each module lies, by its name without {@link #PREFIX}. */
  static final ImmutableMap<String, String> FOLDERS =
      ImmutableMap.<String, String>builder()
          .put("base", "runtime/base")
          .put("topology", "topology")
          .put("adaptors", "adaptors")
          .put("emulated", "adaptors/emulated")
          .put("emulated.hca", "rdma/emulated")
          .put("rdma", "rdma")
          .put("rdma.lab", "rdma/lab")
          .put("runtime", "runtime/core")
          .put("capi", "runtime/capi")
          .put("tensors", "runtime/tensors")
          .put("store", "runtime/store")
          .put("cli", "runtime/cli")
          .put("bench", "bench")
          .buildOrThrow();

  private static final ImmutableMap<String, Set<String>> MAY_REQUIRE =
      ImmutableMap.<String, Set<String>>builder()
          .put("base", ImmutableSet.of())
          .put("topology", ImmutableSet.of("base"))
          .put("adaptors", ImmutableSet.of("base", "topology"))
          .put("emulated", ImmutableSet.of("base", "topology", "adaptors"))
          .put("emulated.hca", ImmutableSet.of("base"))
          .put("rdma", ImmutableSet.of("base", "topology"))
          .put("rdma.lab", ImmutableSet.of("base", "rdma"))
          .put("runtime", ImmutableSet.of("base", "topology", "adaptors", "rdma"))
          .put(
              "capi",
              ImmutableSet.of(
                  "base", "topology", "adaptors", "rdma", "runtime", "tensors", "store"))
          .put("tensors", ImmutableSet.of("base"))
          .put("store", ImmutableSet.of("base", "tensors"))
          .put(
              "cli",
              ImmutableSet.of(
                  "base", "topology", "adaptors", "rdma", "runtime", "tensors", "store"))
          .put(
              "bench",
              ImmutableSet.of("base", "topology", "adaptors", "rdma", "rdma.lab", "runtime"))
          .buildOrThrow();

  @Test
  public void shouldKeepTheDirectionOfDependencies() throws IOException {
    for (Map.Entry<String, String> module : FOLDERS.entrySet()) {
      Set<String> required = required(module.getKey(), module.getValue());
      Set<String> forbidden = Sets.difference(required, MAY_REQUIRE.get(module.getKey()));
      assertTrue(forbidden.isEmpty(), module.getKey() + " must not require " + forbidden);
    }
  }

  private static Set<String> required(String name, String folder) throws IOException {
    Path descriptor = classes(folder).resolve("module-info.class");
    try (InputStream in = Files.newInputStream(descriptor)) {
      ModuleDescriptor module = ModuleDescriptor.read(in);
      assertEquals(module.name(), PREFIX + name);
      return module.requires().stream()
          .map(ModuleDescriptor.Requires::name)
          .filter(required -> required.startsWith(PREFIX))
          .map(required -> required.substring(PREFIX.length()))
          .collect(Collectors.toSet());
    }
  }

  /**
   * The compiled classes of the module in {@code folder}. They lie where this build has put those
   * of the command line: a quick build has a folder of its own.
   */
  static Path classes(String folder) {
    Path root = Path.of(System.getProperty("tombolo.root"));
    return root.resolve(folder).resolve(inModule(root.resolve(FOLDERS.get("cli"))));
  }

  private static Path inModule(Path module) {
    try {
      URI built = Main.class.getProtectionDomain().getCodeSource().getLocation().toURI();
      return module.toRealPath().relativize(Path.of(built).toRealPath());
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException("nobody knows where the command line was built", e);
    }
  }
}
