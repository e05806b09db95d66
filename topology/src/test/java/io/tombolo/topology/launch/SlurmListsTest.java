// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import static io.tombolo.topology.launch.LaunchVariables.said;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.errors.UsageException;
import java.util.List;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class SlurmListsTest {
  @DataProvider
  public Object[][] slurmLists() {
    return new Object[][] {
      {"4(x2),3", 0, "4"},
      {"4(x2),3", 1, "4"},
      {"4(x2),3", 2, "3"},
      {"4(x2),3", 3, "-"},
      {"7", 0, "7"},
    };
  }

  @Test(dataProvider = "slurmLists")
  public void shouldCountTasksOfEachNodeAsSlurmWritesThem(String list, int node, String tasks) {
    assertEquals(said(SlurmLists.tasks(new Sourced<>(list, "X"), node).map(Sourced::value)), tasks);
  }

  @DataProvider
  public Object[][] hostLists() {
    return new Object[][] {
      {"node7", "node7"},
      {"node7,node8", "node7"},
      {"node[001-004,7],login1", "node001"},
      {"rack[1-2]-ib,other[3]", "rack1-ib"},
      {"a[12,14]", "a12"},
      {"rack[0-1]n[01-02]", "rack0n01"},
      {"rack[3,5]n[01-02]-ib,other", "rack3n01-ib"},
    };
  }

  @Test(dataProvider = "hostLists")
  public void shouldFindTheFirstHostAsSlurmWritesThem(String list, String host) {
    assertEquals(SlurmLists.firstHost(new Sourced<>(list, "X")).value(), host);
  }

  @Test
  public void shouldListAllHostsAsSlurmWritesThem() {
    assertEquals(
        SlurmLists.hosts("a,rack[0-1]n[09-10,3]-ib,b[7]").toList(),
        List.of(
            "a",
            "rack0n09-ib",
            "rack0n10-ib",
            "rack0n3-ib",
            "rack1n09-ib",
            "rack1n10-ib",
            "rack1n3-ib",
            "b7"));
  }

  @DataProvider
  public Object[][] noHostLists() {
    return new Object[][] {{"node[1-4"}, {"node1]"}, {"node[]"}, {"node[-4]"}, {",node"}, {""}};
  }

  @Test(dataProvider = "noHostLists")
  public void shouldRefuseWhatIsNoListOfHosts(String list) {
    UsageException error =
        expectThrows(UsageException.class, () -> SlurmLists.firstHost(new Sourced<>(list, "X")));
    assertTrue(error.getMessage().contains("X=" + list + " is not a list of hosts"));
  }
}
