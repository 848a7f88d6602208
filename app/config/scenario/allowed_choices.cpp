#include "app/config/scenario/allowed_choices.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/config/yaml/nearest_name.hpp"

namespace ringcast {
namespace {

constexpr std::string_view names_of_nccl[] = {"ring", "tree", "in-switch", "LL", "LL128", "Simple"};

void allow(TransportProfile& profile, const InputNode& names, std::string_view what,
           std::string Protocol::*name) {
  std::vector<std::string_view> known;
  for (const Protocol& each : profile.protocols) {
    if (std::ranges::find(known, each.*name) == known.end()) known.push_back(each.*name);
  }
  if (known.empty()) {
    names.fail(fmt::format("{} has no protocols to choose from", profile.name),
               "a transport with protocols, e.g. one with base: scenarios/transports/nccl.yaml");
  }
  std::vector<std::string> allowed;
  for (const InputNode& item : names.one_or_more()) {
    const auto is_in = [&item](const auto& list) {
      return std::ranges::find(list, item.text()) != std::end(list);
    };
    if (profile.is_narrowed && is_in(names_of_nccl) && !is_in(known)) {
      item.fail(fmt::format("{} is no {} that {} still allows", in_quotes(item.text()), what,
                            profile.name),
                listed(known, "or"));
    }
    allowed.push_back(item.one_of(what, known));
  }
  profile.is_narrowed = true;
  std::erase_if(profile.protocols, [&](const Protocol& each) {
    return std::ranges::find(allowed, each.*name) == allowed.end();
  });
}

}  // namespace

void allow_algorithms(TransportProfile& profile, const InputNode& names) {
  allow(profile, names, "algorithm", &Protocol::algorithm);
}

void allow_protocols(TransportProfile& profile, const InputNode& names) {
  allow(profile, names, "protocol", &Protocol::name);
}

}  // namespace ringcast
