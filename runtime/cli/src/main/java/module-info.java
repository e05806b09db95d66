// SPDX-License-Identifier: Apache-2.0
/** The command line; start at {@link io.tombolo.cli.Main}. */
module io.tombolo.cli {
  requires io.tombolo.runtime;
  requires io.tombolo.store;
  requires io.tombolo.tensors;
  requires com.google.gson;
  requires info.picocli;
  requires jdk.httpserver;

  opens io.tombolo.cli to
      info.picocli,
      com.google.gson;
  opens io.tombolo.cli.config to
      info.picocli,
      com.google.gson;
  opens io.tombolo.cli.demo to
      info.picocli,
      com.google.gson;
  opens io.tombolo.cli.doctor to
      info.picocli,
      com.google.gson;
  opens io.tombolo.cli.env to
      info.picocli,
      com.google.gson;
  opens io.tombolo.cli.get to
      info.picocli;
  opens io.tombolo.cli.plan to
      info.picocli,
      com.google.gson;
  opens io.tombolo.cli.ras to
      info.picocli,
      com.google.gson;
  opens io.tombolo.cli.store to
      info.picocli,
      com.google.gson;
  opens io.tombolo.cli.topo to
      info.picocli,
      com.google.gson;
  opens io.tombolo.cli.trace to
      info.picocli,
      com.google.gson;

  uses io.tombolo.base.Command;

  provides io.tombolo.base.Command with
      io.tombolo.cli.CompletionCommand,
      io.tombolo.cli.VendorsCommand,
      io.tombolo.cli.VersionCommand,
      io.tombolo.cli.config.ConfigCommand,
      io.tombolo.cli.demo.DemoCommand,
      io.tombolo.cli.doctor.DoctorCommand,
      io.tombolo.cli.env.EnvCommand,
      io.tombolo.cli.get.GetCommand,
      io.tombolo.cli.plan.PlanCommand,
      io.tombolo.cli.ras.RasCommand,
      io.tombolo.cli.store.StoreCommand,
      io.tombolo.cli.topo.TopoCommand,
      io.tombolo.cli.trace.ProcessStatCommand,
      io.tombolo.cli.trace.TraceCommand;
}
