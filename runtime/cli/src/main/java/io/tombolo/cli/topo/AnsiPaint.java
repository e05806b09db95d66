// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.topo;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.render.Paint;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Help.Ansi.IStyle;
import picocli.CommandLine.Help.Ansi.Style;

/** A terminal's colours. */
final class AnsiPaint implements Paint {
  private static final ImmutableList<IStyle> CLUSTERS =
      ImmutableList.of(
          Style.fg_green,
          Style.fg_red,
          Style.fg_blue,
          Style.fg_yellow,
          Style.fg_magenta,
          Style.fg_cyan);

  private AnsiPaint() {}

  /** Colours if {@code ansi} has them. */
  static Paint of(Ansi ansi) {
    return ansi.enabled() ? new AnsiPaint() : Paint.NONE;
  }

  @Override
  public String cluster(int index, String text) {
    return styled(CLUSTERS.get(index % CLUSTERS.size()), text);
  }

  @Override
  public String faint(String text) {
    return styled(Style.faint, text);
  }

  @Override
  public String bold(String text) {
    return styled(Style.bold, text);
  }

  private static String styled(IStyle style, String text) {
    return style.on() + text + Style.off(style);
  }
}
