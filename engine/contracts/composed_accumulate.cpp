#include "engine/contracts/composed_accumulate.hpp"

#include <algorithm>

namespace ringcast {

class ComposedAccumulate::Operation final : public Pending::Operation {
 public:
  Operation(ComposedAccumulate& owner, Rank from, Slice into, Tag tag)
      : owner_{&owner},
        into_{into},
        scratch_{owner.take_scratch(into.length)},
        received_{owner.network_->recv(from, landing(), tag)} {}

  void wait() override {
    received_.wait();
    owner_->reducer_->accumulate(into_, landing()).wait();
    owner_->free_.push_back(scratch_);
  }
  [[nodiscard]] bool is_done() const override { return received_.is_done(); }
  void cancel() noexcept override {}  // the receive cancels itself; its scratch is not used again

 private:
  [[nodiscard]] Slice landing() const { return {scratch_.buffer, Bytes{0}, into_.length}; }

  ComposedAccumulate* owner_;
  Slice into_;
  Scratch scratch_;
  Pending received_;
};

Pending ComposedAccumulate::start(Rank from, Slice into, Tag tag) {
  return Pending{std::make_unique<Operation>(*this, from, into, tag)};
}

ComposedAccumulate::Scratch ComposedAccumulate::take_scratch(Bytes size) {
  const auto fits = [size](const Scratch& scratch) { return scratch.size >= size; };
  const auto found = std::find_if(free_.begin(), free_.end(), fits);
  if (found == free_.end()) {
    return {memory_->allocate(size), size};
  }
  const Scratch scratch = *found;
  free_.erase(found);
  return scratch;
}

}  // namespace ringcast
