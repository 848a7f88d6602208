#include "engine/contracts/collective.hpp"

namespace ringcast {
namespace {

class NamedCollective final : public Collective {
 public:
  NamedCollective(std::string_view name,
                  std::function<void(const CollectiveRequest&, RankContext&)> run)
      : name_{name}, run_{std::move(run)} {}
  [[nodiscard]] std::string_view name() const override { return name_; }
  void run(const CollectiveRequest& request, RankContext& self) const override {
    run_(request, self);
  }

 private:
  std::string_view name_;
  std::function<void(const CollectiveRequest&, RankContext&)> run_;
};

}  // namespace

std::unique_ptr<Collective> make_collective(
    std::string_view name, std::function<void(const CollectiveRequest&, RankContext&)> run) {
  return std::make_unique<NamedCollective>(name, std::move(run));
}

}  // namespace ringcast
