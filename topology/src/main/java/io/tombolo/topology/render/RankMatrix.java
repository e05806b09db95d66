// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.render;

import io.tombolo.topology.Survey;
import io.tombolo.topology.Topology;
import io.tombolo.topology.machine.Accelerator;
import io.tombolo.topology.machine.Nic;
import java.util.List;

/** Every rank against every rank, across vendors and hosts, and where each one sits. */
final class RankMatrix {
  private final Survey survey;
  private final Topology topology;
  private final Paint paint;
  private final Columns columns = new Columns("  ", " ");

  private RankMatrix(Survey survey, Paint paint) {
    this.survey = survey;
    this.topology = survey.topology();
    this.paint = paint;
  }

  static void append(Survey survey, Paint paint, StringBuilder out) {
    out.append('\n').append(paint.bold("Ranks")).append('\n');
    RankMatrix matrix = new RankMatrix(survey, paint);
    matrix.titles();
    for (int rank = 0; rank < survey.topology().size(); rank++) {
      matrix.row(rank);
    }
    matrix.columns.appendTo(out);
  }

  private void titles() {
    columns.row().cell(" ").cell(" ");
    for (int rank = 0; rank < topology.size(); rank++) {
      name(rank);
    }
    List.of("vendor", "host", "NIC", "NUMA", "CPUs")
        .forEach(title -> columns.cell(title, paint::faint));
  }

  private void row(int rank) {
    columns.row().cell(survey.relaysOf(rank).isEmpty() ? " " : "*");
    name(rank);
    for (int other = 0; other < topology.size(); other++) {
      boolean sameHost = topology.seat(rank).host() == topology.seat(other).host();
      columns.cell(survey.route(rank, other).symbol(), text -> sameHost ? text : paint.faint(text));
    }
    Accelerator accelerator = topology.accelerator(rank);
    columns
        .cell(accelerator.vendor())
        .cell(topology.host(rank).name())
        .cell(survey.nearestNic(rank).map(Nic::name).orElse("-"))
        .cell(accelerator.numaNode() < 0 ? "-" : "" + accelerator.numaNode())
        .cell(cpus(rank, accelerator.numaNode()));
  }

  private void name(int rank) {
    int cluster = survey.clustering().clusterOf(rank).index();
    columns.cell("r" + rank, text -> paint.cluster(cluster, text));
  }

  private String cpus(int rank, int numaNode) {
    return topology.host(rank).machine().numaNodes().stream()
        .filter(node -> node.id() == numaNode)
        .map(node -> node.cpus().toString())
        .findFirst()
        .orElse("-");
  }
}
