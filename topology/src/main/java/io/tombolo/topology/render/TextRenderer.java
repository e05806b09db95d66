// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.Cluster;
import io.tombolo.topology.Lane;
import io.tombolo.topology.Relay;
import io.tombolo.topology.Survey;
import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.LinkClass;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * For a terminal: a matrix of ranks, one of each kind of machine, the clusters with their reasons,
 * and a legend. Jobs too large for a matrix get the rest.
 */
final class TextRenderer {
  private static final int MAX_MATRIX = 64;
  private static final int MAX_LANES = 16;

  private final Survey survey;
  private final Topology topology;
  private final Paint paint;
  private final StringBuilder out = new StringBuilder();

  private TextRenderer(Survey survey, Paint paint) {
    this.survey = survey;
    this.topology = survey.topology();
    this.paint = paint;
  }

  /** {@code survey} with colours by {@code paint}. */
  static String render(Survey survey, Paint paint) {
    TextRenderer renderer = new TextRenderer(survey, paint);
    renderer.out.append(paint.bold(summary(survey))).append('\n');
    if (renderer.isSmall()) {
      RankMatrix.append(survey, paint, renderer.out);
    }
    MachineMatrix.appendAll(survey.topology(), paint, renderer.out);
    renderer.clusters();
    renderer.lanes();
    renderer.legend();
    return renderer.out.toString();
  }

  /** One line that says how much there is. */
  static String summary(Survey survey) {
    int relays =
        survey.clustering().clusters().stream()
            .mapToInt(cluster -> survey.relays(cluster).size())
            .sum();
    return String.join(
        ", ",
        Words.count(survey.topology().size(), "rank")
            + " on "
            + Words.count(survey.topology().hosts().size(), "host"),
        Words.count(survey.clustering().clusters().size(), "cluster"),
        Words.count(relays, "relay"),
        Words.count(survey.lanes().size(), "lane"));
  }

  private boolean isSmall() {
    return topology.size() > 0 && topology.size() <= MAX_MATRIX;
  }

  private void title(String title) {
    out.append('\n').append(paint.bold(title)).append('\n');
  }

  private void clusters() {
    if (topology.size() == 0) {
      return;
    }
    title("Clusters");
    for (Cluster cluster : survey.clustering().clusters()) {
      out.append("  ").append(paint.cluster(cluster.index(), describe(cluster))).append('\n');
      if (isSmall()) {
        members(cluster);
      }
    }
  }

  private String describe(Cluster cluster) {
    List<Relay> relays = survey.relays(cluster);
    long total = relays.stream().mapToLong(Relay::megabytesPerSecond).sum();
    return String.format(
        Locale.ROOT,
        "cluster %s: %s, %s (%s), %s with %s together",
        cluster.index(),
        survey.clustering().kind(cluster),
        Words.count(cluster.size(), "rank"),
        Words.ranges(cluster.ranks()),
        Words.count(relays.size(), "relay"),
        Words.gigabytes(total));
  }

  private void members(Cluster cluster) {
    Columns columns = new Columns("    ");
    for (int rank : cluster.ranks()) {
      columns
          .row()
          .cell(survey.relaysOf(rank).isEmpty() ? " " : "*")
          .cell("r" + rank)
          .cell(topology.host(rank).name())
          .cell(topology.accelerator(rank).id())
          .cell(survey.relaysOf(rank).stream().map(this::voice).collect(Collectors.joining(", ")))
          .cell(survey.clustering().reason(rank), paint::faint);
    }
    columns.appendTo(out);
  }

  private String voice(Relay relay) {
    String speed = Words.gigabytes(relay.megabytesPerSecond());
    return relay.nic().isEmpty()
        ? "through host memory"
        : "through " + relay.nic() + " (" + relay.distance().symbol() + ", " + speed + ")";
  }

  private void lanes() {
    if (survey.clustering().clusters().size() < 2) {
      return;
    }
    long aligned = survey.lanes().stream().filter(Lane::isRailAligned).count();
    title("Lanes (" + aligned + " of " + survey.lanes().size() + " on one rail)");
    if (!isSmall()) {
      return;
    }
    Columns columns = new Columns("  ");
    survey.lanes().stream().limit(MAX_LANES).forEach(lane -> lane(columns, lane));
    columns.appendTo(out);
    if (survey.lanes().size() > MAX_LANES) {
      out.append("  … and ").append(survey.lanes().size() - MAX_LANES).append(" more\n");
    }
  }

  private void lane(Columns columns, Lane lane) {
    double percent = 100.0 * (lane.to() - lane.from()) / Lane.WHOLE;
    columns.row().cell(String.format(Locale.ROOT, "%6.2f %%", percent));
    for (int cluster = 0; cluster < lane.relays().size(); cluster++) {
      Relay relay = lane.relays().get(cluster);
      int index = cluster;
      columns.cell("r" + relay.rank() + " " + relay.nic(), text -> paint.cluster(index, text));
    }
    columns.cell(lane.isRailAligned() ? "rail " + lane.relays().get(0).rail() : "between rails");
  }

  private void legend() {
    title("Legend");
    Columns columns = new Columns("  ");
    for (LinkClass each : LinkClass.values()) {
      columns.row().cell(each.symbol()).cell(each.meaning(), paint::faint);
    }
    columns.row().cell("*").cell("a relay: speaks for its cluster", paint::faint);
    columns.appendTo(out);
  }
}
