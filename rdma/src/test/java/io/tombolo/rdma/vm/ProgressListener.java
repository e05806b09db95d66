// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.vm;

import java.util.Arrays;
import org.testng.ITestListener;
import org.testng.ITestResult;

/**
 * Says which test begins, and how long it took: of a machine that hangs, its output is all that is
 * left.
 */
public final class ProgressListener implements ITestListener {
  /** For TestNG. */
  public ProgressListener() {}

  @Override
  public void onTestStart(ITestResult test) {
    System.out.println(test.getName() + Arrays.toString(test.getParameters()));
  }

  @Override
  public void onTestSuccess(ITestResult test) {
    System.out.println("  " + (test.getEndMillis() - test.getStartMillis()) + " ms");
  }

  @Override
  public void onTestFailure(ITestResult test) {
    System.out.println("  failed: " + test.getThrowable());
  }
}
