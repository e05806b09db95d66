// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The command line of a rank: the same Java, on the same class path or module path, as this
 * process.
 */
final class RankCommand {
  private static final int RESTRICTS_NATIVE_ACCESS = 24;
  private static final String OUR_MODULES = "io.tombolo.";

  private RankCommand() {}

  static List<String> of(JobSpec job) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The JVM's performance file in /tmp would outlive a rank that is killed.
    command.add("-XX:-UsePerfData");
    command.addAll(job.jvmFlags());
    Module module = job.mainClass().getModule();
    if (Runtime.version().feature() >= RESTRICTS_NATIVE_ACCESS) {
      command.add("--enable-native-access=" + nativeAccess(modules(module)));
    }
    addPath(command, "--module-path", System.getProperty("jdk.module.path", ""));
    addPath(command, "--class-path", System.getProperty("java.class.path", ""));
    if (module.isNamed()) {
      command.add("--module");
      command.add(module.getName() + "/" + job.mainClass().getName());
    } else {
      command.add(job.mainClass().getName());
    }
    command.addAll(job.arguments());
    return command;
  }

  /** Java takes the names of modules here, or ALL-UNNAMED, and no word for all on the path. */
  static String nativeAccess(Collection<String> modules) {
    String ours =
        modules.stream()
            .filter(name -> name.startsWith(OUR_MODULES))
            .sorted()
            .collect(Collectors.joining(","));
    return ours.isEmpty() ? "ALL-UNNAMED" : ours;
  }

  /** The names of those beside {@code module}; of the class path's unnamed one, none. */
  private static List<String> modules(Module module) {
    return module.isNamed()
        ? module.getLayer().modules().stream().map(Module::getName).toList()
        : List.of();
  }

  private static void addPath(List<String> command, String flag, String path) {
    if (!path.isEmpty()) {
      command.add(flag);
      command.add(path);
    }
  }
}
