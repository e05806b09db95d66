package io.tombolo.adaptors.ccl;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.nio.file.Path;
import java.util.List;

/**
 * Where a library is found. Whatever the source, a copy that the process has loaded already comes
 * first.
 */
public sealed interface LibrarySource {

  /** The dynamic loader's own places: names such as {@code libnccl.so.2}, tried in this order. */
  record Loader(ImmutableList<String> names) implements LibrarySource {}

  /**
   * One folder, which need not be in the loader's path.
   *
   * @param folder the folder
   * @param name the library's file name
   * @param dependencies file names opened before it, in this order, so that the loader has no
   *     search of its own to do
   * @param environment variables the library reads while it is opened, set in this process before
   *     that
   */
  record Folder(
      Path folder,
      String name,
      ImmutableList<String> dependencies,
      ImmutableMap<String, String> environment)
      implements LibrarySource {

    /** Where the library and its dependencies should be. */
    List<Path> files() {
      return ImmutableList.<String>builder().addAll(dependencies).add(name).build().stream()
          .distinct()
          .map(folder::resolve)
          .toList();
    }
  }

  /** A library that travels inside the jar of {@code owner} and is called {@code name}. */
  record Packaged(Class<?> owner, String name) implements LibrarySource {}
}
