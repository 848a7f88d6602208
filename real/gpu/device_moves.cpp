#include "real/gpu/device_moves.hpp"

namespace ringcast {
namespace {

using Stage = Pipeline::Stage;

Stage to_wire_from(Wire& wire, const WireMessage& message, const std::byte* source) {
  return [&wire, message, source](const Piece& piece, Workspace&) {
    return wire.send(message.peer, message.id,
                     {source + piece.offset.count(), piece.length.count()});
  };
}

/// The last two stages of a reduction on the host, after the peer's piece is in the peer_buffer().
void append_host_reduction(std::vector<Stage>& stages, Reduction reduction, std::byte* into,
                           DeviceStream& stream) {
  stages.emplace_back([into, &stream](const Piece& piece, Workspace& space) {
    stream.copy(space.own_buffer(), into + piece.offset.count(), piece.length);
    return stream.mark();
  });
  stages.emplace_back([reduction, into, &stream](const Piece& piece, Workspace& space) {
    const std::size_t length = piece.length.count();
    accumulate_bytes(reduction, {space.own_buffer(), length}, {space.peer_buffer(), length});
    stream.copy(into + piece.offset.count(), space.own_buffer(), piece.length);
    return stream.mark();
  });
}

Stage wire_to_pinned(Wire& wire, const WireMessage& message) {
  return [&wire, message](const Piece& piece, Workspace& space) {
    return wire.receive(message.peer, message.id, {space.peer_buffer(), piece.length.count()});
  };
}

}  // namespace

Pipeline send_pipeline(const MoveTools& tools, const WireMessage& message, const std::byte* source,
                       DeviceStream& stream) {
  Wire& wire = *tools.wire;
  std::vector<Stage> stages;
  if (message.path == MessagePath::cuda_aware) {
    stages = {to_wire_from(wire, message, source)};
  } else {
    stages = {
        [source, &stream](const Piece& piece, Workspace& space) {
          stream.copy(space.own_buffer(), source + piece.offset.count(), piece.length);
          return stream.mark();
        },
        [&wire, message](const Piece& piece, Workspace& space) {
          return wire.send(message.peer, message.id, {space.own_buffer(), piece.length.count()});
        }};
  }
  return {message.length, tools.staging->segment, *tools.staging, std::move(stages)};
}

Pipeline receive_pipeline(const MoveTools& tools, const WireMessage& message,
                          std::byte* destination, DeviceStream& stream) {
  Wire& wire = *tools.wire;
  std::vector<Stage> stages;
  if (message.path == MessagePath::cuda_aware) {
    stages = {[&wire, message, destination](const Piece& piece, Workspace&) {
      return wire.receive(message.peer, message.id,
                          {destination + piece.offset.count(), piece.length.count()});
    }};
  } else {
    stages = {wire_to_pinned(wire, message),
              [destination, &stream](const Piece& piece, Workspace& space) {
                stream.copy(destination + piece.offset.count(), space.peer_buffer(), piece.length);
                return stream.mark();
              }};
  }
  return {message.length, tools.staging->segment, *tools.staging, std::move(stages)};
}

Pipeline receive_accumulate_pipeline(const MoveTools& tools, const WireMessage& message,
                                     std::byte* into, DeviceStream& stream) {
  Wire& wire = *tools.wire;
  const Reduction reduction = tools.reduction;
  const bool is_staged = message.path == MessagePath::staged;
  std::vector<Stage> stages;
  if (is_staged || tools.reduce_on == ReduceOn::host) {
    stages.push_back(wire_to_pinned(wire, message));
  } else {
    stages.emplace_back([&wire, message, into](const Piece& piece, Workspace& space) {
      std::byte* const scratch = space.scratch_like(into + piece.offset.count());
      return wire.receive(message.peer, message.id, {scratch, piece.length.count()});
    });
  }
  if (tools.reduce_on == ReduceOn::host) {
    append_host_reduction(stages, reduction, into, stream);
  } else {
    stages.emplace_back(
        [reduction, is_staged, into, &stream](const Piece& piece, Workspace& space) {
          std::byte* const mine = into + piece.offset.count();
          std::byte* const scratch = space.scratch_like(mine);
          if (is_staged) {
            stream.copy(scratch, space.peer_buffer(), piece.length);
          }
          stream.accumulate(reduction, mine, scratch, piece.length);
          return stream.mark();
        });
  }
  return {message.length, tools.staging->segment, *tools.staging, std::move(stages)};
}

Pipeline copy_pipeline(const MoveTools& tools, std::byte* destination, const std::byte* source,
                       Bytes length, DeviceStream& stream) {
  return {length,
          length,
          *tools.staging,
          {[destination, source, &stream](const Piece& piece, Workspace&) {
            stream.copy(destination, source, piece.length);
            return stream.mark();
          }}};
}

Pipeline accumulate_pipeline(const MoveTools& tools, std::byte* into, const std::byte* from,
                             Bytes length, DeviceStream& stream) {
  const Reduction reduction = tools.reduction;
  if (tools.reduce_on == ReduceOn::device) {
    return {length,
            length,
            *tools.staging,
            {[reduction, into, from, &stream](const Piece& piece, Workspace&) {
              stream.accumulate(reduction, into, from, piece.length);
              return stream.mark();
            }}};
  }
  std::vector<Stage> stages{[from, &stream](const Piece& piece, Workspace& space) {
    stream.copy(space.peer_buffer(), from + piece.offset.count(), piece.length);
    return stream.mark();
  }};
  append_host_reduction(stages, reduction, into, stream);
  return {length, tools.staging->segment, *tools.staging, std::move(stages)};
}

}  // namespace ringcast
