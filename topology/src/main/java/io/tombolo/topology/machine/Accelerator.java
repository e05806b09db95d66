package io.tombolo.topology.machine;

/**
 * A device that ranks compute on.
 *
 * @param id PCI address
 * @param parent the bridge above, or empty
 * @param numaNode its NUMA node, or -1
 * @param megabytesPerSecond bandwidth of its PCI link, one direction; 0 if unknown
 * @param vendor vendor string, as in rank descriptors
 * @param model what it is called, or its PCI device id
 */
public record Accelerator(
    String id, String parent, int numaNode, int megabytesPerSecond, String vendor, String model)
    implements PciPart {}
