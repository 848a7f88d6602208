#include "sim/model/call_costs.hpp"

#include <utility>

namespace ringcast {
namespace {

/// Runs `body`, a collective on a buffer of `size`, with the profile's cost of a call.
void run_call(const TransportProfile& profile, const RankActions& actions, Bytes size,
              CallPart part, const std::function<void()>& body) {
  if (!actions.is_gpu) {
    body();
    return;
  }
  const auto copy = [&](CopyDirection direction) {
    const Bytes copied = static_cast<std::uint64_t>(profile.copies(direction)) * size;
    if (copied > Bytes{0}) actions.copy(direction, copied);
  };
  actions.sleep(profile.call_overhead);
  if (part != CallPart::second_half) {
    copy(CopyDirection::to_host);
    copy(CopyDirection::on_host);
  }
  body();
  if (part != CallPart::first_half) {
    copy(CopyDirection::to_device);
  }
}

}  // namespace

void run_program(const TransportProfile& profile, const RankActions& actions,
                 const SimOptions& options, const RankProgram& program, RankContext& self) {
  if (!options.program_is_a_call) {
    program(self);
    return;
  }
  run_call(profile, actions, options.buffer, CallPart::whole, [&] { program(self); });
}

std::unique_ptr<Collective> with_call_costs(const TransportProfile& profile,
                                            const Collective& collective, CallPart part,
                                            std::function<RankActions(Rank)> actions_of) {
  return make_collective(
      collective.name(), [&profile, &collective, part, actions_of = std::move(actions_of)](
                             const CollectiveRequest& request, RankContext& self) {
        const RankActions actions = actions_of(self.network.rank());
        const Bytes size = request.elements * size_of(self.reducer.reduction().type);
        const Seconds begin = self.network.now() - actions.overheads();
        run_call(profile, actions, size, part, [&] { collective.run(request, self); });
        const Seconds lacking = begin + actions.overheads() - self.network.now();
        if (profile.tuner == Tuner::none && lacking > Seconds{0}) actions.sleep(lacking);
      });
}

}  // namespace ringcast
