// The listing has a record for each node: a header, then a line for each connected port.
//
//   Switch 36 "S-0008f10500200b50"  # "Voltaire 4036" enhanced port 0 lid 9 lmc 0
//   [1]  "S-0008f10500108c5c"[15]   # "Voltaire 4036 # 4036-8C5C" lid 16 4xQDR
//   [4]  "H-003048c749cd0000"[1](3048c749cd0001)  # "node1 HCA-1" lid 72 4xDDR
//
// A cable is in the records of both of its ends. Either may be missing.
#include "topology/import/ib_network.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "engine/numbers/ascii.hpp"
#include "engine/numbers/error.hpp"
#include "topology/cluster/index.hpp"
#include "topology/import/host_hardware.hpp"

namespace ringcast {

namespace {

using detail::index;

constexpr int most_ports = 65'535;

/// Reads a line from left to right; each function skips blanks first.
class LineScanner {
 public:
  explicit LineScanner(std::string_view line) : rest_{line} {}

  bool accept(char wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view word() {
    skip_blanks();
    const std::size_t end = std::min(rest_.find_first_of(" \t\r"), rest_.size());
    return take(end);
  }
  std::optional<int> number() {
    skip_blanks();
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value < 0 || value > most_ports) {
      return std::nullopt;
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// A text between quotes.
  std::optional<std::string> quoted() {
    if (!accept('"')) {
      return std::nullopt;
    }
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string text{trimmed(take(end))};  // infiniband-diags makes a line's end a blank
    rest_.remove_prefix(1);
    return text;
  }
  void skip_to(char wanted) { rest_.remove_prefix(std::min(rest_.find(wanted), rest_.size())); }
  /// The last word of the form width and speed: 4xNDR.
  [[nodiscard]] std::string rate() const {
    std::string found;
    for (LineScanner words{rest_}; !words.rest_.empty();) {
      const std::string_view word = words.word();
      const std::size_t x = word.find('x');
      if (x != std::string_view::npos && x > 0 && x + 1 < word.size() &&
          word.find_first_not_of("0123456789") == x &&
          word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", x + 1) ==
              std::string_view::npos) {
        found = word;
      }
    }
    return found;
  }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
  }
  std::string_view take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

enum class NodeKind { host_adapter, network_switch, other };

std::optional<NodeKind> kind_of(std::string_view word) {
  if (word == "Switch") {
    return NodeKind::network_switch;
  }
  if (word == "Ca" || word == "Hca") {
    return NodeKind::host_adapter;
  }
  return word == "Rt" ? std::optional{NodeKind::other} : std::nullopt;
}

class NetworkReader {
 public:
  NetworkReader(const std::string& name, std::span<const std::string> lines)
      : name_{name}, lines_{lines} {}

  IbNetwork read() {
    for (; line_ < lines_.size(); ++line_) {
      LineScanner scanner{lines_[line_]};
      if (scanner.accept('#')) {
        continue;
      }
      if (scanner.accept('[')) {
        read_port(scanner);
        continue;
      }
      const std::string_view word = scanner.word();
      constexpr std::string_view system_image = "sysimgguid=";
      if (word.starts_with(system_image)) {
        adapter_ = adapter_guid(word.substr(system_image.size()));
      } else if (const auto kind = kind_of(word)) {
        read_header(*kind, scanner);
        adapter_.clear();
      }
    }
    if (network_.nodes.empty()) {
      throw ScenarioError{
          fmt::format("{}: no Switch and no Ca (expected what ibnetdiscover printed)", name_)};
    }
    for (const Port& port : ports_) {
      line_ = port.line;
      add_cable(port);
    }
    distinguish_hosts(network_);
    return std::move(network_);
  }

 private:
  struct Port {
    int node;
    int number;
    std::string peer;
    int peer_number;
    std::string peer_description;
    std::string rate;
    std::size_t line;
  };

  [[noreturn]] void refuse(const std::string& problem) const {
    throw ScenarioError{fmt::format("{}:{}: {}", name_, line_ + 1, problem)};
  }

  void read_header(NodeKind kind, LineScanner& scanner) {
    const auto ports = scanner.number();
    const auto id = scanner.quoted();
    if (!ports || !id || id->empty()) {
      refuse("a node without its number of ports or its name (expected Switch 36 \"S-...\")");
    }
    scanner.skip_to('"');
    const std::string description = scanner.quoted().value_or("");
    const bool is_sharp = description.find("Aggregation Node") != std::string::npos;
    if (kind == NodeKind::other || is_sharp) {
      current_ = -1;
      left_out_.insert(*id);
      return;
    }
    current_ = static_cast<int>(network_.nodes.size());
    if (!index_.emplace(*id, current_).second) {
      refuse(fmt::format("a second node {} (expected each once)", *id));
    }
    network_.nodes.push_back({*id, description, kind == NodeKind::network_switch, adapter_});
  }

  void read_port(LineScanner& scanner) {
    const auto number = scanner.number();
    scanner.skip_to('"');
    const auto peer = scanner.quoted();
    const auto peer_number = scanner.accept('[') ? scanner.number() : std::nullopt;
    if (!number || !peer || !peer_number) {
      refuse("a port that is not cabled to one (expected [1] \"S-...\"[2])");
    }
    if (network_.nodes.empty() && left_out_.empty()) {
      refuse("a port without a node (expected a line Switch or Ca before it)");
    }
    if (current_ < 0) {
      return;
    }
    const std::string rate = scanner.rate();
    scanner.skip_to('"');
    ports_.push_back(
        {current_, *number, *peer, *peer_number, scanner.quoted().value_or(""), rate, line_});
  }

  /// The index of a peer; a node without a record is an adapter unless its name is that of a
  /// switch.
  int index_of_peer(const Port& port) {
    const auto [found, is_new] =
        index_.try_emplace(port.peer, static_cast<int>(network_.nodes.size()));
    if (is_new) {
      network_.nodes.push_back({port.peer, port.peer_description, port.peer.starts_with("S-")});
      if (without_record_++ == 0) {
        network_.remarks.push_back(fmt::format(
            "{} has no record of its own; it is taken from its neighbours' (the first of its kind)",
            port.peer));
      }
    }
    return found->second;
  }

  void add_cable(const Port& port) {
    const bool is_sharp = port.peer_description.find("Aggregation Node") != std::string::npos;
    if (left_out_.contains(port.peer) || is_sharp) {
      return;
    }
    const int peer = index_of_peer(port);
    if (peer == port.node) {
      network_.remarks.push_back(
          fmt::format("{}: a cable to itself is left out", network_.nodes[index(peer)].id));
      return;
    }
    const End near{port.node, port.number};
    const End far{peer, port.peer_number};
    const auto [at_near, near_is_new] = cable_at_.try_emplace(near, network_.cables.size());
    const auto [at_far, far_is_new] = cable_at_.try_emplace(far, network_.cables.size());
    if (at_near->second != at_far->second) {
      refuse(fmt::format("{} has another cable in another line (expected the same one there)",
                         to_text(near_is_new ? far : near)));
    }
    if (near_is_new) {
      network_.cables.push_back({port.node, peer, port.rate, port.number, port.peer_number});
    } else if (std::string& rate = network_.cables[at_near->second].rate; rate.empty()) {
      rate = port.rate;
    }
  }

  /// A port of a node, by its index.
  using End = std::pair<int, int>;
  [[nodiscard]] std::string to_text(const End& end) const {
    return fmt::format("port {} of {}", end.second, network_.nodes[index(end.first)].id);
  }

  const std::string& name_;
  std::span<const std::string> lines_;
  std::size_t line_ = 0;
  std::string adapter_;  // of the next header
  int current_ = -1;     // the node of the current record; -1: omitted
  int without_record_ = 0;
  std::map<std::string, int> index_;
  std::set<std::string> left_out_;
  std::vector<Port> ports_;
  std::map<End, std::size_t> cable_at_;
  IbNetwork network_;
};

}  // namespace

IbNetwork read_ib_network(const std::string& name, std::span<const std::string> lines) {
  return NetworkReader{name, lines}.read();
}

}  // namespace ringcast
