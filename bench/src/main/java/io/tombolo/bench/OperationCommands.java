// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;

/** {@code tombolo bench all_reduce} and its like: one command, once for each operation. */
final class OperationCommands implements IModelTransformer {
  @Override
  public CommandSpec transform(CommandSpec bench) {
    Operations.names()
        .forEach(
            name ->
                bench.addSubcommand(
                    name, CommandSpec.forAnnotatedObject(new OperationCommand(name))));
    return bench;
  }
}
