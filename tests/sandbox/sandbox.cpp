// etzel-sandbox: runs a program where the system refuses what some systems refuse, by a filter of system calls that it
// and its children keep. The filter looks at numbers alone, so it is stricter than what it stands for.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace {

/// The bits of an argument of which one must be set. mask 0: whatever it is.
struct Condition {
  uint32_t argument = 0, mask = 0;
};

/// A system call that fails with an error where all conditions hold.
struct Rule {
  uint32_t call;
  int error;
  std::array<Condition, 2> conditions{};
};

// What containers' filters refuse of what a renderer might ask for (the default profiles of container engines, and
// stricter ones).
constexpr Rule kContainer[] = {
    {SYS_memfd_create, ENOSYS},
    {SYS_userfaultfd, EPERM},
    {SYS_perf_event_open, EPERM},
    {SYS_clone3, ENOSYS},
    {SYS_io_uring_setup, ENOSYS},
    {SYS_keyctl, EPERM},
    {SYS_add_key, EPERM},
    {SYS_mbind, EPERM},
    {SYS_set_mempolicy, EPERM},
    {SYS_get_mempolicy, EPERM},
    {SYS_process_vm_readv, EPERM},
    {SYS_process_vm_writev, EPERM},
    {SYS_ptrace, EPERM},
    {SYS_unshare, EPERM},
    {SYS_setns, EPERM},
    {SYS_mount, EPERM},
    {SYS_bpf, EPERM},
    {SYS_sched_setaffinity, EPERM},
    {SYS_sched_setscheduler, EPERM},
    {SYS_setpriority, EPERM},
    {SYS_membarrier, ENOSYS},
    {SYS_mlock, EPERM},
    {SYS_shmget, ENOSYS},
};

// Every file system, /dev/shm too.
constexpr uint32_t kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
constexpr Rule kReadOnly[] = {
    {SYS_openat, EROFS, {{{2, kWrites}}}},
    {SYS_mkdirat, EROFS},
    {SYS_renameat2, EROFS},
    {SYS_unlinkat, EROFS},
    {SYS_linkat, EROFS},
    {SYS_symlinkat, EROFS},
    {SYS_truncate, EROFS},
    {SYS_fchmod, EROFS},
    {SYS_fchmodat, EROFS},
    {SYS_utimensat, EROFS},
#ifdef SYS_open
    {SYS_open, EROFS, {{{1, kWrites}}}},
    {SYS_creat, EROFS},
    {SYS_mkdir, EROFS},
    {SYS_rename, EROFS},
    {SYS_unlink, EROFS},
    {SYS_rmdir, EROFS},
    {SYS_link, EROFS},
    {SYS_symlink, EROFS},
    {SYS_chmod, EROFS},
#endif
};

// SELinux without execmem, systemd's MemoryDenyWriteExecute: only files are code.
constexpr Rule kNoCode[] = {
    {SYS_mmap, EACCES, {{{2, PROT_EXEC}, {3, MAP_ANONYMOUS}}}},
    {SYS_mmap, EACCES, {{{2, PROT_EXEC}, {2, PROT_WRITE}}}},
    {SYS_mprotect, EACCES, {{{2, PROT_EXEC}}}},
    {SYS_pkey_mprotect, EACCES, {{{2, PROT_EXEC}}}},
};

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

/// A filter for the kernel ("Seccomp BPF"): instructions that look at one call's seccomp_data.
class Filter {
 public:
  Filter() {
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  }

  void refuse(const Rule& rule) {
    size_t conditions = 0;
    for (const Condition& c : rule.conditions) conditions += c.mask != 0;
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
    add(BPF_JMP | BPF_JEQ | BPF_K, rule.call, 0, static_cast<uint8_t>(2 * conditions + 1));
    for (const Condition& c : rule.conditions) {
      if (!c.mask) continue;
      --conditions;
      const size_t low = offsetof(seccomp_data, args) + 8 * c.argument;  // the low half, on little-endian hosts
      add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(low));
      add(BPF_JMP | BPF_JSET | BPF_K, c.mask, 0, static_cast<uint8_t>(2 * conditions + 1));
    }
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(rule.error));
  }

  /// From now on, for good.
  bool install() {
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void add(uint16_t code, uint32_t k, uint8_t ifTrue = 0, uint8_t ifFalse = 0) {
    code_.push_back({code, ifTrue, ifFalse, k});
  }

  std::vector<sock_filter> code_;
};

constexpr char kUsage[] =
    "usage: etzel-sandbox [--container] [--read-only] [--no-code] PROGRAM [ARGUMENT…]\n"
    "Runs a program that cannot gain privileges (PR_SET_NO_NEW_PRIVS), and\n"
    "  --container   without system calls that containers refuse: memfd_create, userfaultfd, perf_event_open, …\n"
    "  --read-only   without writing to, making or removing any file\n"
    "  --no-code     without making memory executable\n";

}  // namespace

int main(int argc, char** argv) {
  Filter filter;
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
    std::span<const Rule> rules;
    if (is("--container")) rules = kContainer;
    if (is("--read-only")) rules = kReadOnly;
    if (is("--no-code")) rules = kNoCode;
    if (rules.empty()) break;
    for (const Rule& rule : rules) filter.refuse(rule);
  }
  if (i >= argc || argv[i][0] == '-') return std::fputs(kUsage, stderr), 2;
  if (!filter.install()) return std::perror("etzel-sandbox: no filters here"), 2;
  execvp(argv[i], argv + i);
  std::perror(argv[i]);
  return 127;
}
