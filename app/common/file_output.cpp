#include "app/common/file_output.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, int code) {
  const char* const expected =
      code == EISDIR ? "the name of a file" : "a folder that exists and can be written";
  throw ScenarioError{fmt::format("{}: cannot be written: {} (expected {})", path.string(),
                                  std::generic_category().message(code), expected)};
}

/// A file open for writing; closed, and removed unless it was kept.
class OpenFile {
 public:
  /// A new file beside `target`, under a name that nobody else has.
  static OpenFile beside(const fs::path& target, const fs::path& shown) {
    for (int attempt = 0;; ++attempt) {
      const fs::path name =
          target.parent_path() / fmt::format(".ringcast-{}-{}.tmp", ::getpid(), attempt);
      const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0) {
        return OpenFile{descriptor, name, shown};
      }
      if (errno != EEXIST) {
        refuse(shown, errno);
      }
    }
  }
  static OpenFile existing(const fs::path& path) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) {
      refuse(path, errno);
    }
    return OpenFile{descriptor, {}, path};
  }

  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
    if (!temporary_.empty()) {
      ::unlink(temporary_.c_str());
    }
  }

  void write(std::string_view contents) {
    while (!contents.empty()) {
      const ssize_t count = ::write(descriptor_, contents.data(), contents.size());
      if (count >= 0) {
        contents.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno != EINTR) {
        refuse(shown_, errno);
      }
    }
  }

  /// On the disk under its final name, with the permissions of the file that it replaces.
  void keep_as(const fs::path& target) {
    struct stat replaced {};
    const bool replaces = ::stat(target.c_str(), &replaced) == 0;
    if ((replaces && ::fchmod(descriptor_, replaced.st_mode & 07777U) != 0) ||
        ::fsync(descriptor_) != 0 || ::rename(temporary_.c_str(), target.c_str()) != 0) {
      refuse(shown_, errno);
    }
    temporary_.clear();
  }

 private:
  OpenFile(int descriptor, fs::path temporary, fs::path shown)
      : descriptor_{descriptor}, temporary_{std::move(temporary)}, shown_{std::move(shown)} {}

  int descriptor_;
  fs::path temporary_;
  fs::path shown_;
};

/// Renaming onto a device would replace the device.
bool is_special(const fs::path& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// The file that `path` means: behind a link; refused where no file can be.
fs::path target_of(const fs::path& path) {
  std::error_code failure;
  if (path.empty()) {
    refuse(path, ENOENT);
  }
  if (!path.has_filename() || fs::is_directory(path, failure)) {
    refuse(path, EISDIR);
  }
  if (!fs::exists(path, failure)) {
    return path;
  }
  if (::access(path.c_str(), W_OK) != 0) {
    refuse(path, errno);
  }
  fs::path target = fs::canonical(path, failure);
  if (failure) {
    refuse(path, failure.value());
  }
  return target;
}

}  // namespace

void write_file(const fs::path& path, std::string_view contents) {
  if (is_special(path)) {
    OpenFile::existing(path).write(contents);
    return;
  }
  const fs::path target = target_of(path);
  OpenFile file = OpenFile::beside(target, path);
  file.write(contents);
  file.keep_as(target);
}

void check_writable(const fs::path& path) {
  if (is_special(path)) {
    if (::access(path.c_str(), W_OK) != 0) {
      refuse(path, errno);
    }
    return;
  }
  OpenFile::beside(target_of(path), path);
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  const auto place = [](const fs::path& file) { return fs::weakly_canonical(fs::absolute(file)); };
  return place(one) == place(other);
}

void expect_yaml_name(std::string_view option, const fs::path& path) {
  const fs::path suffix = path.extension();
  if (suffix != ".yaml" && suffix != ".yml") {
    throw ScenarioError{fmt::format("{}: {} ends in \"{}\" (expected .yaml or .yml)", option,
                                    path.string(), suffix.string())};
  }
}

}  // namespace ringcast
