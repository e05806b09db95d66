// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.detect;

import com.google.common.collect.Lists;
import com.google.common.collect.TreeMultimap;
import io.tombolo.base.errors.UsageException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A system as one text, so that a machine can be kept and looked at elsewhere:
 *
 * <pre>
 * # anything
 * /sys/devices/pci0000:00/0000:00:01.0/class: 0x060400
 * /sys/bus/pci/devices/0000:00:01.0 -> ../../../devices/pci0000:00/0000:00:01.0
 * </pre>
 *
 * <p>A line break in a file is written {@code \n}. What a program printed is {@code $ nvidia-smi
 * topo -m: content}.
 */
public final class RecordedFiles implements SystemFiles {
  private static final String CONTENT = ": ";
  private static final String LINK = " -> ";
  private static final String PROGRAM = "$ ";
  private static final int MAX_LINKS = 40;

  /** Linux's PATH_MAX. */
  private static final int MAX_PATH = 4096;

  private final Map<String, String> files = new HashMap<>();
  private final Map<String, String> links = new HashMap<>();
  private final TreeMultimap<String, String> folders = TreeMultimap.create();

  private RecordedFiles() {}

  /** The system that {@code text} records; {@code source} names it in errors. */
  public static RecordedFiles parse(String text, String source) {
    RecordedFiles recorded = new RecordedFiles();
    List<String> lines = text.lines().toList();
    for (int number = 0; number < lines.size(); number++) {
      String line = lines.get(number);
      if (!line.isBlank() && !line.startsWith("#")) {
        recorded.add(line, source + " line " + (number + 1));
      }
    }
    return recorded;
  }

  private void add(String line, String place) {
    int link = line.indexOf(LINK);
    int content = line.indexOf(CONTENT);
    if (line.startsWith(PROGRAM) && content > 0) {
      files.put(line.substring(0, content), text(line, content));
      return;
    }
    if (!line.startsWith("/") || (link < 0 && content < 0)) {
      throw new UsageException(place + " is neither '/path: content' nor '/path -> target'");
    }
    boolean isLink = link >= 0 && (content < 0 || link < content);
    String path = line.substring(0, isLink ? link : content);
    if (path.length() > MAX_PATH) {
      throw new UsageException(place + " has a path of more than " + MAX_PATH + " letters");
    }
    if (isLink) {
      links.put(path, line.substring(link + LINK.length()).strip());
    } else {
      files.put(path, text(line, content));
    }
    for (int slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      int end = path.indexOf('/', slash + 1);
      folders.put(
          path.substring(0, slash), path.substring(slash + 1, end < 0 ? path.length() : end));
    }
  }

  private static String text(String line, int content) {
    return line.substring(content + CONTENT.length()).replace("\\n", "\n").strip();
  }

  @Override
  public Optional<String> output(String command) {
    return Optional.ofNullable(files.get(PROGRAM + command));
  }

  @Override
  public Optional<String> read(String path) {
    return resolve(path).map(files::get);
  }

  @Override
  public List<String> list(String path) {
    return resolve(path).map(real -> List.copyOf(folders.get(real))).orElse(List.of());
  }

  @Override
  public Optional<String> resolve(String path) {
    Deque<String> left = new ArrayDeque<>(parts(path));
    List<String> done = new ArrayList<>();
    int followed = 0;
    while (!left.isEmpty()) {
      String part = left.pop();
      if (!part.equals("..")) {
        done.add(part);
      } else if (!done.isEmpty()) {
        done.remove(done.size() - 1);
      }
      String target = links.get("/" + String.join("/", done));
      if (target != null && ++followed > MAX_LINKS) {
        return Optional.empty();
      }
      if (target != null) {
        done.subList(target.startsWith("/") ? 0 : done.size() - 1, done.size()).clear();
        Lists.reverse(parts(target)).forEach(left::push);
      }
    }
    String real = "/" + String.join("/", done);
    return files.containsKey(real) || folders.containsKey(real)
        ? Optional.of(real)
        : Optional.empty();
  }

  @Override
  public Optional<String> readLink(String path) {
    return Optional.ofNullable(links.get(path));
  }

  private static List<String> parts(String path) {
    return List.of(path.split("/")).stream().filter(part -> !part.isEmpty()).toList();
  }
}
