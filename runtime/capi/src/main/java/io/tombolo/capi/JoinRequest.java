// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import io.tombolo.adaptors.VendorProbe;
import io.tombolo.base.CloseStack;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.CommunicatorBuilder;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.WarmUpTime;
import io.tombolo.runtime.launch.JoinedJob;
import io.tombolo.runtime.store.CallbackStore;
import io.tombolo.topology.detect.ProbedDevice;
import io.tombolo.topology.launch.LaunchEnvironment;
import io.tombolo.topology.launch.Launcher;
import io.tombolo.topology.launch.Sourced;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * How a process wants to join: what {@code tombolo_config} says.
 *
 * @param environment the variables of this process
 * @param rank this process's rank; −1: the environment says it
 * @param size number of ranks; 0: the environment says it
 * @param localRank number on this host; −1: the environment's
 * @param localSize how many of the ranks are on this host; 0: the environment's
 * @param vendor empty: the environment's, else what is found
 * @param device ordinal; −1: by the environment, or the local rank
 * @param generation the number of this attempt; −1: the environment's
 * @param name the communicator's name; empty for the only one
 * @param timeoutMs how long any wait may take; 0: the environment's
 * @param settings further settings: {@code fabrics=tcp}
 */
record JoinRequest(
    Map<String, String> environment,
    int rank,
    int size,
    int localRank,
    int localSize,
    String vendor,
    int device,
    int generation,
    String name,
    long timeoutMs,
    List<String> settings) {
  private static final String VENDOR = "TOMBOLO_VENDOR";
  private static final String LOCAL_SIZE = "LOCAL_WORLD_SIZE";
  private static final String HOST = "host";

  /** Joins where the environment says. */
  OpenCommunicator join() {
    Map<String, String> variables = variables();
    return opened(
        variables,
        stack -> Communicator.join(stack.opened(JoinedJob.join(variables)).environment()));
  }

  /** Joins in a store of the program around, which is let go of after the communicator. */
  OpenCommunicator join(ProgramStore program) {
    Map<String, String> variables = variables();
    return opened(
        variables,
        stack -> {
          stack.opened(program);
          CallbackStore store = stack.opened(new CallbackStore(program));
          return builder(variables).store(store).join();
        });
  }

  /** Joins in the store of {@code id}, which this process may host. */
  OpenCommunicator join(JobId id, IdHost ids) {
    Map<String, String> variables = variables();
    return opened(
        variables,
        stack -> {
          CommunicatorBuilder builder =
              builder(variables)
                  .store(id.host(), id.port())
                  .token(id.token().hex())
                  .setting("store", "rank0");
          stack.opened(new IdMeeting(builder.environment(), ids.take(id)));
          return builder.join();
        });
  }

  private static OpenCommunicator opened(
      Map<String, String> variables, Function<CloseStack, Communicator> joining) {
    CloseStack stack = new CloseStack();
    try {
      Communicator communicator = stack.opened(joining.apply(stack));
      return new OpenCommunicator(communicator, variables.get(VENDOR), stack);
    } catch (RuntimeException e) {
      stack.close();
      throw e;
    }
  }

  private static CommunicatorBuilder builder(Map<String, String> variables) {
    return Communicator.builder().environment(variables);
  }

  /** The environment, and what the request says instead of it. */
  Map<String, String> variables() {
    Map<String, String> variables = new LinkedHashMap<>(WarmUpTime.usual(environment));
    if (rank >= 0) {
      variables.put(Launcher.TOMBOLO_EVIDENCE, "a program's own");
      variables.put("RANK", Integer.toString(rank));
      variables.put("WORLD_SIZE", Integer.toString(size));
      variables.remove(LOCAL_SIZE); // which counts the launcher's ranks
    }
    if (localSize > 0) {
      variables.put(LOCAL_SIZE, Integer.toString(localSize));
    }
    putVendor(variables);
    putDevice(variables);
    if (timeoutMs > 0) {
      variables.put("TOMBOLO_TIMEOUT_MS", Long.toString(timeoutMs));
    }
    if (!name.isEmpty()) {
      variables.put(JobEnvironment.variableOf(JobEnvironment.GROUP), name);
    }
    if (generation >= 0) {
      variables.put(
          JobEnvironment.variableOf(JobEnvironment.GENERATION), Integer.toString(generation));
    }
    settings.forEach(setting -> put(variables, setting));
    return variables;
  }

  private static void put(Map<String, String> variables, String setting) {
    int at = setting.indexOf('=');
    if (at <= 0) {
      throw new UsageException(
          "the setting '" + setting + "' has no value; it is to be like fabrics=tcp");
    }
    variables.put(JobEnvironment.variableOf(setting.substring(0, at)), setting.substring(at + 1));
  }

  private void putVendor(Map<String, String> variables) {
    if (!vendor.isEmpty()) {
      variables.put(VENDOR, vendor);
    } else if (variables.getOrDefault(VENDOR, "").isBlank()) {
      variables.put(VENDOR, found(new VendorProbe().devices(false)));
    }
  }

  /** The vendor of the accelerators that are here; the host, if there are none. */
  static String found(List<ProbedDevice> devices) {
    List<String> vendors = devices.stream().map(ProbedDevice::vendor).distinct().toList();
    if (vendors.size() > 1) {
      throw new UsageException(
          "there are devices of several vendors here: "
              + String.join(", ", vendors)
              + "; say which one this rank has, in tombolo_config.vendor or TOMBOLO_VENDOR");
    }
    return vendors.isEmpty() ? HOST : vendors.get(0);
  }

  /** A group has ranks of its own, which say nothing of the place in the host. */
  private void putDevice(Map<String, String> variables) {
    String variable = JobEnvironment.variableOf(JobEnvironment.DEVICE);
    if (device >= 0) {
      variables.put(variable, Integer.toString(device));
    }
    if (rank < 0) {
      return;
    }
    LaunchEnvironment launch = LaunchEnvironment.of(environment);
    int place = localRank >= 0 ? localRank : launch.localRank().map(Sourced::value).orElse(rank);
    if (!variables.containsKey(variable)) {
      Sourced<Integer> number = new Sourced<>(place, "local rank");
      launch
          .deviceOrdinal(variables.get(VENDOR), Optional.of(number))
          .ifPresent(ordinal -> variables.put(variable, Integer.toString(ordinal.value())));
    }
    variables.put("LOCAL_RANK", Integer.toString(Math.min(place, size - 1)));
  }
}
