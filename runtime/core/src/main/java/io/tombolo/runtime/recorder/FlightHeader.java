// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UnsupportedException;
import io.tombolo.runtime.bootstrap.RankClaim;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Whose operations a file holds. All integers are little-endian; texts are UTF-8 behind their
 * length, a u16:
 *
 * <pre>
 *  0  "TMBFLGHT"          8  version            12  CRC-32C of all other bytes up to 2048
 * 16  bytes of a record  20  records of a ring  24  rank   28  size   32  rank in the job
 * 36  round              40  job                48  group
 * 56  System.nanoTime()  64  the same moment, in nanoseconds since 1970 (UTC)
 * 72  vendor, host, process, name
 * </pre>
 *
 * @param records of each ring
 * @param rank in the communicator
 * @param size of the communicator
 * @param jobRank in what was joined, of which the communicator is all or a part
 * @param round how many times these ranks had joined before
 * @param job the same number for all ranks that joined together
 * @param group which communicator of the job; 0 is that of all ranks
 * @param baseNs of {@code System.nanoTime}
 * @param epochNs the same moment since 1970
 * @param vendor of the rank's device
 * @param host as people call it
 * @param process which process it is
 * @param name what the user calls the communicator of all ranks; empty if nothing
 */
public record FlightHeader(
    int records,
    int rank,
    int size,
    int jobRank,
    int round,
    long job,
    long group,
    long baseNs,
    long epochNs,
    String vendor,
    String host,
    RankClaim process,
    String name) {
  private static final int VERSION_AT = 8;
  private static final int CHECKSUM_AT = 12;
  private static final int FIELDS_AT = 16;
  private static final int MOST_TEXT_BYTES = 400;

  /** The moment {@code atNs} of this rank's {@code System.nanoTime}, since 1970. */
  public long epochNs(long atNs) {
    return epochNs + (atNs - baseNs);
  }

  /** Writes it to the beginning of {@code file}. */
  void encode(ByteBuffer file) {
    ByteBuffer out = FlightLog.littleEndian(file).limit(FlightFormat.END_AT);
    out.put(FlightFormat.MAGIC).putInt(FlightFormat.VERSION).putInt(0);
    out.putInt(FlightFormat.RECORD_BYTES).putInt(records);
    out.putInt(rank).putInt(size).putInt(jobRank).putInt(round);
    out.putLong(job).putLong(group).putLong(baseNs).putLong(epochNs);
    put(out, vendor.getBytes(UTF_8));
    put(out, host.getBytes(UTF_8));
    put(out, process.encode());
    put(out, name.getBytes(UTF_8));
    seal(file);
  }

  /** Makes the checksum fit. */
  static void seal(ByteBuffer file) {
    FlightLog.littleEndian(file).putInt(CHECKSUM_AT, checksum(file));
  }

  private static void put(ByteBuffer out, byte[] text) {
    int length = Math.min(text.length, MOST_TEXT_BYTES);
    out.putShort((short) length).put(text, 0, length);
  }

  /**
   * What stands at the beginning of {@code file}.
   *
   * @throws CorruptException if that is damaged, or no header
   * @throws UnsupportedException if it is of a later version
   */
  static FlightHeader decode(ByteBuffer file) {
    if (file.limit() < FlightFormat.MAGIC.length
        || !Arrays.equals(magic(file), FlightFormat.MAGIC)) {
      throw new CorruptException("it is no file of the flight recorder");
    }
    ByteBuffer in = FlightLog.littleEndian(file);
    if (file.limit() < FlightFormat.RINGS_AT) {
      throw cutOff(file.limit());
    }
    int version = in.getInt(VERSION_AT);
    if (version != FlightFormat.VERSION) {
      throw new UnsupportedException(
          "its format is version %s, and this build reads version %s: use the build that wrote it"
              .formatted(version, FlightFormat.VERSION));
    }
    if (in.getInt(CHECKSUM_AT) != checksum(file)) {
      throw new CorruptException("its header is damaged: the checksum differs");
    }
    return fields(in.position(FIELDS_AT).limit(FlightFormat.END_AT)).checked(file.limit());
  }

  private static FlightHeader fields(ByteBuffer in) {
    int recordBytes = in.getInt();
    if (recordBytes != FlightFormat.RECORD_BYTES) {
      throw new CorruptException("its records have " + recordBytes + " bytes");
    }
    int records = in.getInt();
    int rank = in.getInt();
    int size = in.getInt();
    int jobRank = in.getInt();
    int round = in.getInt();
    long job = in.getLong();
    long group = in.getLong();
    long baseNs = in.getLong();
    long epochNs = in.getLong();
    String vendor = new String(text(in), UTF_8);
    String host = new String(text(in), UTF_8);
    RankClaim process = RankClaim.decode(text(in), rank);
    String name = new String(text(in), UTF_8);
    return new FlightHeader(
        records, rank, size, jobRank, round, job, group, baseNs, epochNs, vendor, host, process,
        name);
  }

  private static byte[] text(ByteBuffer in) {
    int length = in.remaining() < Short.BYTES ? Integer.MAX_VALUE : in.getShort() & 0xFFFF;
    if (length > in.remaining()) {
      throw new CorruptException("its header is damaged: a text is longer than the header");
    }
    byte[] text = new byte[length];
    in.get(text);
    return text;
  }

  private FlightHeader checked(int fileBytes) {
    boolean fits =
        Integer.bitCount(records) == 1
            && records >= FlightFormat.MIN_RECORDS
            && records <= FlightFormat.MAX_RECORDS;
    if (!fits || size < 1 || rank < 0 || rank >= size) {
      throw new CorruptException(
          "its header makes no sense: rank %s of %s, %s records".formatted(rank, size, records));
    }
    if (fileBytes < FlightFormat.fileBytes(records)) {
      throw cutOff(fileBytes);
    }
    return this;
  }

  private static CorruptException cutOff(int bytes) {
    return new CorruptException("it is cut off after " + bytes + " bytes");
  }

  private static byte[] magic(ByteBuffer file) {
    byte[] magic = new byte[FlightFormat.MAGIC.length];
    file.duplicate().position(0).get(magic);
    return magic;
  }

  private static int checksum(ByteBuffer file) {
    CRC32C sum = new CRC32C();
    sum.update(file.duplicate().position(0).limit(CHECKSUM_AT));
    sum.update(file.duplicate().position(FIELDS_AT).limit(FlightFormat.END_AT));
    return (int) sum.getValue();
  }
}
