// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import io.tombolo.base.Command;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tombolo completion}. */
@CommandLine.Command(
    name = "completion",
    description = {
      "Print a script by which a shell completes commands and options of 'tombolo'.",
      "",
      "It works for the word 'tombolo': put the checkout on the PATH, or make an alias."
    },
    footer = {
      "%nExit code: 0 when printed, 2 for wrong usage.",
      "%nExamples:",
      "  source <(tombolo completion bash)",
      "  tombolo completion bash > ~/.local/share/bash-completion/completions/tombolo",
      "  source <(tombolo completion zsh)     # in ~/.zshrc, after compinit"
    })
public final class CompletionCommand implements Command {
  /** Zsh runs the same script through its emulation of bash's completion. */
  private static final String ZSH =
      "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n";

  /** The shells that are served. */
  enum Shell {
    BASH,
    ZSH;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
  private Shell shell;

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    String script = AutoComplete.bash(root.getCommandName(), root);
    spec.commandLine().getOut().print((shell == Shell.ZSH ? ZSH : "") + script);
    spec.commandLine().getOut().flush();
    return ExitCode.OK;
  }
}
