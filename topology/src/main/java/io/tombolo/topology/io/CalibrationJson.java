// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.io;

import com.google.common.collect.ImmutableList;
import com.google.gson.stream.JsonWriter;
import io.tombolo.topology.Topology;
import io.tombolo.topology.calibration.Calibration;
import io.tombolo.topology.calibration.MeasuredPath;
import io.tombolo.topology.calibration.PathKind;
import io.tombolo.topology.machine.LinkCost;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** A calibration as JSON; the schema is in docs/output.md. Members it does not know are skipped. */
public final class CalibrationJson {
  private static final String FORMAT = "tombolo-calibration";
  private static final int VERSION = 1;

  private CalibrationJson() {}

  /** The document, ending with a line break. */
  public static String write(Calibration calibration) {
    StringWriter text = new StringWriter();
    try (JsonWriter json = new JsonWriter(text)) {
      json.setIndent("  ");
      json.setHtmlSafe(false);
      document(json, calibration);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a StringWriter does not fail
    }
    return text.append('\n').toString();
  }

  private static void document(JsonWriter json, Calibration calibration) throws IOException {
    json.beginObject();
    json.name("format").value(FORMAT).name("version").value(VERSION);
    json.name("key").value(calibration.key());
    json.name("host").value(calibration.host());
    json.name("subject").value(calibration.subject());
    json.name("measuredAt").value(calibration.measuredAt().toString());
    json.name("paths").beginArray();
    for (MeasuredPath path : calibration.paths()) {
      json.beginObject();
      json.name("kind").value(path.kind().text()).name("name").value(path.name());
      json.name("from").value(path.from()).name("to").value(path.to());
      json.name("network").value(path.network());
      json.name("latencyPs").value(path.cost().latencyPs());
      json.name("megabytesPerSecond").value(path.cost().megabytesPerSecond());
      json.endObject();
    }
    json.endArray();
    json.endObject();
  }

  /**
   * The calibration in {@code text}, which {@code source} names in errors.
   *
   * @throws io.tombolo.base.errors.UsageException saying what is wrong, and where
   */
  public static Calibration read(String text, String source) {
    JsonCursor root = JsonCursor.parse(text, source);
    if (!root.string("format", "").equals(FORMAT)) {
      throw root.wrong("is not a calibration: 'format' is not '" + FORMAT + "'");
    }
    int version = root.integer("version", 0);
    if (version < 1 || version > VERSION) {
      throw root.wrong("has version " + version + "; this program reads 1 to " + VERSION);
    }
    Set<String> seen = new HashSet<>();
    ImmutableList.Builder<MeasuredPath> paths = ImmutableList.builder();
    for (JsonCursor cursor : root.list("paths")) {
      MeasuredPath path = path(cursor);
      if (!seen.add(path.kind() + " " + path.from() + " " + path.to())) {
        throw cursor.wrong("is a path that was listed before");
      }
      paths.add(path);
    }
    return new Calibration(
        root.string("key"),
        root.string("host", ""),
        root.string("subject", ""),
        measuredAt(root),
        paths.build());
  }

  private static Instant measuredAt(JsonCursor root) {
    try {
      return Instant.parse(root.string("measuredAt"));
    } catch (DateTimeException e) {
      throw root.get("measuredAt").wrong("is not a time such as 2026-01-31T12:00:00Z");
    }
  }

  private static MeasuredPath path(JsonCursor path) {
    String text = path.string("kind");
    PathKind kind =
        Arrays.stream(PathKind.values())
            .filter(each -> each.text().equals(text))
            .findFirst()
            .orElseThrow(() -> path.wrong("has a kind that is not copy, vendor or fabric"));
    int from = rank(path, "from");
    int to = rank(path, "to");
    if (kind == PathKind.COPY ? from != to : from >= to) {
      throw path.wrong("leads from rank " + from + " to rank " + to);
    }
    return new MeasuredPath(
        kind,
        path.string("name"),
        from,
        to,
        path.bool("network", false),
        new LinkCost(
            path.get("latencyPs").whole(0, Long.MAX_VALUE),
            (int) path.get("megabytesPerSecond").whole(1, Integer.MAX_VALUE)));
  }

  private static int rank(JsonCursor path, String name) {
    return (int) path.get(name).whole(0, Topology.MAX_RANKS - 1L);
  }
}
