#include "app/config/cluster/processor_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "topology/import/hardware_links.hpp"

namespace ringcast::detail {

namespace {

/// Processors by name, in the classes that NCCL distinguishes (ncclTopoGetInterCpuBw() and
/// ncclTopoGetSystem() in its src/graph).
struct NamedProcessor {
  std::string_view word;
  std::string_view link_class;
};
/// NCCL up to 2.30 treats it as Sapphire Rapids, by its model number (src/graph/topo.cc).
constexpr std::string_view granite_rapids = "host-intel-sapphire-rapids";
constexpr auto processors =
    std::to_array<NamedProcessor>({{"haswell", "host-intel-broadwell"},
                                   {"broadwell", "host-intel-broadwell"},
                                   {"skylake", "host-intel-skylake"},
                                   {"cascade", "host-intel-skylake"},
                                   {"ice", "host-intel-skylake"},
                                   {"sapphire", "host-intel-sapphire-rapids"},
                                   {"emerald", "host-intel-emerald-rapids"},
                                   {"granite", granite_rapids},
                                   {"naples", "host-amd-zen2"},
                                   {"rome", "host-amd-zen2"},
                                   {"milan", "host-amd-zen3"},
                                   {"genoa", "host-amd-zen4"},
                                   {"bergamo", "host-amd-zen4"},
                                   {"turin", "host-amd-zen5"},
                                   {"trento", "host-amd-zen3"},
                                   {"hygon", "host-amd-zen2"},
                                   {"yongfeng", "host-zhaoxin-yongfeng"},
                                   {"grace", "cnvlink"},
                                   {"vera", "cnvlink"}});

/// ARM architectures and processors, for which NCCL has one bandwidth.
constexpr auto arms =
    std::to_array<std::string_view>({"aarch", "graviton", "axion", "yitian", "cobalt", "altra",
                                     "neoverse", "thunderx", "kunpeng", "phytium"});

/// The model number: `EPYC 9654`, `2 x Xeon Gold 6148`; `EPYC 75F3` is read as 7503,
/// `EPYC 7J13` as 7013; 0: none.
double model_of(const Spelling& name, std::string_view family) {
  for (const std::string_view letter :
       {"f", "r", "v", "h", "a", "b", "c", "d", "j", "k", "t", "y"}) {
    const auto end = name.after(letter);
    const auto begin = name.before(letter);
    if (begin && end && *begin < 100 && *end < 100) {
      return *begin * (*begin < 10 ? 1000 : 100) + *end;
    }
  }
  constexpr double least_model = 1000;
  if (name.has("phi")) return 0;
  for (const std::string_view older : {"x", "e", "l"})  // Xeon X5570
    if (name.after(older).value_or(0) >= least_model) return 0;
  if (const auto model = name.after(family); model && *model >= least_model) return *model;
  const std::vector<double> numbers = name.numbers();
  const auto found =
      std::ranges::find_if(numbers, [](double number) { return number >= least_model; });
  return found == numbers.end() ? 0 : *found;
}

/// `EPYC 7742`: the last digit is the generation.
std::string_view epyc(double model) {
  return epyc_class(static_cast<int>(std::fmod(model, 10)));
}

/// The first Zen is in the class of its successor.
std::string zen(double generation) {
  return fmt::format("host-amd-zen{}", std::max(2, static_cast<int>(generation)));
}

/// `Xeon Platinum 8480+`: the second digit is the generation. `Xeon 6776P`: only models of Xeon 6
/// begin with 67 or 69.
std::string_view xeon(double model) {
  constexpr std::array<std::string_view, 5> generations{
      "host-intel-skylake", "host-intel-skylake", "host-intel-skylake",
      "host-intel-sapphire-rapids", "host-intel-emerald-rapids"};
  const int second = static_cast<int>(model / 100) % 10;
  if (model >= 6000 && model < 7000 && (second == 7 || second == 9)) return granite_rapids;
  const bool scalable = model >= 3000 && second >= 1 && second <= 5;
  return scalable ? generations[static_cast<std::size_t>(second - 1)] : "";
}

/// `W-3375`, `w9-3495X`: by the second digit, too, but the latest are not Emerald Rapids.
std::string_view xeon_w(const Spelling& name) {
  const std::vector<double> numbers = name.numbers();
  const auto after = name.after("w");
  if (!after || numbers.size() > 2) return "";
  const double model = numbers.back();
  const bool tier = numbers.size() == 1 || (*after >= 3 && *after <= 9);
  if (!tier || model < 2100 || model >= 3600) return "";
  return xeon(std::min(3000 + std::fmod(model, 1000), 3499.0));
}

/// `8358`, `9654P`: a model number alone, if only one vendor has it.
std::string_view model_alone(const Spelling& name) {
  const std::initializer_list<std::string_view> suffixes{"c", "f", "h", "l", "m", "n", "p",
                                                         "q", "r", "s", "t", "u", "v", "y"};
  const std::vector<double> numbers = name.numbers();
  if (numbers.size() != 1 || !name.has_only(suffixes)) return "";
  const double model = numbers.front();
  const bool follows_letter = std::ranges::any_of(
      suffixes, [&](std::string_view each) { return name.after(each).has_value(); });
  if (follows_letter || model < 3000 || model > 9999 || std::fmod(model, 100) == 0) return "";
  const int series = static_cast<int>(model / 1000);
  const int last = static_cast<int>(std::fmod(model, 10));
  if (series == 7) return last <= 3 ? epyc(model) : "";
  const bool as_epyc = series >= 8 && (last == 4 || last == 5);  // EPYC 9004, 9005 and 8004
  if (series == 9 && as_epyc) return epyc(model);
  return as_epyc ? "" : xeon(model);
}

/// From `KH-40000` on the architecture is Yongfeng.
std::optional<Classes> zhaoxin(const Spelling& name) {
  const auto model = name.after("kh");
  if (!name.has("zhaoxin") && !model) return std::nullopt;
  if (model == 40000.0) return Classes{"host-zhaoxin-yongfeng"};
  if (model == 20000.0 || model == 30000.0) return Classes{"host-zhaoxin"};
  return name.has("zhaoxin") ? std::optional{classes_like("host-zhaoxin")} : std::nullopt;
}

/// `Xeon E5-2680 v3`, `E5-2695 v4`.
bool is_haswell_or_broadwell(const Spelling& name) {
  const double series = name.after("e").value_or(0);
  const double version = name.after("v").value_or(0);
  return (series == 5 || series == 7) && (version == 3 || version == 4);
}

/// `Xeon 6530P`: of the models 6500 to 6599, those with a P are of Xeon 6.
bool is_granite_rapids(const Spelling& name) {
  const double model = name.before("p").value_or(0);
  return model >= 6500 && model < 6600;
}

/// `Ryzen 9 7950X`, `Threadripper 3970X`: the first digit is a generation, of Zen to Zen 5.
std::string_view ryzen(double model) {
  constexpr double most_model = 9999;
  if (model == 0 || model > most_model) return "";
  const int first = static_cast<int>(model / 1000);
  if (first <= 4) return "host-amd-zen2";
  if (first <= 6) return "host-amd-zen3";
  return first <= 8 ? "host-amd-zen4" : "host-amd-zen5";
}

/// `Core i9-13900K`, `i7`, `Core Ultra 9`: with one socket, only the vendor matters.
bool is_core(const Spelling& name) {
  constexpr std::array<double, 4> tiers{3, 5, 7, 9};
  const auto tier = name.after("i");
  return (name.has("core") && name.has("ultra")) ||
         (tier && std::ranges::find(tiers, *tier) != tiers.end());
}

struct Family {
  std::string_view word;
  std::string_view (*generation_of)(double model);
  std::string_view classes;
};
constexpr std::array<Family, 4> families{{{"epyc", epyc, "host-amd-"},
                                          {"threadripper", ryzen, "host-amd-"},
                                          {"ryzen", ryzen, "host-amd-"},
                                          {"xeon", xeon, "host-intel-"}}};

/// `Ice Lake`, also as one word: `IceLake`, `SapphireRapids`.
bool has_code_name(const Spelling& name, std::string_view word) {
  constexpr std::array<std::string_view, 3> ends{"", "lake", "rapids"};
  return std::ranges::any_of(
      ends, [&](std::string_view end) { return name.has(fmt::format("{}{}", word, end)); });
}

std::optional<Classes> named_by_word(const Spelling& name) {
  const auto found = std::ranges::find_if(
      processors, [&](const NamedProcessor& each) { return has_code_name(name, each.word); });
  if (found != processors.end()) return Classes{std::string{found->link_class}};
  if (std::ranges::any_of(arms, [&](std::string_view word) { return name.has(word); })) {
    return Classes{"host-arm"};
  }
  if (name.has("power")) return Classes{"host-power9"};
  return std::nullopt;
}

/// By the name and number of a family: `Xeon Platinum 8480C`.
std::optional<Classes> named_by_family(const Spelling& name) {
  for (const auto& [word, generation_of, classes] : families) {
    if (!name.has(word)) continue;
    const std::string_view generation = generation_of(model_of(name, word));
    return generation.empty() ? classes_like(classes) : Classes{std::string{generation}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Classes> processor_named(const Spelling& name) {
  if (auto classes = named_by_word(name)) return classes;
  if (auto classes = zhaoxin(name)) return classes;
  if (const auto generation = name.after("zen")) return known_classes({zen(*generation)});
  if (is_haswell_or_broadwell(name)) return Classes{"host-intel-broadwell"};
  if (is_granite_rapids(name)) return Classes{std::string{granite_rapids}};
  if (auto classes = named_by_family(name)) return classes;
  if (is_core(name)) return Classes{"host-intel-skylake"};
  if (name.after("mi") == 300.0 && name.has("a")) return Classes{"host-amd-zen4"};
  for (const std::string_view of_model : {xeon_w(name), model_alone(name)})
    if (!of_model.empty()) return Classes{std::string{of_model}};
  return std::nullopt;
}

bool is_rome_or_milan(const Spelling& name) {
  if (name.has("rome") || name.has("milan")) return true;
  // `7763`: of 7000 to 7999 alone, only EPYC's numbers have a class.
  const bool is_epyc = name.has("epyc") || !model_alone(name).empty();
  const double model = is_epyc ? model_of(name, "epyc") : 0;
  const double generation = std::fmod(model, 10);
  return model >= 7000 && model < 8000 && (generation == 2 || generation == 3);
}

}  // namespace ringcast::detail
