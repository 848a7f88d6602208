#include "app/config/scenario/nccl_variables.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/config/yaml/input_node.hpp"
#include "engine/numbers/ascii.hpp"
#include "engine/numbers/error.hpp"

namespace ringcast {
namespace {

/// NCCL's switches are whole numbers: all but 0 enable.
bool is_on(const InputNode& value) {
  return value.integer<int>(-2, 1000) != 0;
}

/// ncclTopoGetLevel() in src/graph/paths.cc: a name, or a number of the first releases.
std::optional<PathLevel> level_of(const InputNode& value) {
  using Level = std::optional<PathLevel>;
  static constexpr NamedValue<Level> levels[] = {
      {"LOC", Level{}},        {"NVL", PathLevel::nvl}, {"NVB", PathLevel::nvl},
      {"PIX", PathLevel::pix}, {"PXB", PathLevel::pxb}, {"PXN", PathLevel::pxb},
      {"PHB", PathLevel::phb}, {"SYS", PathLevel::sys}, {"0", Level{}},
      {"1", PathLevel::pix},   {"2", PathLevel::pxb},   {"3", PathLevel::phb},
      {"4", PathLevel::sys},   {"5", PathLevel::sys}};
  return value.one_of("level", levels);
}

/// The list for all-reduces in `ring,tree`, or since 2.24 `allreduce:ring,tree;broadcast:ring`.
std::optional<std::string> of_allreduce(const std::string& text) {
  if (text.find(':') == std::string::npos) return text;
  std::string_view left = text;
  while (!left.empty()) {
    const std::string_view part = left.substr(0, left.find(';'));
    left.remove_prefix(std::min(left.size(), part.size() + 1));
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos || trimmed(part.substr(0, colon)) == "allreduce")
      return std::string{part.substr(colon == std::string_view::npos ? 0 : colon + 1)};
  }
  return std::nullopt;
}

/// parseList() in src/graph/tuning.cc: the names that are allowed, or after ^ all others.
void keep_listed(TransportProfile& profile, const InputNode& value, std::string_view what,
                 std::span<const NamedValue<std::string_view>> known,
                 std::string Protocol::*member) {
  std::optional<std::string> list = of_allreduce(lower_case(value.text()));
  if (!list) return;
  const bool excludes = list->starts_with('^');
  std::set<std::string_view> named;
  for (const InputNode& item :
       InputNode::from_option_list(value.document_name(), list->substr(excludes ? 1 : 0)).items()) {
    const std::string name =
        item.one_of(what, names_of(known, &NamedValue<std::string_view>::name));
    named.insert(std::ranges::find(known, name, &NamedValue<std::string_view>::name)->value);
  }
  profile.is_narrowed = true;
  std::erase_if(profile.protocols,
                [&](const Protocol& each) { return named.contains(each.*member) == excludes; });
  if (profile.protocols.empty()) {
    value.fail(in_quotes(value.text()) + " leaves nothing",
               fmt::format("{} {} of all-reduces that ringcast predicts",
                           what == "algorithm" ? "an" : "a", what));
  }
}

void keep_algorithms(TransportProfile& profile, const InputNode& value) {
  static constexpr NamedValue<std::string_view> algorithms[] = {
      {"ring", "ring"},          {"tree", "tree"},    {"nvls", "in-switch"},
      {"nvlstree", "in-switch"}, {"collnet", "none"}, {"collnetdirect", "none"},
      {"collnetchain", "none"},  {"pat", "none"}};
  keep_listed(profile, value, "algorithm", algorithms, &Protocol::algorithm);
}

void keep_protocols(TransportProfile& profile, const InputNode& value) {
  static constexpr NamedValue<std::string_view> protocols[] = {
      {"ll", "LL"}, {"ll128", "LL128"}, {"simple", "Simple"}};
  keep_listed(profile, value, "protocol", protocols, &Protocol::name);
}

void set_p2p(TransportProfile& profile, std::optional<PathLevel> level) {
  profile.p2p = level;
  profile.p2p_amd_pairs = {};
}

/// NCCL lowers larger numbers to MAXCHANNELS.
int channels_of(const InputNode& value) {
  return std::clamp(value.integer<int>(-2, 1'000'000), 0, most_nccl_channels);
}

void keep_channels(TransportProfile& profile, const InputNode& value) {
  const int most = channels_of(value);
  if (most > 0) profile.most_channels = std::min(profile.most_channels, most);
}

void expect_sockets(const TransportProfile& profile, const InputNode& value) {
  if (profile.is_over_tcp()) return;
  value.fail(in_quotes(value.text()) + " is TCP",
             "it with --transport nccl-sockets, or nccl-sockets-google on Google's NICs");
}

struct Variable {
  std::string_view name;
  void (*set)(TransportProfile&, const InputNode& value);
};

/// In the order in which they are set: NCCL_P2P_DISABLE overrides NCCL_P2P_LEVEL.
constexpr Variable variables[] = {
    {"NCCL_ALGO", keep_algorithms},
    {"NCCL_PROTO", keep_protocols},
    {"NCCL_NVLS_ENABLE",
     [](TransportProfile& profile, const InputNode& value) {
       if (is_on(value)) return;
       profile.is_narrowed = true;
       std::erase_if(profile.protocols,
                     [](const Protocol& each) { return each.algorithm == "in-switch"; });
     }},
    {"NCCL_P2P_LEVEL",
     [](TransportProfile& profile, const InputNode& value) { set_p2p(profile, level_of(value)); }},
    {"NCCL_P2P_DISABLE",
     [](TransportProfile& profile, const InputNode& value) {
       if (is_on(value)) set_p2p(profile, std::nullopt);
     }},
    {"NCCL_SHM_DISABLE",
     [](TransportProfile& profile, const InputNode& value) { profile.shm = !is_on(value); }},
    {"NCCL_NET_DISABLE_INTRA",
     [](TransportProfile& profile, const InputNode& value) {
       profile.network_in_node = !is_on(value);
     }},
    {"NCCL_NET_GDR_LEVEL",
     [](TransportProfile& profile, const InputNode& value) { profile.gdr = level_of(value); }},
    {"NCCL_BUFFSIZE",
     [](TransportProfile& profile, const InputNode& value) {
       profile.channel_buffer = Bytes{value.integer<std::uint64_t>(1 << 10, 1 << 30)};
       profile.sources["channel_buffer"] = "NCCL_BUFFSIZE";
     }},
    {"NCCL_MIN_NCHANNELS",
     [](TransportProfile& profile, const InputNode& value) {
       profile.least_channels = channels_of(value);
     }},
    {"NCCL_MIN_CTAS",  // the larger of both
     [](TransportProfile& profile, const InputNode& value) {
       profile.least_channels = std::max(profile.least_channels, channels_of(value));
     }},
    {"NCCL_MAX_NCHANNELS", keep_channels},
    {"NCCL_MAX_CTAS", keep_channels},  // the smaller of both
    {"NCCL_PXN_DISABLE",
     [](TransportProfile& profile, const InputNode& value) { profile.pxn = !is_on(value); }},
    {"NCCL_IB_DISABLE",
     [](TransportProfile& profile, const InputNode& value) {
       if (is_on(value)) expect_sockets(profile, value);
     }},
    {"NCCL_NET",
     [](TransportProfile& profile, const InputNode& value) {
       if (lower_case(value.text()) == "socket") expect_sockets(profile, value);
     }},
};

bool is_read(std::string_view name) {
  return std::ranges::find(variables, name, &Variable::name) != std::end(variables);
}

struct Replacement {
  std::string_view name;
  std::string_view by;
};

constexpr Replacement replacements[] = {
    {"NCCL_MNNVL_ENABLE", "`nvswitch: {nodes: 1}` in the cluster file for 0"},
    {"NCCL_GRAPH_FILE", "--ring"},
    {"NCCL_TOPO_FILE", "ringcast import nccl-xml"},
    {"NCCL_IB_HCA", "the NICs of the cluster file"},
};

struct Assignment {
  std::string name;
  std::optional<std::string> value;  // absent with -x NAME, which passes on the shell's
};

std::string without_quotes(const std::string& value) {
  const bool is_quoted = value.size() > 1 && value.front() == value.back() &&
                         (value.front() == '"' || value.front() == '\'');
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

std::vector<Assignment> assignments_in(const std::string& option, std::string_view text) {
  std::vector<Assignment> found;
  std::istringstream words{std::string{text}};
  bool is_passed_on = false;
  for (std::string word; words >> word;) {
    if (word == "export" || word == "-x" || word == "--env") {
      is_passed_on = word == "-x";
      continue;
    }
    const std::size_t equals = word.find('=');
    const bool is_name = std::exchange(is_passed_on, false) && equals == std::string::npos;
    if (is_name) {
      found.push_back({word, std::nullopt});
      continue;
    }
    if (equals == std::string::npos || equals == 0) {
      InputNode::from_option(option, word).fail(in_quotes(word), "NAME=VALUE, e.g. NCCL_ALGO=Ring");
    }
    found.push_back({word.substr(0, equals), without_quotes(word.substr(equals + 1))});
  }
  return found;
}

void set_variables(const std::map<std::string, InputNode>& given, TransportProfile& profile) {
  for (const Variable& variable : variables) {
    const auto found = given.find(std::string{variable.name});
    if (found != given.end()) variable.set(profile, found->second);
  }
}

}  // namespace

std::vector<std::string> set_nccl_variables(TransportProfile& profile, const std::string& option,
                                            std::string_view text) {
  if (profile.tuner == Tuner::none) {
    throw ScenarioError{
        fmt::format("{}: {} is not NCCL (expected a transport with a tuner, "
                    "e.g. nccl or rccl)",
                    option, profile.name)};
  }
  std::vector<std::string> notes;
  std::vector<std::string> others;
  std::map<std::string, InputNode> given;
  for (const auto& [name, text_of_value] : assignments_in(option, text)) {
    if (!text_of_value) {
      if (is_read(name)) notes.push_back(fmt::format("{0} has no value here: use {0}=VALUE", name));
      continue;
    }
    const InputNode value =
        InputNode::from_option(fmt::format("{}: {}", option, name), *text_of_value);
    if (!given.emplace(name, value).second) value.fail("is there twice", "each variable once");
    const auto replaced = std::ranges::find(replacements, name, &Replacement::name);
    if (replaced != std::end(replacements)) {
      notes.push_back(fmt::format("{} is not read: use {}", name, replaced->by));
    } else if (!is_read(name)) {
      others.push_back(name);
    }
  }
  set_variables(given, profile);
  if (!others.empty())
    notes.push_back(fmt::format("not in the model: {}", fmt::join(others, ", ")));
  return notes;
}

}  // namespace ringcast
