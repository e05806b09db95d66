// SPDX-License-Identifier: Apache-2.0
/** One communicator over ranks of several vendors; start at {@link io.tombolo.runtime}. */
module io.tombolo.runtime {
  requires transitive io.tombolo.base;
  requires transitive io.tombolo.topology;
  requires transitive io.tombolo.adaptors;
  requires transitive io.tombolo.rdma;
  requires transitive jdk.jfr;
  requires org.slf4j;
  requires static transitive com.google.errorprone.annotations;
  requires static info.picocli; // for JobArguments alone

  exports io.tombolo.runtime;
  exports io.tombolo.runtime.bootstrap;
  exports io.tombolo.runtime.environment;
  exports io.tombolo.runtime.group;
  exports io.tombolo.runtime.launch;
  exports io.tombolo.runtime.measure;
  exports io.tombolo.runtime.plan;
  exports io.tombolo.runtime.recorder;
  exports io.tombolo.runtime.store;
  exports io.tombolo.runtime.work;

  opens io.tombolo.runtime.launch to
      info.picocli;

  uses io.tombolo.runtime.plan.Tuner;
}
