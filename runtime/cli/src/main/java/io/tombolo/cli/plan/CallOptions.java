package io.tombolo.cli.plan;

import io.tombolo.base.ByteSizes;
import io.tombolo.base.Collective;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Layout;
import io.tombolo.runtime.plan.Reduction;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which call is meant. */
final class CallOptions {
  @Parameters(
      index = "0",
      paramLabel = "OP",
      description = {
        "all_reduce, reduce, broadcast, all_gather, reduce_scatter, gather, scatter, all_to_all or barrier.",
        "With _v at the end it is planned with equal blocks."
      })
  private String operation;

  @Parameters(
      index = "1",
      arity = "0..1",
      defaultValue = "0",
      paramLabel = "SIZE",
      description =
          "Bytes of the vector, or of all ranks' blocks together: 8, 64K, 256M, 2G. Blocks are cut to whole elements.")
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
    DataType elements = DataType.parse(type);
    long vector = ByteSizes.parse(size) / elements.sizeBytes();
    Layout blocks = new Layout.Even(vector / ranks);
    Reduction reduction = new Reduction.By(ReduceOp.parse(op));
    return switch (collective.even()) {
      case ALL_REDUCE -> CollectiveCall.vector(collective, vector, elements, reduction, 0, inPlace);
      case REDUCE -> CollectiveCall.vector(collective, vector, elements, reduction, root, inPlace);
      case BROADCAST ->
          CollectiveCall.vector(collective, vector, elements, new Reduction.None(), root, inPlace);
      case REDUCE_SCATTER -> CollectiveCall.reduceScatter(blocks, elements, reduction, inPlace);
      case GATHER, SCATTER ->
          CollectiveCall.move(collective.even(), blocks, elements, root, inPlace);
      case BARRIER -> CollectiveCall.barrier();
      default -> CollectiveCall.move(collective.even(), blocks, elements, 0, inPlace);
    };
  }
}
