// Bytes by name, in a folder of the user's that several processes use at once and that outlives them. What is read is
// whole or nothing, as far as the file system keeps its word; what bytes mean and whether they are damaged is their
// readers' to check. Nothing here is an error to anybody: a folder that cannot be used holds nothing and takes nothing.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/types.h"

namespace etzel::store {

class FileStore {
 public:
  /// Files are kept until they are more than `limitBytes` together; then the oldest go. Touches nothing yet.
  FileStore(std::string folder, uint64_t limitBytes) : folder_(std::move(folder)), limitBytes_(limitBytes) {}

  const std::string& folder() const { return folder_; }

  /// Names are up to 64 letters of [0-9a-z-]. Nothing where there is no such file, and where it is not a plain one that
  /// belongs to this process's user and that nobody else may write. A file that is read counts as new again.
  std::optional<std::vector<std::byte>> read(const std::string& name) const;

  /// Puts a file into the folder at once, in the place of an older one of its name; makes the folder, for this user
  /// alone, where it is missing. False: it could not be written, and what was there still is. One thread at a time.
  bool write(const std::string& name, std::span<const std::byte> bytes);

  /// The bytes of the file of this name, which is made of `bytes` where there is none: processes that do so at once all
  /// get the same. Such a file never goes. Nothing: neither could be done.
  std::optional<std::vector<std::byte>> readOrMake(const std::string& name, std::span<const std::byte> bytes);

 private:
  enum class Replace { Yes, No };
  bool put(const std::string& name, std::span<const std::byte> bytes, Replace replace) const;
  bool makeFolder() const;
  void evict();
  std::string pathOf(const std::string& name) const { return folder_ + "/" + name; }

  const std::string folder_;
  const uint64_t limitBytes_;
  uint64_t growth_ = ~0ull;  ///< bytes written since the folder was last looked through, at least
};

}  // namespace etzel::store
