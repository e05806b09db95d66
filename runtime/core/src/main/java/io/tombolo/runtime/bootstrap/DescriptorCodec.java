// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import com.google.common.primitives.Bytes;
import io.tombolo.base.Capabilities;
import io.tombolo.base.DataType;
import io.tombolo.base.Primitive;
import io.tombolo.base.ReduceOp;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.topology.machine.CpuSet;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * Rank descriptors as bytes: magic "TMBR" (u32), format version (u16), then {@link Tlv} fields.
 *
 * <p>The format stays readable for ranks of other protocol versions, so that a mismatch can be
 * reported with the names of both sides. Sets of types, operations and operators are bit sets of
 * their codes; a bit nobody knows yet is dropped. An entry of a map is its name, a zero byte, and
 * its value.
 */
public final class DescriptorCodec {
  /** A descriptor is at most this large. */
  public static final int LIMIT_BYTES = 64 << 10;

  private static final int MAGIC = 0x52424D54; // "TMBR", little-endian
  private static final short FORMAT = 1;
  private static final int HEADER_BYTES = 6;

  private static final int PROTOCOL_MIN = 1;
  private static final int PROTOCOL_MAX = 2;
  private static final int BUILD = 3;
  private static final int RANK = 4;
  private static final int VENDOR = 5;
  private static final int DEVICE = 6;
  private static final int HOST_ID = 7;
  private static final int PID = 8;
  private static final int COLLECTIVES = 9;
  private static final int TYPES = 10;
  private static final int REDUCE_OPS = 11;
  private static final int FLAGS = 12;
  private static final int FABRIC_ADDRESS = 13;
  private static final int SETTING = 14;
  private static final int ARCHITECTURE = 15;
  private static final int UPLINK = 16;
  private static final int PROCESSORS = 17;

  private DescriptorCodec() {}

  /** The bytes of {@code descriptor}; a {@link UsageException} beyond {@link #LIMIT_BYTES}. */
  public static byte[] encode(RankDescriptor descriptor) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(buffer(HEADER_BYTES).putInt(MAGIC).putShort(FORMAT).array());
    Tlv.put(out, PROTOCOL_MIN, number(descriptor.protocolMin()));
    Tlv.put(out, PROTOCOL_MAX, number(descriptor.protocolMax()));
    Tlv.put(out, BUILD, text(descriptor.build()));
    Tlv.put(out, RANK, number(descriptor.rank()));
    Tlv.put(out, VENDOR, text(descriptor.vendor()));
    Tlv.put(out, DEVICE, text(descriptor.device()));
    Tlv.put(out, HOST_ID, text(descriptor.hostId()));
    Tlv.put(out, PID, number(descriptor.pid()));
    Capabilities capabilities = descriptor.capabilities();
    Tlv.put(out, COLLECTIVES, bits(capabilities.primitives(), Primitive::code));
    Tlv.put(out, TYPES, bits(capabilities.types(), DataType::code));
    Tlv.put(out, REDUCE_OPS, bits(capabilities.reduceOps(), ReduceOp::code));
    Tlv.put(out, FLAGS, text(Joiner.on(',').join(capabilities.flags().stream().sorted().toList())));
    ImmutableSortedMap.copyOf(descriptor.fabricAddresses())
        .forEach((name, address) -> Tlv.put(out, FABRIC_ADDRESS, entry(name, address)));
    descriptor.settings().forEach((name, value) -> Tlv.put(out, SETTING, entry(name, text(value))));
    Tlv.put(out, ARCHITECTURE, text(descriptor.architecture()));
    descriptor.uplinks().forEach(uplink -> Tlv.put(out, UPLINK, UplinkCodec.encode(uplink)));
    if (descriptor.processors().size() > 0) {
      Tlv.put(out, PROCESSORS, text(descriptor.processors().toString()));
    }
    if (out.size() > LIMIT_BYTES) {
      throw new UsageException(
          "the descriptor of rank %s has %s bytes, more than %s: fewer settings or fabrics, please"
              .formatted(descriptor.rank(), out.size(), LIMIT_BYTES));
    }
    return out.toByteArray();
  }

  /**
   * The descriptor in {@code bytes}; a {@link CorruptException} says what is wrong with them.
   *
   * @param source whose bytes they are, for that error
   */
  public static RankDescriptor decode(byte[] bytes, String source) {
    String what = "the descriptor of " + source;
    if (bytes.length < HEADER_BYTES || bytes.length > LIMIT_BYTES) {
      throw new CorruptException(what + " has " + bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int magic = in.getInt();
    short format = in.getShort();
    if (magic != MAGIC || format != FORMAT) {
      throw new CorruptException(
          "%s begins with magic %08x, format %s instead of %08x, %s"
              .formatted(what, magic, format, MAGIC, FORMAT));
    }
    return descriptor(Tlv.read(in, what));
  }

  private static RankDescriptor descriptor(Tlv.Fields fields) {
    return new RankDescriptor(
        Math.toIntExact(number(fields, PROTOCOL_MIN, "protocol minimum", Integer.MAX_VALUE)),
        Math.toIntExact(number(fields, PROTOCOL_MAX, "protocol maximum", Integer.MAX_VALUE)),
        text(fields, BUILD, "build"),
        Math.toIntExact(number(fields, RANK, "rank", Integer.MAX_VALUE)),
        text(fields, VENDOR, "vendor"),
        text(fields, DEVICE, "device"),
        architecture(fields),
        text(fields, HOST_ID, "host id"),
        number(fields, PID, "pid", Long.MAX_VALUE),
        processors(fields),
        capabilities(fields),
        addresses(fields),
        fields.all(UPLINK).stream()
            .map(bytes -> UplinkCodec.decode(bytes, fields.what()))
            .collect(ImmutableList.toImmutableList()),
        settings(fields));
  }

  /** Ranks of earlier builds do not speak of it. */
  private static String architecture(Tlv.Fields fields) {
    return fields.all(ARCHITECTURE).isEmpty() ? "" : text(fields, ARCHITECTURE, "architecture");
  }

  /** Nor do those of earlier builds, or where the kernel does not tell, speak of these. */
  private static CpuSet processors(Tlv.Fields fields) {
    if (fields.all(PROCESSORS).isEmpty()) {
      return CpuSet.ofList("");
    }
    try {
      return CpuSet.ofList(text(fields, PROCESSORS, "processors"));
    } catch (UsageException e) {
      throw new CorruptException(fields.what() + ": 'processors' are none: " + e.getMessage(), e);
    }
  }

  private static Capabilities capabilities(Tlv.Fields fields) {
    return new Capabilities(
        known(Primitive.values(), Primitive::code, fields.one(COLLECTIVES, "collectives")),
        known(DataType.values(), DataType::code, fields.one(TYPES, "types")),
        known(ReduceOp.values(), ReduceOp::code, fields.one(REDUCE_OPS, "operators")),
        flags(text(fields, FLAGS, "flags")));
  }

  private static ImmutableSet<Capabilities.Flag> flags(String names) {
    Set<String> declared = Set.copyOf(Splitter.on(',').splitToList(names));
    return Stream.of(Capabilities.Flag.values())
        .filter(flag -> declared.contains(flag.name()))
        .collect(ImmutableSet.toImmutableSet());
  }

  private static ImmutableMap<String, byte[]> addresses(Tlv.Fields fields) {
    ImmutableMap.Builder<String, byte[]> addresses = ImmutableMap.builder();
    for (byte[] entry : fields.all(FABRIC_ADDRESS)) {
      int end = nameEnd(entry, fields.what());
      addresses.put(
          new String(entry, 0, end, UTF_8), Arrays.copyOfRange(entry, end + 1, entry.length));
    }
    return addresses.buildKeepingLast();
  }

  private static ImmutableSortedMap<String, String> settings(Tlv.Fields fields) {
    TreeMap<String, String> settings = new TreeMap<>();
    for (byte[] entry : fields.all(SETTING)) {
      int end = nameEnd(entry, fields.what());
      String value = new String(entry, end + 1, entry.length - end - 1, UTF_8);
      settings.put(new String(entry, 0, end, UTF_8), value);
    }
    return ImmutableSortedMap.copyOfSorted(settings);
  }

  private static byte[] entry(String name, byte[] value) {
    return Bytes.concat(text(name), new byte[1], value);
  }

  private static int nameEnd(byte[] entry, String what) {
    int end = Bytes.indexOf(entry, (byte) 0);
    if (end < 0) {
      throw new CorruptException(what + " has an entry without the end of its name");
    }
    return end;
  }

  private static <E> byte[] bits(Set<E> values, ToIntFunction<E> code) {
    return number(values.stream().mapToLong(value -> 1L << code.applyAsInt(value)).sum());
  }

  private static <E> ImmutableSet<E> known(E[] values, ToIntFunction<E> code, byte[] bits) {
    long set = bits.length == Long.BYTES ? toLong(bits) : 0;
    return Stream.of(values)
        .filter(value -> (set >>> code.applyAsInt(value) & 1) != 0)
        .collect(ImmutableSet.toImmutableSet());
  }

  private static byte[] number(long value) {
    return buffer(Long.BYTES).putLong(value).array();
  }

  private static long number(Tlv.Fields fields, int tag, String name, long most) {
    byte[] bytes = fields.one(tag, name);
    long value = bytes.length == Long.BYTES ? toLong(bytes) : -1;
    if (value < 0 || value > most) {
      throw new CorruptException(fields.what() + ": '" + name + "' is no number from 0 to " + most);
    }
    return value;
  }

  private static byte[] text(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(Tlv.Fields fields, int tag, String name) {
    return new String(fields.one(tag, name), UTF_8);
  }

  private static long toLong(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  private static ByteBuffer buffer(int sizeBytes) {
    return ByteBuffer.allocate(sizeBytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
