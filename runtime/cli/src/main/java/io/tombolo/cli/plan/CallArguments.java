// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import io.tombolo.base.ByteSizes;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Signature.Content;
import java.util.Iterator;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which call is meant. */
final class CallArguments {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "OP",
      completionCandidates = Operations.class,
      description = {
        "One of ${COMPLETION-CANDIDATES}.",
        "With _v at the end it is planned with equal blocks."
      })
  private String operation;

  @Parameters(
      index = "1",
      arity = "0..1",
      defaultValue = "0",
      paramLabel = "SIZE",
      description =
          "Bytes of the vector, or of all ranks' blocks together: 8, 64K, 256M, 2G. Blocks are cut"
              + " to whole elements.")
  private String size;

  @Option(
      names = "--root",
      paramLabel = "RANK",
      defaultValue = "0",
      description = "The rank that alone sends or receives (default: ${DEFAULT-VALUE}).")
  private int root;

  @Option(
      names = "--type",
      defaultValue = "f32",
      description = "Element type (default: ${DEFAULT-VALUE}).")
  private String type;

  @Option(
      names = "--op",
      defaultValue = "sum",
      description = "Operator (default: ${DEFAULT-VALUE}).")
  private String op;

  @Option(names = "--in-place", description = "Input and output share memory.")
  private boolean inPlace;

  /** Whether an operation was named; a subcommand needs none. */
  boolean isGiven() {
    return operation != null;
  }

  Collective collective() {
    Collective collective = Collective.parse(operation);
    if (collective.isPointToPoint()) {
      throw new UsageException(
          operation + " joins two ranks only: there is nothing to plan; choose a collective");
    }
    return collective;
  }

  /** The call on {@code ranks} ranks. */
  CollectiveCall of(int ranks) {
    Collective collective = collective();
    if (root < 0) {
      throw new UsageException("--root is a rank, not " + root);
    }
    if (collective.signature().input().content() == Content.NOTHING) {
      return CollectiveCall.barrier();
    }
    DataType elements = DataType.parse(type);
    long vector = ByteSizes.parse(size) / elements.sizeBytes();
    return new CollectiveCall(
        collective.even(),
        elements,
        collective.isReducing() ? new Reduction.By(ReduceOp.parse(op)) : new Reduction.None(),
        collective.isRooted() ? root : 0,
        new Layout.Even(collective.signature().isVector() ? vector : vector / ranks),
        inPlace);
  }

  /** The operations that can be planned, for the help. */
  static final class Operations implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return Stream.of(Collective.values())
          .filter(each -> !each.isUneven() && !each.isPointToPoint())
          .map(Collective::text)
          .iterator();
    }
  }
}
