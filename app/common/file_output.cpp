#include "app/common/file_output.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"
#include "engine/system/child_process.hpp"
#include "engine/system/descriptor.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

/// For a file that cannot be created although it has a name.
std::string expected_folder(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder, none)
             ? "a folder in which files can be created"
             : fmt::format("a folder that exists: mkdir -p {}", folder.string());
}

std::string expected_instead_of(int code, const fs::path& path) {
  switch (code) {
    case ENOENT:
      return path.empty() ? "the name of a file" : expected_folder(folder_of(path));
    case EISDIR:
      return "the name of a file";
    case EFBIG:
      return "a higher limit, ulimit -f";
    case ENOSPC:
    case EDQUOT:
      return "a disk with room";
    default:
      return "a folder that exists and can be written";
  }
}

[[noreturn]] void refuse(const fs::path& path, int code) {
  throw ScenarioError{fmt::format("{}: cannot be written: {} (expected {})", path.string(),
                                  std::generic_category().message(code),
                                  expected_instead_of(code, path))};
}

/// Two paths with equal identities are one file.
struct FileIdentity {
  dev_t device;
  ino_t number;
  bool operator==(const FileIdentity&) const = default;
};

std::optional<FileIdentity> identity_of(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? std::optional{FileIdentity{found.st_dev, found.st_ino}}
                                           : std::nullopt;
}

// Global: readers are in many rooms, and a command may find its inputs only while it reads.
std::vector<fs::path> inputs;    // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
bool has_special_input = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// Blocks signals while it exists; pending ones are delivered afterwards.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all{};
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

void write_all_of(std::string_view contents, int descriptor, const fs::path& shown) {
  if (!write_all(descriptor, contents.data(), contents.size())) {
    refuse(shown, errno);
  }
}

/// A file that gets its name when it is complete. Until then it has none (O_TMPFILE), so that a
/// killed process leaves nothing; on file systems without such files it has a temporary name.
class NewFile {
 public:
  NewFile(fs::path target, fs::path shown)
      : target_{std::move(target)},
        shown_{std::move(shown)},
        descriptor_{::open(folder_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)} {
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    if (!descriptor_.is_open()) {
      name_with([&](const char* name) {
        descriptor_ = Descriptor{::open(name, flags, 0666)};
        return descriptor_.is_open();
      });
    }
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!temporary_.empty()) {
      ::unlink(temporary_.c_str());
    }
  }

  /// Writes to the disk, with the permissions of the file that is replaced.
  void write(std::string_view contents) {
    write_all_of(contents, descriptor_.value(), shown_);
    struct stat replaced {};
    const bool replaces = ::stat(target_.c_str(), &replaced) == 0;
    if ((replaces && ::fchmod(descriptor_.value(), replaced.st_mode & 07777U) != 0) ||
        ::fsync(descriptor_.value()) != 0) {
      refuse(shown_, errno);
    }
  }

  void replace_target() {
    if (temporary_.empty()) {
      if (link_as(target_.c_str())) {
        return;
      }
      name_with([&](const char* name) { return link_as(name); });  // link() replaces nothing
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
      refuse(shown_, errno);
    }
    temporary_.clear();
  }

 private:
  [[nodiscard]] bool link_as(const char* name) const {
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_.value());
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
  }
  /// Calls `take` with names until one is free.
  template <typename Take>
  void name_with(const Take& take) {
    for (int attempt = 0;; ++attempt) {
      const fs::path name =
          folder_of(target_) / fmt::format(".ringcast-{}-{}.tmp", ::getpid(), attempt);
      if (take(name.c_str())) {
        temporary_ = name;
        return;
      }
      if (errno != EEXIST) {
        refuse(shown_, errno);
      }
    }
  }

  fs::path target_;
  fs::path shown_;
  fs::path temporary_;  // empty while it has no name
  Descriptor descriptor_;
};

/// Makes a rename durable, on file systems that can sync a folder.
void sync_folder(const fs::path& folder) {
  const Descriptor open{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (open.is_open()) {
    ::fsync(open.value());
  }
}

}  // namespace

void write_file(const fs::path& path, std::string_view contents) {
  if (is_special(path)) {
    const Descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    if (!file.is_open()) {
      refuse(path, errno);
    }
    return write_all_of(contents, file.value(), path);  // may block for ever, hence with signals
  }
  const BlockedSignals blocked;
  const fs::path target = target_of(path);
  make_folder_of(target);
  NewFile file{target, path};
  file.write(contents);
  file.replace_target();
  sync_folder(folder_of(target));
}

void check_writable(const fs::path& path) {
  if (is_special(path)) {
    if (::access(path.c_str(), W_OK) != 0) {
      refuse(path, errno);
    }
    return;
  }
  const BlockedSignals blocked;
  const fs::path target = target_of(path);
  std::error_code none;
  const fs::path folder = folder_of(target);
  NewFile{fs::exists(folder, none) ? target : folder, path};
}

void make_folder_of(const fs::path& file) {
  std::error_code reported_later;  // by write_file()
  fs::create_directory(folder_of(file), reported_later);
}

void note_input(const fs::path& path) {
  if (is_special(path)) {
    has_special_input = true;
  } else if (identity_of(path)) {
    inputs.push_back(path);
  }
}

std::optional<std::vector<fs::path>> noted_inputs() {
  return has_special_input ? std::nullopt : std::optional{inputs};
}

bool is_special(const fs::path& path) {
  std::error_code none;
  return fs::is_other(fs::status(path, none));
}

fs::path target_of(const fs::path& path) {
  constexpr int most_links = 40;  // as Linux
  std::error_code failure;
  fs::path target = path;
  for (int links = 0; fs::is_symlink(fs::symlink_status(target, failure)); ++links) {
    if (links == most_links) {
      refuse(path, ELOOP);
    }
    target = target.parent_path() / fs::read_symlink(target, failure);
  }
  if (path.empty()) {
    refuse(path, ENOENT);
  }
  if (!target.has_filename() || fs::is_directory(target, failure)) {
    refuse(path, EISDIR);
  }
  if (const auto identity = identity_of(target)) {
    if (std::ranges::find(inputs, identity, identity_of) != inputs.end()) {
      throw ScenarioError{
          fmt::format("{}: is read by this command (expected another file)", path.string())};
    }
    if (::access(target.c_str(), W_OK) != 0) {
      refuse(path, errno);
    }
  } else if (errno != ENOENT) {
    refuse(path, errno);
  }
  return target;
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  const auto full_name = [](const fs::path& path) {  // without links and dots
    std::error_code none;
    return fs::weakly_canonical(fs::absolute(target_of(path), none), none);
  };
  return full_name(one) == full_name(other);
}

std::string format_of_name(std::string_view option, const fs::path& path,
                           const std::vector<std::string_view>& formats) {
  const std::string suffix = path.extension();
  std::string format = suffix.substr(suffix.empty() ? 0 : 1);
  if (std::ranges::find(formats, format) == formats.end()) {
    throw ScenarioError{
        fmt::format("{}: {} {} (expected .{} or .{})", option, path.string(),
                    suffix.empty() ? "has no ending" : fmt::format("ends in \"{}\"", suffix),
                    fmt::join(formats.begin(), formats.end() - 1, ", ."), formats.back())};
  }
  return format;
}

void expect_yaml_name(std::string_view option, const fs::path& path) {
  format_of_name(option, path, {"yaml", "yml"});
}

}  // namespace ringcast
