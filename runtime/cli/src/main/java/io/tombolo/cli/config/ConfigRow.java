// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.config;

import io.tombolo.runtime.environment.Configuration;
import io.tombolo.runtime.environment.Setting;

/**
 * One setting as it is printed.
 *
 * @param name its variable
 * @param value its value, or how its default is found; a secret's is not shown
 * @param origin the variable that sets it, or {@code default}
 * @param common whether all ranks must agree on the value
 * @param meaning what it sets
 */
record ConfigRow(String name, String value, String origin, boolean common, String meaning) {
  static ConfigRow of(Configuration.Value value) {
    Setting setting = value.setting();
    boolean hidden = setting.isSecret() && value.origin().isPresent();
    return new ConfigRow(
        setting.variable(),
        hidden ? "(set)" : value.value(),
        value.origin().orElse("default"),
        setting.scope() == Setting.Scope.JOB,
        setting.meaning());
  }
}
