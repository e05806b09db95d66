// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.measure;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hashing;
import io.tombolo.runtime.bootstrap.RankDescriptor;
import io.tombolo.runtime.consensus.AcceptorHost;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a calibration is about: the host of rank 0 by name, which ranks share a host, and every
 * rank's vendor, device and fabrics, in order of ranks. Other hosts count by their place only:
 * hosts that are built alike cost alike.
 *
 * @param key 16 hexadecimal digits
 * @param host the name of the host of rank 0
 * @param text all of it in short, for people
 */
record CalibrationSubject(String key, String host, String text) {
  private static final int KEY_DIGITS = 16;

  static CalibrationSubject of(String hostName, List<RankDescriptor> ranks) {
    Map<String, Integer> hosts = new LinkedHashMap<>();
    Map<String, Integer> vendors = new TreeMap<>();
    StringBuilder all = new StringBuilder(hostName);
    for (RankDescriptor rank : ranks) {
      Integer host = hosts.computeIfAbsent(rank.hostId(), unseen -> hosts.size());
      vendors.merge(rank.vendor(), 1, Integer::sum);
      List<String> words = List.of(rank.vendor(), rank.device(), host + " " + fabrics(rank));
      words.forEach(word -> all.append('\n').append(word));
    }
    String key = Hashing.sha256().hashString(all, UTF_8).toString().substring(0, KEY_DIGITS);
    String text =
        "%s on %s host%s from %s, over %s"
            .formatted(
                vendors.entrySet().stream()
                    .map(each -> each.getKey() + ":" + each.getValue())
                    .collect(Collectors.joining(",")),
                hosts.size(),
                hosts.size() == 1 ? "" : "s",
                hostName,
                fabrics(ranks.get(0)));
    return new CalibrationSubject(key, hostName, text);
  }

  private static String fabrics(RankDescriptor rank) {
    return rank.fabricAddresses().keySet().stream()
        .filter(name -> !name.equals(AcceptorHost.ADDRESS))
        .collect(Collectors.joining(","));
  }
}
