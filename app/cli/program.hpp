#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/numbers/enum_names.hpp"
#include "engine/numbers/units.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
class Option;
}  // namespace CLI

namespace ringcast {

// A facade of CLI11: its header takes 11 s to compile, and program.cpp alone includes it.

/// An option, a flag or a positional argument. Each function adds a rule and returns the option.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_{option} {}
  // NOLINTBEGIN(modernize-use-nodiscard): results are for chaining.
  Option required() const;
  /// The help shows the current value of the variable.
  Option shows_default() const;
  Option shows_default(const std::string& text) const;
  Option range(int least, int most) const;
  Option one_of(const std::vector<std::string>& values) const;
  /// Refuses an empty text, so that an unset variable of a script is an error.
  Option file_name() const;
  /// The heading in the help; "" hides the option.
  Option group(const std::string& heading) const;
  Option needs(Option other) const;
  Option excludes(Option other) const;
  // NOLINTEND(modernize-use-nodiscard)

 private:
  CLI::Option* option_;
};

/// A program or one of its commands. Variables given to option() and flag() must outlive the run.
class Command {
 public:
  Command(CLI::App& app, int& exit_code) : app_{&app}, exit_code_{&exit_code} {}
  [[nodiscard]] Command command(const std::string& name, const std::string& help);
  /// `names`: "--min,-b", or "files" for a positional argument.
  template <typename Value>
  Option option(const std::string& names, Value& value, const std::string& help);
  /// `read` is called with the option's text.
  Option callback_option(const std::string& names,
                         const std::function<void(const std::string&)>& read,
                         const std::string& help);
  /// One of `names`, which are those of the values; the help shows the current one.
  template <typename Enum, std::size_t size>
  Option choice(const std::string& name, Enum& value, const EnumNames<size>& names,
                const std::string& help) {
    const auto read = [&value, names](const std::string& text) {
      value = enum_named<Enum>(names, text).value();
    };
    return callback_option(name, read, help)
        .one_of(std::vector<std::string>(names.begin(), names.end()))
        .shows_default(std::string{name_in(names, value)});
  }
  /// A time above zero, `10 s`; the help shows the current value of the variable.
  Option duration(const std::string& name, Seconds& value, const std::string& help);
  Option flag(const std::string& names, bool& value, const std::string& help = "");
  [[nodiscard]] bool has(const std::string& name) const;
  /// The long names of all options so far, in their order.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] Option find(const std::string& name) const;
  /// The options among `names` that the user gave, as words of a command line.
  [[nodiscard]] std::vector<std::string> given(const std::vector<std::string>& names) const;
  /// `body` returns the exit code.
  void runs(const std::function<int()>& body);

 private:
  CLI::App* app_;
  int* exit_code_;
};

extern template Option Command::option(const std::string&, std::string&, const std::string&);
extern template Option Command::option(const std::string&, int&, const std::string&);
extern template Option Command::option(const std::string&, std::optional<int>&, const std::string&);
extern template Option Command::option(const std::string&, std::optional<std::string>&,
                                       const std::string&);
extern template Option Command::option(const std::string&, std::vector<std::string>&,
                                       const std::string&);

/// The body of a main(): defines the command line by `add_commands`, parses it, runs the command,
/// and converts an exception into one line on standard error and an exit code.
[[nodiscard]] int run_program(const std::string& name, const std::string& description, int argc,
                              char** argv, const std::function<void(Command&)>& add_commands);

}  // namespace ringcast
