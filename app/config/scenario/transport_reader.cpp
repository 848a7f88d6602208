#include "app/config/scenario/transport_reader.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "app/config/scenario/allowed_choices.hpp"
#include "app/config/scenario/protocol_reader.hpp"
#include "app/config/scenario/scenario.hpp"
#include "app/config/yaml/file_kind.hpp"
#include "app/config/yaml/known_keys.hpp"
#include "app/config/yaml/sourced_value.hpp"
#include "app/config/yaml/yaml_reader.hpp"

namespace ringcast {

namespace {

// Rates outside of this range have a wrong unit, as for cables.
constexpr BytesPerSecond least_rate{1e3};
constexpr BytesPerSecond most_rate{1e15};

BytesPerSecond read_limit(const InputNode& node, std::string_view without) {
  return node.within(node.rate(), least_rate, most_rate,
                     fmt::format("1 kB/s to 1000 TB/s, or {}", without));
}

std::optional<PathLevel> read_level(const InputNode& node) {
  static constexpr std::array<std::string_view, 6> names{"none", "NVL", "PIX", "PXB", "PHB", "SYS"};
  return path_level_named(node.one_of("level", names));
}

BufferPlace read_buffers(const InputNode& node) {
  return node.one_of("place", {NamedValue{"device", BufferPlace::device},
                               {"host", BufferPlace::host},
                               {"host-copies", BufferPlace::host_copies}});
}

/// Reads a profile's values, each a scalar or {value, source}.
class ProfileReader {
 public:
  /// `bases`: the number of transports in the chain of bases that has led to this one.
  explicit ProfileReader(const InputNode& node, int bases = 0) : node_{node} {
    expect_kind(node, "transport");
    if (const auto base = node.find("base")) {
      if (bases == most_bases) {
        base->fail(fmt::format("{} bases, one after the other", bases + 1),
                   fmt::format("{} at most, none its own base", most_bases));
      }
      read_base(*base, bases + 1);
    }
    profile_.name = node.require("name", "a text").name();
    profile_.source = node.require("source", "where the costs come from").text();
  }

  TransportProfile read() {
    read_places();
    read_copies();
    read_messages();
    read_reduction();
    return std::move(profile_);
  }

 private:
  static constexpr int most_bases = 2;

  /// Begins with the transport whose values this one replaces.
  void read_base(const InputNode& node, int bases) {
    static constexpr std::string_view expected =
        "a transport file, relative to this one, or scenarios/transports/nccl.yaml, not a name; "
        "for a release of NCCL: tuner: nccl-2.26";
    const InputNode file =
        read_yaml_named(node, std::filesystem::path{node.document_name()}.parent_path(), expected);
    const InputNode base = section_or_whole(file, "transport");
    ProfileReader reader{base, bases};
    profile_ = reader.read();
    given_ = std::move(reader.given_);
    name_source_of_base();
  }

  /// Values of the base without a source of their own get the source of the base.
  void name_source_of_base() {
    const auto name_source_of = [this](const std::string& name) {
      profile_.sources.try_emplace(name, profile_.source);
    };
    for (const std::string_view key : keys_of("transport"))
      name_source_of(std::string{key});
    for (const std::string_view kind : keys_of("overheads"))
      name_source_of(fmt::format("overheads.{}", kind));
    for (const Protocol& each : profile_.protocols)
      name_source_of("protocols." + each.full_name());
  }

  /// The value under a key of `parent`; its source is kept under `name`.
  std::optional<InputNode> value(const InputNode& parent, const std::string& key,
                                 const std::string& name) {
    const std::optional<InputNode> found = parent.find(key);
    if (!found) return std::nullopt;
    profile_.sources.erase(name);  // the source of the base's value
    given_.insert(name);
    const SourcedValue read = sourced_value(*found);
    if (read.source) profile_.sources[name] = *read.source;
    return read.value;
  }
  std::optional<InputNode> value(const std::string& key) { return value(node_, key, key); }

  void cost(const std::string& key, Seconds& into) {
    if (const auto found = value(key)) into = read_cost(*found);
  }
  void limit(const std::string& key, BytesPerSecond& into, std::string_view without) {
    if (const auto found = value(key)) into = read_limit(*found, without);
  }
  void count(const std::string& key, int& into) {
    if (const auto found = value(key)) into = found->count();
  }
  /// Rejects a profile that enables a feature without its cost.
  void require_with(const std::string& reason, const std::string& key, std::string_view expected) {
    if (!node_.find(key) && !given_.contains(key)) {
      static_cast<void>(
          node_.require(key, fmt::format("{}, as the profile has {}", expected, reason)));
    }
  }

  void read_places() {
    if (const auto buffers = value("buffers")) profile_.buffers = read_buffers(*buffers);
    if (const auto level = value("p2p")) {
      profile_.p2p = read_level(*level);
      profile_.p2p_amd_pairs = {};  // that of the base file
    }
    if (const auto level = value("p2p_amd_pairs")) read_level_of_pairs(*level);
    if (const auto shm = value("shm")) profile_.shm = read_shm(*shm);
    if (const auto allowed = value("network_in_node")) profile_.network_in_node = allowed->truth();
    if (const auto level = value("gdr")) profile_.gdr = read_level(*level);
  }

  /// Refuses a level that p2p reaches anyway. No level is less than any.
  void read_level_of_pairs(const InputNode& level) {
    profile_.p2p_amd_pairs = read_level(level);
    if (profile_.p2p_amd_pairs >= profile_.p2p) return;
    const std::string_view p2p = name_of(*profile_.p2p);
    level.fail(fmt::format("{} is nearer than p2p, {}", level.text(), p2p),
               fmt::format("{} or a level after it, or no p2p_amd_pairs", p2p));
  }

  [[nodiscard]] bool read_shm(const InputNode& node) const {
    const bool shm = node.truth();
    if (!shm && profile_.buffers != BufferPlace::device) {
      node.fail("false, but the buffers are in host memory", "true, or buffers: device");
    }
    return shm;
  }

  void read_copies() {
    if (const auto staging = value("staging")) {
      profile_.pipelined_staging =
          staging->one_of("staging", {NamedValue{"pipelined", true}, {"one-after-other", false}});
    }
    if (const auto by = value("staged_by")) {
      profile_.kernel_copies =
          by->one_of("staged_by", {NamedValue{"copy-engines", false}, {"kernels", true}});
    }
    if (const auto buffer = value("staging_buffer")) profile_.staging_buffer = buffer->size();
    limit("copy_rate", profile_.copy_rate, "no copy_rate for what the cables allow");
    limit("socket_copy_rate", profile_.socket_copy_rate, "no socket_copy_rate without sockets");
    cost("socket_latency", profile_.socket_latency);
    limit("host_copy_rate", profile_.host_copy_rate, "no host_copy_rate for what memory allows");
    count("copies_to_host", profile_.copies_to_host);
    if (const auto copies = value("copies_on_host")) {
      profile_.copies_on_host = copies->integer(0, 100'000);
    }
    count("copies_to_device", profile_.copies_to_device);
    count("host_copies", profile_.host_copies);
    if (profile_.buffers == BufferPlace::host_copies) {
      require_with("buffers: host-copies", "copy_rate", "a rate");
    }
    if (profile_.buffers != BufferPlace::device) {
      require_with("its buffers in host memory", "host_copy_rate", "a rate");
    }
  }

  void read_messages() {
    count("gpus_per_process", profile_.gpus_per_process);
    cost("call_overhead", profile_.call_overhead);
    if (!node_.find("base")) {
      static_cast<void>(
          node_.require("message_overhead", "a time, 0 us if a message costs nothing"));
    }
    cost("message_overhead", profile_.message_overhead);
    read_overheads();
    read_protocols();
    if (const auto only = value("only_algorithms")) allow_algorithms(profile_, *only);
    if (const auto only = value("only_protocols")) allow_protocols(profile_, *only);
    if (const auto limit = value("eager_limit")) {
      profile_.eager_limit = limit->size();
      require_with("an eager_limit", "rendezvous_handshake", "a time");
    }
    if (node_.find("rendezvous_handshake")) {
      require_with("a rendezvous_handshake", "eager_limit", "a size");
    }
    cost("rendezvous_handshake", profile_.rendezvous_handshake);
  }

  void read_overheads() {
    const auto overheads = node_.find("overheads");
    if (!overheads) return;
    overheads->allow_keys_of("overheads");
    for (const PathKind kind : every_path_kind) {
      const std::string key = key_of(kind);
      if (const auto found = value(*overheads, key, fmt::format("overheads.{}", key))) {
        profile_.overheads[kind] = read_cost(*found);
      }
    }
  }

  /// The list replaces that of the base.
  void read_protocols() {
    if (const auto tuner = value("tuner")) read_tuner(*tuner, profile_);
    if (const auto tuner = value("efa_tuner")) {
      profile_.efa_tuner = tuner->one_of("release", {NamedValue{"none", EfaTuner::none},
                                                     {"2024", EfaTuner::of_2024},
                                                     {"2025", EfaTuner::of_2025}});
    }
    if (const auto buffer = value("channel_buffer")) {
      profile_.channel_buffer = buffer->within(buffer->size(), 1_KiB, 1_GiB, "1 KiB to 1 GiB");
    }
    if (const auto pxn = value("pxn")) profile_.pxn = pxn->truth();
    if (const auto least = value("least_channels")) {
      profile_.least_channels = least->integer<int>(1, most_nccl_channels);
    }
    if (const auto most = value("most_channels")) {
      profile_.most_channels = most->integer<int>(1, most_nccl_channels);
    }
    const auto list = node_.find("protocols");
    if (!list) return;
    profile_.protocols.clear();
    std::erase_if(profile_.sources,
                  [](const auto& each) { return each.first.starts_with("protocols."); });
    if (list->is_scalar()) {
      static constexpr std::array<std::string_view, 1> none{"none"};
      static_cast<void>(list->one_of("protocol", none));
      return;
    }
    for (const InputNode& entry : list->items()) {
      add_protocol(entry);
    }
  }

  void add_protocol(const InputNode& entry) {
    Protocol added = read_protocol(entry);
    const std::string name = added.full_name();
    if (std::ranges::find(profile_.protocols, name, &Protocol::full_name) !=
        profile_.protocols.end()) {
      entry.require("name", "").fail(fmt::format("{} is there twice", name), "each once");
    }
    if (const auto source = entry.find("source")) {
      profile_.sources["protocols." + name] = source->text();
    }
    profile_.protocols.push_back(std::move(added));
  }

  void read_reduction() {
    limit("reduce_rate", profile_.reduce_rate, "no reduce_rate for a reduction that costs nothing");
    limit("host_reduce_rate", profile_.host_reduce_rate, "no host_reduce_rate for no cost");
    cost("reduce_overhead", profile_.reduce_overhead);
    if (const auto competition = value("compute_competition")) {
      profile_.compute_competition = competition->number(0, 1);
    }
    if (const auto fused = value("fused_reduction")) profile_.fused_reduction = fused->truth();
  }

  const InputNode& node_;
  TransportProfile profile_;
  std::set<std::string> given_;  // the values that the file or its bases have
};

}  // namespace

TransportProfile read_transport(const InputNode& node) {
  return ProfileReader{section_or_whole(node, "transport")}.read();
}

TransportProfile read_transport(const std::filesystem::path& file) {
  return read_transport(read_yaml(file));
}

}  // namespace ringcast
