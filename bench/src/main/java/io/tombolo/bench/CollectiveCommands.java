// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import io.tombolo.runtime.plan.Collective;
import io.tombolo.runtime.plan.Signature.Content;
import java.util.stream.Stream;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;

/** {@code tombolo bench all_reduce} and its like: one command, once for each operation. */
final class CollectiveCommands implements IModelTransformer {
  /** The operations that move something between all ranks, in blocks of one size. */
  static Stream<Collective> measured() {
    return Stream.of(Collective.values())
        .filter(each -> !each.isUneven() && !each.isPointToPoint())
        .filter(each -> each.signature().input().content() != Content.NOTHING);
  }

  @Override
  public CommandSpec transform(CommandSpec bench) {
    measured()
        .forEach(
            each ->
                bench.addSubcommand(
                    each.text(), CommandSpec.forAnnotatedObject(new CollectiveCommand(each))));
    return bench;
  }
}
