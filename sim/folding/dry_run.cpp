#include "sim/folding/dry_run.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/contracts/contract_checks.hpp"
#include "engine/numbers/error.hpp"
#include "engine/reference/host_memory.hpp"
#include "sim/folding/rank_recorder.hpp"

namespace ringcast {
namespace {

using detail::DoneMessage;
using detail::Recorded;
using detail::Recorder;
using detail::RecordingProcessor;
using detail::RecordingReducer;

[[noreturn]] void refuse_streams(std::size_t most) {
  throw ScenarioError{
      fmt::format("more than {:.2g} connections between ranks are too many for the free memory "
                  "(expected an algorithm in which each rank has few peers, or fewer ranks)",
                  static_cast<double>(most))};
}

/// Numbers the streams. The first rank of a stream to be recorded numbers it, and adds it to a list
/// of its peer's. The peer looks up its streams in that list, which has better locality than a
/// table of all streams.
class NumberedStreams {
 public:
  NumberedStreams(DryRun& all, std::size_t most)
      : all_{&all}, most_{most}, last_(all.ranks.size(), -1) {}

  [[nodiscard]] DryRun::OneRank& rank(Rank rank) {
    return all_->ranks[static_cast<std::size_t>(index_of(rank))];
  }
  [[nodiscard]] int ranks() const { return static_cast<int>(all_->ranks.size()); }
  /// The streams of a rank that its peers have numbered so far.
  [[nodiscard]] StreamNumbers with(Rank rank) const {
    StreamNumbers numbers;
    for (int stream = last_[static_cast<std::size_t>(index_of(rank))]; stream >= 0;
         stream = before_[static_cast<std::size_t>(stream)]) {
      numbers.add(all_->streams[static_cast<std::size_t>(stream)], stream);
    }
    return numbers;
  }
  /// Numbers a stream that `peer` has not numbered.
  int add(const StreamKey& key, Rank peer) {
    if (all_->streams.size() >= most_) refuse_streams(most_);
    const auto number = static_cast<int>(all_->streams.size());
    all_->streams.push_back(key);
    before_.push_back(std::exchange(last_[static_cast<std::size_t>(index_of(peer))], number));
    return number;
  }

 private:
  DryRun* all_;
  std::size_t most_;
  std::vector<int> last_;    // by rank: the last stream in its list
  std::vector<int> before_;  // by stream: the one before it in its list
};

class RecordingEndpoint final : public Endpoint, public Outline {
 public:
  RecordingEndpoint(Rank rank, NumberedStreams& streams, Recorder& recorder)
      : rank_{rank}, streams_{&streams}, recorder_{&recorder}, numbers_{streams.with(rank)} {}
  [[nodiscard]] Rank rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return streams_->ranks(); }
  [[nodiscard]] Seconds now() const override { return Seconds{0}; }
  Pending send(Rank to, Slice source, Tag tag, Returns returns) override {
    const std::uint64_t back = returns ? 1 + place_of({to, rank_, *returns}, to, source) : 0;
    const std::uint64_t place = place_of({rank_, to, tag}, to, source);
    recorder_->add(Recorded::send, place, source.length.count(), back);
    return done(Recorder::Side::sends, place);
  }
  Pending recv(Rank from, Slice destination, Tag tag) override {
    const std::uint64_t place = place_of({from, rank_, tag}, from, destination);
    recorder_->add(Recorded::recv, place, destination.length.count());
    return done(Recorder::Side::recvs, place);
  }
  Pending recv_accumulate(Rank from, Slice into, Tag tag) override {
    const std::uint64_t place = place_of({from, rank_, tag}, from, into);
    recorder_->add(Recorded::recv_accumulate, place, into.length.count());
    return done(Recorder::Side::recvs, place);
  }
  [[nodiscard]] std::int64_t repeats(AlikeRounds rounds) override {
    recorder_->add(Recorded::repeat, static_cast<std::uint64_t>(rounds.next));
    return rounds.next;
  }
  [[nodiscard]] Outline* outline() override { return this; }
  void add(std::uint64_t number) override {
    streams_->rank(rank_).is_outlined = true;
    recorder_->add(Recorded::outline_number, number);
  }
  /// An outlined part waits in the order of completions, which is not known here. So all of its
  /// streams may be in use at once, and none is closed.
  void sends(Rank to, Slice first, Tag tag) override {
    const std::uint64_t place = place_of({rank_, to, tag}, to, first);
    recorder_->add(Recorded::outline_send, place);
    recorder_->open(Recorder::Side::sends, place);
  }
  void receives(Rank from, Slice first, Tag tag) override {
    const std::uint64_t place = place_of({from, rank_, tag}, from, first);
    recorder_->add(Recorded::outline_recv, place);
    recorder_->open(Recorder::Side::recvs, place);
  }

 private:
  Pending done(Recorder::Side side, std::uint64_t place) {
    return Pending{std::make_unique<DoneMessage>(*recorder_, side, place)};
  }
  /// The number of a stream among those of this rank, in order of first use. Checks the first
  /// message only: the run that follows checks all.
  std::uint64_t place_of(const StreamKey& key, Rank peer, Slice first) {
    std::vector<int>& own = streams_->rank(rank_).streams;
    const auto [place, is_own] = places_.add(key, static_cast<int>(own.size()));
    if (is_own) {
      expect_valid_message(*this, peer, first);
      const int known = numbers_.find(key);
      own.push_back(known >= 0 ? known : streams_->add(key, peer));
    }
    return static_cast<std::uint64_t>(place);
  }

  Rank rank_;
  NumberedStreams* streams_;
  Recorder* recorder_;
  StreamNumbers numbers_;  // of the streams that its peers have numbered
  StreamNumbers places_;
};

/// Records one rank.
void record(Rank rank, Reduction reduction, const RankProgram& program, NumberedStreams& streams) {
  Recorder recorder{streams.rank(rank)};
  PhantomMemory memory;
  RecordingReducer reducer{reduction, recorder};
  RecordingProcessor processor{recorder};
  RecordingEndpoint endpoint{rank, streams, recorder};
  RankContext context{endpoint, memory, reducer, processor};
  program(context);
}

/// Refuses early if each of some sample ranks sends on so many streams that all ranks together
/// would have too many. The samples are ranks / some + 1 apart, so that they are different GPUs of
/// their nodes: the same GPU of each node may be a server.
void expect_few_streams_of_some(int ranks, Reduction reduction, const RankProgram& program,
                                std::size_t most_streams) {
  constexpr int some = 16;
  constexpr int many = 64 * some;
  if (ranks < many) return;
  std::size_t least = most_streams;
  for (int i = 0; i < some; ++i) {
    const Rank rank{i * (ranks / some) + i};
    DryRun one;
    one.ranks.resize(static_cast<std::size_t>(ranks));
    NumberedStreams streams{one, most_streams};
    record(rank, reduction, program, streams);
    const auto sent = std::ranges::count(one.streams, rank, &StreamKey::from);
    least = std::min(least, static_cast<std::size_t>(sent));
  }
  if (least * static_cast<std::size_t>(ranks) > most_streams) refuse_streams(most_streams);
}

}  // namespace

DryRun dry_run(int ranks, Reduction reduction, const RankProgram& program, std::size_t most_streams,
               const std::function<void(double part)>& recorded) {
  expect_few_streams_of_some(ranks, reduction, program, most_streams);
  DryRun all;
  all.ranks.resize(static_cast<std::size_t>(ranks));
  NumberedStreams streams{all, most_streams};
  for (int rank = 0; rank < ranks; ++rank) {
    record(Rank{rank}, reduction, program, streams);
    if (recorded) recorded(static_cast<double>(rank + 1) / ranks);
  }
  return all;
}

}  // namespace ringcast
