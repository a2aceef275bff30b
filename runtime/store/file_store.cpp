#include "runtime/store/file_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/base/fd.h"

namespace etzel::store {
namespace {

constexpr const char* kFile = ".etz";   ///< what files end with, and may be evicted
constexpr const char* kKept = ".keep";  ///< likewise, those that never go
constexpr const char* kUnfinished = ".tmp";
constexpr off_t kMostBytes = 256 << 20;
constexpr time_t kTouchSeconds = 3600, kAbandonedSeconds = 3600;

/// Whether only this process's user could have put there what it holds.
bool isOurs(const struct stat& s) { return s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH)); }

std::optional<std::vector<std::byte>> readFile(const std::string& path, bool touch) {
  // Not blocking: whoever opens a pipe would wait for its other end.
  const Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat s;
  if (!fd || fstat(fd.get(), &s) != 0 || !S_ISREG(s.st_mode) || !isOurs(s) || s.st_size > kMostBytes) return {};
  std::vector<std::byte> bytes(static_cast<size_t>(s.st_size));
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::read(fd.get(), bytes.data() + done, bytes.size() - done);
    if (n <= 0) return {};
    done += static_cast<size_t>(n);
  }
  if (touch && time(nullptr) - s.st_mtime > kTouchSeconds) (void)futimens(fd.get(), nullptr);
  return bytes;
}

bool writeAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

struct Entry {
  std::string path;
  off_t bytes;
  timespec time;
};

}  // namespace

std::optional<std::vector<std::byte>> FileStore::read(const std::string& name) const {
  return readFile(pathOf(name) + kFile, true);
}

bool FileStore::makeFolder() const {
  // The parents too: $XDG_CACHE_HOME may be missing. Their modes are those that the XDG Base Directory Specification
  // asks for.
  for (size_t at = folder_.find('/', 1);; at = folder_.find('/', at + 1)) {
    if (mkdir(folder_.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST && at == std::string::npos) return false;
    if (at == std::string::npos) break;
  }
  // A link is as good as what it leads to, if it is the user's own: others could let theirs lead elsewhere.
  struct stat link, s;
  if (lstat(folder_.c_str(), &link) != 0 || link.st_uid != geteuid()) return false;
  return stat(folder_.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && isOurs(s);
}

bool FileStore::put(const std::string& name, std::span<const std::byte> bytes, Replace replace) const {
  if (!makeFolder()) return false;
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return false;
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, "-%016llx%s", static_cast<unsigned long long>(number), kUnfinished);
  const std::string path = pathOf(name), unfinished = path + suffix;
  bool done = false;
  {
    const Fd fd(open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd) return false;
    // No fsync: after a crash of the system a file may be cut short or zeros, which its reader notices.
    done = writeAll(fd.get(), bytes);
  }
  if (replace == Replace::Yes) {
    done = done && rename(unfinished.c_str(), (path + kFile).c_str()) == 0;
    if (!done) unlink(unfinished.c_str());
    return done;
  }
  done = done && link(unfinished.c_str(), (path + kKept).c_str()) == 0;
  unlink(unfinished.c_str());
  return done;
}

bool FileStore::write(const std::string& name, std::span<const std::byte> bytes) {
  if (!put(name, bytes, Replace::Yes)) return false;
  // Others write as well, so what is there is counted again from time to time, and when a process begins.
  if (growth_ >= limitBytes_ / 16) evict();
  growth_ += bytes.size();
  return true;
}

std::optional<std::vector<std::byte>> FileStore::readOrMake(const std::string& name, std::span<const std::byte> bytes) {
  const std::string path = pathOf(name) + kKept;
  if (auto there = readFile(path, false)) return there;
  (void)put(name, bytes, Replace::No);
  return readFile(path, false);
}

void FileStore::evict() {
  growth_ = 0;
  DIR* folder = opendir(folder_.c_str());
  if (!folder) return;
  std::vector<Entry> entries;
  uint64_t total = 0;
  while (const dirent* e = readdir(folder)) {
    const std::string_view name = e->d_name;
    const bool isUnfinished = name.ends_with(kUnfinished);
    struct stat s;
    if ((!name.ends_with(kFile) && !isUnfinished) || fstatat(dirfd(folder), e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    // Left by a process that ended before it was done.
    if (isUnfinished) {
      if (time(nullptr) - s.st_mtime > kAbandonedSeconds) (void)unlinkat(dirfd(folder), e->d_name, 0);
      continue;
    }
    entries.push_back({pathOf(e->d_name), s.st_size, s.st_mtim});
    total += static_cast<uint64_t>(s.st_size);
  }
  closedir(folder);
  if (total <= limitBytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.time.tv_sec, a.time.tv_nsec) < std::pair(b.time.tv_sec, b.time.tv_nsec);
  });
  // Somewhat more than necessary, so that it is not for each file.
  for (const Entry& e : entries) {
    if (total <= limitBytes_ - limitBytes_ / 4) break;
    if (unlink(e.path.c_str()) == 0) total -= static_cast<uint64_t>(e.bytes);
  }
}

}  // namespace etzel::store
