#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/file_input.hpp"

namespace ringcast {

/// One line of a log, without colours and other control sequences of a terminal.
struct LogLine {
  int number = 1;
  std::string text;
  bool ended = true;  // false: the file stops in it
};

struct LogFile {
  std::string name;  // as the user wrote it
  std::string sha256;
  std::string text;  // the whole file, unchanged
  std::vector<LogLine> lines;
};

/// A log from a text. Throws ScenarioError "FILE: UTF-16 (expected ...)", and "FILE: no text
/// (expected ...)" if it has zero bytes or more than four million lines.
[[nodiscard]] LogFile log_of(std::string name, std::string text);
/// Reads a log whole. Throws what read_file and log_of throw.
[[nodiscard]] LogFile read_log(const std::filesystem::path& file, std::string_view expected,
                               std::size_t most = largest_log);

/// The words of a line. A launcher's tag that ends in ">:" is a word of its own.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view line);

/// A number as printed: its value, and the unit of its last digit.
struct PrintedNumber {
  double value = 0;
  double digit = 0;
};
/// Empty unless the text is a finite number of 0 or more.
[[nodiscard]] std::optional<PrintedNumber> printed_number(std::string_view word);
/// Empty unless the text is a whole number of 0 or more in decimal digits.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view word);

/// Remarks on a log: the first of each kind, and the number of further ones.
class Remarks {
 public:
  /// `what` begins "FILE:LINE: ".
  void add(std::string_view kind, std::string what);
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] bool has(std::string_view kind) const;

 private:
  struct Remark {
    std::string kind;
    std::string first;
    int count = 0;
  };
  std::vector<Remark> remarks_;
};

}  // namespace ringcast
