/** Benchmarks; start at {@link io.tombolo.bench.AllReduceCommand}. */
module io.tombolo.bench {
  requires io.tombolo.runtime;
  requires com.google.gson;
  requires info.picocli;
  requires HdrHistogram;

  opens io.tombolo.bench to
      info.picocli,
      com.google.gson;

  provides io.tombolo.base.Command with
      io.tombolo.bench.BenchCommand;
}
