// Two-rank transfers, after the OSU micro-benchmarks (osu_bw, osu_bibw, osu_latency).
//
//   one-way    0 -> 1 in a window of messages, which follow each other on one stream
//   both-ways  0 -> 1 and 1 -> 0, a window each
//   ping-pong  0 -> 1, then 1 -> 0
//
// With S the size, o the overhead of a message, a the latency of the path, b its bandwidth and w
// messages in the window, one of them takes
//   one-way, both-ways   o + S/b + a/w        ping-pong   o + a + S/b
// where latencies overlap. osu_bw's window has 64 messages, and an answer ends it; here the window
// ends with its last message, since the answer is short and comes once in 64 messages.
#include "engine/collectives/transfers.hpp"

#include <algorithm>

#include "engine/numbers/error.hpp"
#include "engine/schedule/chunks.hpp"

namespace ringcast {
namespace {

constexpr Tag transfer_tag{0};
constexpr int window = 64;

struct Transfer {
  std::string name;
  int messages;  // one after the other
  bool both_ways;
  bool answers;
};

const std::vector<Transfer>& table() {
  static const std::vector<Transfer> transfers{{"one-way", window, false, false},
                                               {"both-ways", window, true, false},
                                               {"ping-pong", 2, false, true}};
  return transfers;
}

const Transfer& transfer_named(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Transfer::name);
  expect(found != table().end(), "no transfer is called {}", name);
  return *found;
}

/// All messages of one direction or both.
void run_window(const Transfer& transfer, const Slice& message, RankContext& self) {
  const bool first = self.network.rank() == Rank{0};
  const Rank peer{first ? 1 : 0};
  const auto messages = static_cast<std::uint64_t>(transfer.messages);
  const BufferId scratch = self.memory.scratch(messages * message.length);
  std::vector<Pending> pending;
  for (std::uint64_t i = 0; i < messages; ++i) {
    if (!first || transfer.both_ways) {
      pending.push_back(
          self.network.recv(peer, {scratch, i * message.length, message.length}, transfer_tag));
    }
    if (first || transfer.both_ways) {
      pending.push_back(self.network.send(peer, message, transfer_tag));
    }
  }
  wait_all(pending);
}

void run_ping_pong(const Slice& message, RankContext& self) {
  const bool first = self.network.rank() == Rank{0};
  const Rank peer{first ? 1 : 0};
  if (first) self.network.send(peer, message, transfer_tag).wait();
  self.network.recv(peer, message, transfer_tag).wait();
  if (!first) self.network.send(peer, message, transfer_tag).wait();
}

}  // namespace

const std::vector<std::string>& transfer_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Transfer& transfer : table())
      all.push_back(transfer.name);
    return all;
  }();
  return names;
}

bool is_transfer(std::string_view name) {
  return std::ranges::find(transfer_names(), name) != transfer_names().end();
}

std::unique_ptr<Collective> make_transfer(std::string_view name) {
  const Transfer& transfer = transfer_named(name);
  return make_collective(
      transfer.name, [&transfer](const CollectiveRequest& request, RankContext& self) {
        if (index_of(self.network.rank()) > 1 || request.elements == 0) return;
        const Bytes width = size_of(self.reducer.reduction().type);
        const Slice message = slice_of(request.data, {0, request.elements}, width);
        transfer.answers ? run_ping_pong(message, self) : run_window(transfer, message, self);
      });
}

int consecutive_messages(std::string_view name) {
  return transfer_named(name).messages;
}

}  // namespace ringcast
