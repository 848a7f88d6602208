#include "real/mpi/shared_window.hpp"

#include <new>

namespace ringcast {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<Ticket::State>::is_always_lock_free);

SharedWindow::SharedWindow(int receivers, std::uint64_t mark)
    : segment_{size_for(receivers), Sharing::this_host} {
  std::byte* const begin = segment_.bytes().data();
  new (begin) Head{.mark = mark};
  for (int receiver = 0; receiver < receivers; ++receiver) {
    new (&line(receiver)) Line;
  }
}

SharedWindow::SharedWindow(int receivers, pid_t owner, int descriptor)
    : segment_{size_for(receivers), owner, descriptor} {}

Envelope& SharedWindow::envelope(int receiver, std::uint64_t number) {
  return line(receiver).envelopes[number % most_envelopes];
}

std::atomic<std::uint64_t>& SharedWindow::taken(int receiver) {
  return line(receiver).taken;
}

Ticket& SharedWindow::ticket(std::uint32_t index) {
  return head().all_tickets[index];
}

Bytes SharedWindow::size_for(int receivers) {
  return Bytes{sizeof(Head) + static_cast<std::uint64_t>(receivers) * sizeof(Line)};
}

SharedWindow::Head& SharedWindow::head() const {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): made in this memory by its owner
  return *reinterpret_cast<Head*>(segment_.bytes().data());
}

SharedWindow::Line& SharedWindow::line(int receiver) const {
  std::byte* const lines = segment_.bytes().data() + sizeof(Head);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): made in this memory by its owner
  return reinterpret_cast<Line*>(lines)[receiver];
}

}  // namespace ringcast
