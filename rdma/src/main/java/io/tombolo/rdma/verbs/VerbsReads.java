// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.CloseStack;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.OneSidedReads;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UnavailableException;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One-sided reads over the RDMA device of a process, where {@code rc} is a fabric that it would
 * use, or {@code ucx}, which reads by {@code rc}, too, on devices that have it. The device is
 * opened when it is first needed; whether it can be is found out once, unless it cannot for want of
 * memory or descriptors.
 */
public final class VerbsReads implements OneSidedReads {
  private static final Logger log = LoggerFactory.getLogger(VerbsReads.class);
  private static final Splitter NAMES = Splitter.on(',').trimResults().omitEmptyStrings();

  private static final String UCX = "ucx";

  private final ImmutableList<String> fabrics;
  private final VerbsSettings verbs;
  private Optional<OneSided> opened = Optional.empty();
  private Optional<String> refusal = Optional.empty();

  private VerbsReads(ImmutableList<String> fabrics, VerbsSettings verbs) {
    this.fabrics = fabrics;
    this.verbs = verbs;
  }

  /**
   * What {@code settings} say, by lower-case name: those of {@link VerbsSettings#from}, and {@code
   * fabrics}. If that names fabrics, {@code rc} or {@code ucx} has to be one of them; if it does
   * not name {@code rc}, nothing may be dropped on the way.
   *
   * @throws io.tombolo.base.errors.UsageException naming a setting that makes no sense
   */
  public static VerbsReads from(Map<String, String> settings) {
    ImmutableMap<String, String> all = ImmutableMap.copyOf(settings);
    return new VerbsReads(
        ImmutableList.copyOf(NAMES.split(all.getOrDefault("fabrics", ""))),
        VerbsSettings.from(all));
  }

  @Override
  public Exposed expose(String what, MemoryBlock block) {
    return new ExposedBlock(device().expose(what, block));
  }

  @Override
  public Holder holder() {
    return new HolderSide(device().holderEnd());
  }

  @Override
  public Reader reader(String holder) {
    OneSided device = device();
    return new ReaderSide(device, device.readerEnd(holder));
  }

  @Override
  public boolean isAskedFor() {
    return isRcNamed() || (isLeftToUs() && !verbs.device().isEmpty());
  }

  private boolean isRcNamed() {
    return fabrics.contains(RcMedium.NAME);
  }

  /** Whether the device decides; {@code ucx} alone does not say that there is one. */
  private boolean isLeftToUs() {
    return fabrics.isEmpty() || fabrics.contains(UCX);
  }

  private synchronized OneSided device() {
    if (opened.isEmpty()) {
      refusal.ifPresent(
          why -> {
            throw new UnavailableException(why);
          });
      try {
        opened = Optional.of(open());
        log.info("memory is read one-sidedly over {}", opened.get());
      } catch (ResourceException e) {
        throw e; // the next one may find what is missing now
      } catch (TomboloException e) {
        log.debug("no memory is read one-sidedly: {}", e.getMessage());
        refusal = Optional.of(e.getMessage());
        throw e;
      }
    }
    return opened.get();
  }

  private OneSided open() {
    if (!isRcNamed() && !isLeftToUs()) {
      throw new UnavailableException(
          "neither rc nor ucx is among the fabrics %s; name one there, too"
              .formatted(String.join(",", fabrics)));
    }
    try (CloseStack stack = new CloseStack()) {
      NicPort nic = stack.opened(OneSided.port(verbs));
      if (!isRcNamed() && !nic.isLossless()) {
        throw new UnavailableException(
            nic
                + " may lose packets, which rc bears badly; set TOMBOLO_RDMA_LOSSLESS=yes if it does"
                + " not, or TOMBOLO_FABRICS=rc");
      }
      stack.keep();
      return OneSided.open(nic);
    }
  }

  /** Lets go of the device, if it was opened; what was made of it has been closed. */
  @Override
  public synchronized void close() {
    opened.ifPresent(OneSided::close);
    opened = Optional.empty();
    refusal = Optional.of("this process has closed its device");
  }

  private record ExposedBlock(Exposure exposure) implements Exposed {
    @Override
    public byte[] key() {
      return exposure.remote().encode();
    }

    @Override
    public void close() {
      exposure.withdraw();
    }
  }

  private record HolderSide(HolderEnd end) implements Holder {
    @Override
    public byte[] connect(byte[] readersCard) {
      end.connect(readersCard);
      return end.card();
    }

    @Override
    public void close() {
      end.close();
    }
  }
}
