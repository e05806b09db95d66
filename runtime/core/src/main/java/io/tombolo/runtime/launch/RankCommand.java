package io.tombolo.runtime.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of a rank: the same Java, on the same class path or module path, as this
 * process.
 */
final class RankCommand {
  private static final int RESTRICTS_NATIVE_ACCESS = 24;

  private RankCommand() {}

  static List<String> of(JobSpec job) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The JVM's performance file in /tmp would outlive a rank that is killed.
    command.add("-XX:-UsePerfData");
    command.addAll(job.jvmFlags());
    Module module = job.mainClass().getModule();
    if (Runtime.version().feature() >= RESTRICTS_NATIVE_ACCESS) {
      command.add(
          "--enable-native-access=" + (module.isNamed() ? "ALL-MODULE-PATH" : "ALL-UNNAMED"));
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

  private static void addPath(List<String> command, String flag, String path) {
    if (!path.isEmpty()) {
      command.add(flag);
      command.add(path);
    }
  }
}
