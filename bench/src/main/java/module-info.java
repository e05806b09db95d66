// SPDX-License-Identifier: Apache-2.0
/**
 * Benchmarks; start at {@link io.tombolo.bench.BenchCommand} or {@link
 * io.tombolo.bench.loss.P2pCommand}.
 */
module io.tombolo.bench {
  requires io.tombolo.rdma.lab;
  requires io.tombolo.runtime;
  requires com.google.gson;
  requires info.picocli;
  requires HdrHistogram;
  requires java.management;
  requires jdk.management;

  opens io.tombolo.bench to
      info.picocli,
      com.google.gson;
  opens io.tombolo.bench.loss to
      info.picocli,
      com.google.gson;

  provides io.tombolo.base.Command with
      io.tombolo.bench.BenchCommand;
}
