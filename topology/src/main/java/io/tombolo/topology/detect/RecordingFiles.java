// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Files that remember what was asked of them, in the form that {@link RecordedFiles} reads: so a
 * machine can be looked at elsewhere as it was looked at here. For one thread.
 */
public final class RecordingFiles implements SystemFiles {
  private final SystemFiles files;
  private final Map<String, String> lines = new TreeMap<>();

  /** Remembers what is asked of {@code files}. */
  public RecordingFiles(SystemFiles files) {
    this.files = files;
  }

  /** Everything that was there of what was asked for, a line each. */
  public String text() {
    return String.join("\n", lines.values()) + "\n";
  }

  @Override
  public Optional<String> read(String path) {
    Optional<String> content = files.read(path);
    content.ifPresent(
        text -> {
          String real = resolve(path).orElse(path);
          lines.put(real, real + ": " + text.replace("\n", "\\n"));
        });
    return content;
  }

  @Override
  public Optional<String> output(String command) {
    Optional<String> printed = files.output(command);
    printed.ifPresent(
        text -> lines.put("$ " + command, "$ " + command + ": " + text.replace("\n", "\\n")));
    return printed;
  }

  @Override
  public List<String> list(String path) {
    List<String> names = files.list(path);
    names.forEach(name -> resolve(path + "/" + name));
    return names;
  }

  @Override
  public Optional<String> resolve(String path) {
    Optional<String> real = files.resolve(path);
    real.filter(target -> !target.equals(path)).ifPresent(target -> linkAbove(path));
    return real;
  }

  @Override
  public Optional<String> readLink(String path) {
    Optional<String> target = files.readLink(path);
    target.ifPresent(text -> lines.put(path, path + " -> " + text));
    return target;
  }

  /** Any folder on the way may be the link. */
  private void linkAbove(String path) {
    for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
      String part = path.substring(0, end);
      files.readLink(part).ifPresent(text -> lines.put(part, part + " -> " + text));
    }
  }
}
