#include "topology/nccl/aws_tuner.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace ringcast {
namespace {

/// A corner of a region's upper limit: the largest size for a number of ranks. Straight lines join
/// the corners.
struct Corner {
  int ranks;
  double mebibytes;
};

/// Sizes above the regions before it, for the first corner's number of ranks or more.
struct Region {
  std::string_view choice;  // empty: NCCL's own
  std::vector<Corner> corners;
  bool ends = false;  // at its last corner; else the last line continues
};

constexpr double any_size = std::numeric_limits<double>::max();

const std::vector<Region>& regions_of(AwsInstance instance) {
  constexpr std::string_view switched = "in-switch/Simple";
  static const std::vector<Region> p5{
      {"tree/LL128",
       {{16, 30},
        {32, 36},
        {64, 112},
        {128, 288},
        {256, 288},
        {512, 320},
        {1024, 512},
        {2048, 384},
        {4096, 384}}},
      {switched, {{16, any_size}}, true},
      {switched, {{160, 424}, {256, 1025}}, true},
      {"ring/LL128", {{17, 1024}, {64, 2048}, {128, 2048}, {160, 1280}, {256, 2048}}, true},
      {"", {{17, 1024}, {32, 1536}, {64, 2560}, {127, 5920}}, true},
      {switched, {{128, 6144}, {160, 7680}, {192, 9216}}},
      {"ring/Simple", {{17, any_size}}},
  };
  static const std::vector<Region> p5en{
      {"tree/LL", {{16, 0.1875}}},
      {"tree/LL128", {{16, 12.5}, {127, 123.5}, {1024, 208}}},
      {"ring/LL128", {{16, 28.5}, {32, 280}, {64, 562}, {128, 524}}, true},
      {switched, {{16, 102400}, {32, 486}, {256, 7168}, {448, 16384}}},
      {"ring/Simple", {{16, any_size}}},
  };
  static const std::vector<Region> p6_b200{
      {"tree/LL", {{16, 0.375}}},
      {"tree/LL128",
       {{16, 4.5}, {32, 17.5}, {64, 38.5}, {128, 54.5}, {256, 69.5}, {1024, 92.5}, {2048, 101.5}}},
      {switched, {{32, 17.5}, {64, 48.5}, {128, 86.5}}, true},
      {"ring/LL128", {{32, 127.5}, {64, 114.5}, {128, 86.5}}, true},
      {switched, {{16, 102400}, {32, 415}, {64, 1023}, {512, 10240}, {1500, 32768}}},
      {"ring/Simple", {{16, any_size}}},
  };
  static const std::vector<Region> p6_b300{
      {"tree/LL",
       {{16, 0.6875},
        {32, 0.46875},
        {64, 0.40625},
        {256, 0.40625},
        {512, 0.34375},
        {1024, 0.34375}}},
      {"tree/LL128",
       {{16, 30}, {32, 52}, {64, 104}, {128, 120}, {256, 120}, {512, 176}, {1024, 208}}},
      {switched, {{64, 104}, {128, 352}}, true},
      {"ring/LL128", {{16, 60}, {32, 576}, {64, 960}, {128, 960}}, true},
      {switched, {{16, 102400}, {32, 576}, {64, 1920}, {128, 3840}, {256, 9216}, {512, 18432}}},
      {"ring/Simple", {{16, any_size}}},
  };
  switch (instance) {
    case AwsInstance::p5:
      return p5;
    case AwsInstance::p5en:
      return p5en;
    case AwsInstance::p6_b200:
      return p6_b200;
    case AwsInstance::p6_b300:
      break;
  }
  return p6_b300;
}

/// The largest size of the region for this number of ranks; zero outside of the region.
double limit_of(const Region& region, int ranks) {
  const std::vector<Corner>& corners = region.corners;
  if (ranks < corners.front().ranks || (region.ends && ranks > corners.back().ranks)) return 0;
  if (corners.size() == 1) return corners.front().mebibytes;
  auto right = std::ranges::lower_bound(corners, ranks, {}, &Corner::ranks);
  right = std::clamp(right, corners.begin() + 1, corners.end() - 1);
  const Corner& a = *(right - 1);
  const Corner& b = *right;
  return a.mebibytes + (b.mebibytes - a.mebibytes) * (ranks - a.ranks) / (b.ranks - a.ranks);
}

bool has_regions(AwsInstance instance, EfaTuner tuner, int nodes) {
  if (tuner == EfaTuner::of_2025) return nodes > 2;
  const bool is_p5 = instance == AwsInstance::p5 || instance == AwsInstance::p5en;
  return tuner == EfaTuner::of_2024 && is_p5 && nodes > 1;
}

bool has(const std::set<std::string_view>& links, std::string_view prefix) {
  return std::ranges::any_of(links,
                             [=](std::string_view name) { return name.starts_with(prefix); });
}

bool is_p3dn(const std::set<std::string_view>& links) {
  return has(links, "efa-100g") && has(links, "nvlink-2.0");
}

}  // namespace

std::optional<std::string_view> aws_choice(AwsInstance instance, EfaTuner tuner, int nodes,
                                           int ranks, Bytes size) {
  if (!has_regions(instance, tuner, nodes) || ranks != 8 * nodes) return std::nullopt;
  const double mebibytes = static_cast<double>(size.count()) / (1 << 20);
  for (const Region& region : regions_of(instance)) {
    if (mebibytes > limit_of(region, ranks)) continue;
    return region.choice.empty() ? std::nullopt : std::optional{region.choice};
  }
  return std::nullopt;
}

Seconds aws_latency(const std::set<std::string_view>& links) {
  if (!has(links, "efa-")) return Seconds{0};
  if (is_p3dn(links)) return Seconds{150e-6};
  const bool late = has(links, "efa-200g") || has(links, "efa-400g");
  return Seconds{late && has(links, "nvlink-") ? 35e-6 : 75e-6};
}

bool aws_sets_buffers(const std::set<std::string_view>& links) {
  return has(links, "efa-") && (has(links, "nvlink-4.0") || has(links, "nvlink-5.0"));
}

}  // namespace ringcast
