// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.testng.annotations.Test;

/**
 * Holds that packages lie in layers: whoever reads one has to know only those below it. Read from
 * the compiled classes of all modules.
 */
public class PackageDependencyTest {
  @Test(timeOut = 120_000)
  public void shouldHaveNoCycleBetweenPackages() {
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false); // the JDK's own
    JavaClasses classes =
        new ClassFileImporter()
            .importPaths(
                ModuleDependencyTest.FOLDERS.values().stream()
                    .map(ModuleDependencyTest::classes)
                    .toArray(Path[]::new));
    slices().matching("io.tombolo.(**)").should().beFreeOfCycles().check(classes);
  }
}
